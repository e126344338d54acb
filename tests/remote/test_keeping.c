/* What a replica has answered for is there after a crash, byte by byte; a file that lacks some of it is refused. */
#include "remote/keeping.h"
#include "support/cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/plumb-keeping-XXXXXX";

static void put(replica_store *s, uint32_t client, uint64_t from, const char *entry) {
    text body = {0}, out = {0};
    wire_add(&body, client, 4);
    wire_add(&body, from, 8);
    wire_add(&body, 1, 4);
    wire_add(&body, strlen(entry), 4);
    text_add(&body, entry);
    const wire_reader r = {.p = (const unsigned char *)body.at, .left = body.size};
    assert_true(replica_store_answer(s, WIRE_PUT, 1, r, &out));
    text_free(&body);
    text_free(&out);
}

static bool begin(replica_keeping *k, replica_store *s, uint64_t incarnation, error *e) {
    *k = (replica_keeping){.fd = -1};
    replica_store_init(s, incarnation, 1 << 20);
    if (!keeping_open(k, path, KEEPING_GO_ON, s, e)) return false;
    s->journal = &k->journal;
    return true;
}

static void end(replica_keeping *k, replica_store *s) {
    keeping_close(k);
    replica_store_free(s);
}

static void write_some(uint64_t incarnation) {
    replica_keeping k;
    replica_store s;
    error e = {0};
    unlink(path);
    assert_true(begin(&k, &s, incarnation, &e));
    put(&s, 1, 0, "first");
    put(&s, 2, 0, "of another client");
    put(&s, 1, 1, "second");
    put(&s, 1, 1, "second"); /* is there already */
    assert_true(keeping_flush(&k));
    end(&k, &s);
}

static void expect_entry(const replica_store *s, uint32_t log, uint64_t i, const char *expected) {
    const wire_reader entry = stored_entry(&s->log[log], i);
    assert_int_equal(entry.left, strlen(expected));
    assert_memory_equal(entry.p, expected, entry.left);
}

static void a_replica_goes_on_with_its_file(void **unused) {
    replica_keeping k;
    replica_store s;
    error e = {0};
    (void)unused;
    write_some(77);
    assert_true(begin(&k, &s, 99, &e));
    assert_int_equal(s.incarnation, 77); /* it is the same one */
    assert_int_equal(s.logs, 2);
    assert_int_equal(s.log[0].length, 2);
    assert_int_equal(s.log[1].length, 1);
    expect_entry(&s, 0, 0, "first");
    expect_entry(&s, 0, 1, "second");
    expect_entry(&s, 1, 0, "of another client");
    put(&s, 2, 1, "more");
    assert_true(keeping_flush(&k));
    end(&k, &s);
    assert_true(begin(&k, &s, 99, &e));
    expect_entry(&s, 1, 1, "more");
    end(&k, &s);
}

static size_t file_size(void) {
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return (size_t)about.st_size;
}

/* A crash cuts the last record off anywhere: those before it are there, and it goes on behind them. */
static void a_record_that_was_cut_off_was_never_answered_for(void **unused) {
    replica_keeping k;
    replica_store s;
    (void)unused;
    write_some(77);
    const size_t whole = file_size(), last = 16 + strlen("second");
    for (size_t cut = 1; cut < last; cut++) {
        error e = {0};
        write_some(77);
        assert_int_equal(truncate(path, (off_t)(whole - cut)), 0);
        assert_true(begin(&k, &s, 99, &e));
        assert_int_equal(s.log[0].length, 1);
        put(&s, 1, 1, "again");
        assert_true(keeping_flush(&k));
        end(&k, &s);
        assert_true(begin(&k, &s, 99, &e));
        expect_entry(&s, 0, 1, "again");
        end(&k, &s);
    }
}

/* What is damaged does not count, and says so after another start, too; what it held is kept beside it. */
static void damage_is_a_loss(void **unused) {
    replica_keeping k;
    replica_store s;
    char beside[64];
    (void)unused;
    snprintf(beside, sizeof beside, "%s.damaged", path);
    for (size_t at = 33; at < 33 + 16 + 5; at++) { /* head, digests and bytes of the first record */
        error e = {0};
        write_some(77);
        FILE *f = fopen(path, "r+b");
        assert_non_null(f);
        fseek(f, (long)at, SEEK_SET);
        const int was = fgetc(f);
        fseek(f, (long)at, SEEK_SET);
        fputc(was ^ 1, f);
        fclose(f);
        for (uint64_t start = 99; start < 101; start++) {
            assert_true(begin(&k, &s, start, &e));
            assert_int_equal(s.incarnation, 99);
            assert_int_equal(s.logs, 0);
            assert_int_equal(s.standing, STANDING_LOST);
            end(&k, &s);
        }
        assert_int_equal(access(beside, F_OK), 0);
        unlink(beside);
    }
    error e = {0};
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs("something else, which is longer than a line of such a file\n", f);
    fclose(f);
    assert_false(begin(&k, &s, 99, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    replica_store_free(&s);
}

static enum wire_standing ask_to_join(replica_store *s, uint64_t incarnation) {
    text body = {0}, out = {0};
    wire_add(&body, incarnation, 8);
    const wire_reader r = {.p = (const unsigned char *)body.at, .left = body.size};
    assert_true(replica_store_answer(s, WIRE_JOIN, 1, r, &out));
    text_free(&body);
    text_free(&out);
    return s->standing;
}

/* Not before its time, not of another incarnation; and then for good. */
static void the_lost_catch_up(void **unused) {
    replica_keeping k = {.fd = -1};
    replica_store s;
    error e = {0};
    (void)unused;
    unlink(path);
    replica_store_init(&s, 5, 1 << 20);
    assert_true(keeping_open(&k, path, KEEPING_LOST, &s, &e));
    s.journal = &k.journal;
    assert_int_equal(ask_to_join(&s, 5), STANDING_LOST);
    replica_store_age(&s, STORE_RIPE_SECONDS - 1);
    assert_int_equal(ask_to_join(&s, 5), STANDING_LOST);
    replica_store_age(&s, STORE_RIPE_SECONDS + 1);
    assert_int_equal(ask_to_join(&s, 6), STANDING_RIPE);
    put(&s, 1, 0, "first");
    assert_true(keeping_flush(&k));
    end(&k, &s);
    assert_true(begin(&k, &s, 9, &e)); /* it crashed before it had caught up */
    assert_int_equal(s.standing, STANDING_LOST);
    assert_int_equal(s.log[0].length, 1);
    replica_store_age(&s, STORE_RIPE_SECONDS + 1);
    assert_int_equal(ask_to_join(&s, 5), STANDING_CAUGHT_UP);
    assert_true(keeping_flush(&k));
    end(&k, &s);
    assert_true(begin(&k, &s, 9, &e));
    assert_int_equal(s.standing, STANDING_CAUGHT_UP);
    end(&k, &s);
    replica_store_init(&s, 7, 1 << 20);
    assert_true(keeping_open(&k, path, KEEPING_ANEW, &s, &e));
    assert_int_equal(s.standing, STANDING_WHOLE);
    assert_int_equal(s.logs, 0);
    end(&k, &s);
}

static void one_replica_at_a_time_has_the_file(void **unused) {
    replica_keeping k, other;
    replica_store s, second;
    error e = {0};
    (void)unused;
    unlink(path);
    assert_true(begin(&k, &s, 1, &e));
    assert_false(begin(&other, &second, 2, &e));
    assert_non_null(strstr(e.what, "another replica"));
    replica_store_free(&second);
    end(&k, &s);
}

static int make_path(void **unused) {
    (void)unused;
    const int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **unused) {
    (void)unused;
    return unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_replica_goes_on_with_its_file),
                                       cmocka_unit_test(a_record_that_was_cut_off_was_never_answered_for),
                                       cmocka_unit_test(damage_is_a_loss), cmocka_unit_test(the_lost_catch_up),
                                       cmocka_unit_test(one_replica_at_a_time_has_the_file)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
