/* Logs of a recorder as a format that can be written: values that are no words, blocks at the ends of chunks, and what
 * a log cannot hold. What recorders themselves write is tested with them. */
#include "support/cmocka.h"

#include "format/plumb_log.h"
#include "history/builder.h"
#include "support/read_text.h"

#include <stdlib.h>
#include <string.h>

static value long_string(values *v, size_t n, char c) {
    char *p = malloc(n + 1);
    memset(p, c, n);
    value s = value_bytes(v, p, n);
    free(p);
    return s;
}

static value nested(values *v, unsigned depth) {
    value at = value_int(v, 7);
    for (unsigned i = 0; i < depth; i++) at = value_tuple(v, &at, 1);
    return at;
}

static bool add(builder *b, value client, const value *arg, size_t nargs, value res, int64_t call) {
    call_record c = {.client = client,
                     .method = builder_method(b, "op", 2, 1),
                     .key = VALUE_NONE,
                     .arg = arg,
                     .nargs = nargs,
                     .line = 1};
    return builder_operation(b, &c, call, call + 1, res);
}

static void expect_round_trip(builder *b) {
    error e = {0};
    text log = {0}, before = {0}, after = {0};
    history *h = builder_finish(b), *back;
    assert_true(write_text("plumb-log", h, &log, &e));
    back = read_bytes(NULL, log.at, log.size, false, &e);
    assert_string_equal(e.what, "");
    print_history(h, true, &before);
    print_history(back, true, &after);
    assert_string_equal(text_str(&before), text_str(&after));
    text_free(&log);
    text_free(&before);
    text_free(&after);
    history_free(h);
    history_free(back);
    builder_free(b);
}

/* Arguments and results of all sizes: every way a block can meet the end of a chunk comes up. */
static void blocks_and_chunks(void **unused) {
    (void)unused;
    error e = {0};
    builder *b = builder_new("log", &e);
    values *v = builder_values(b);
    for (uint32_t i = 0; i < 4000; i++) {
        value arg[3] = {value_int(v, i), long_string(v, i * 37 % 1100, 'a'), value_int(v, INT64_MAX - i)};
        value res = i % 5 == 0 ? long_string(v, i * 91 % 3000, 'b') : i % 5 == 1 ? nested(v, i % 30) : VALUE_TRUE;
        assert_true(add(b, value_int(v, i % 3), arg, i % 4, res, 2 * (int64_t)i));
    }
    assert_true(add(b, value_int(v, 0), (value[]){long_string(v, 30000, 'c')}, 1, long_string(v, 32000, 'd'), 9000));
    expect_round_trip(b);
}

static void expect_refusal(builder *b, const char *want) {
    error e = {0};
    text log = {0};
    history *h = builder_finish(b);
    assert_false(write_text("plumb-log", h, &log, &e));
    assert_int_equal(e.code, 65);
    assert_string_equal(e.what, want);
    text_free(&log);
    history_free(h);
    builder_free(b);
}

static void what_does_not_fit(void **unused) {
    (void)unused;
    error e = {0};
    builder *b = builder_new("log", &e);
    value long_one = long_string(builder_values(b), 40000, 'a');
    add(b, value_int(NULL, 0), &long_one, 1, VALUE_NONE, 0);
    expect_refusal(b, "operation 0 (op) cannot be written as plumb-log: its values are too long");
    b = builder_new("log", &e);
    value deep = nested(builder_values(b), 40);
    add(b, value_int(NULL, 0), &deep, 1, VALUE_NONE, 0);
    expect_refusal(b, "operation 0 (op) cannot be written as plumb-log: a value is nested too deep");
    b = builder_new("log", &e);
    for (int i = 0; i <= LOG_MAX_SLOTS; i++) add(b, value_int(NULL, i), NULL, 0, VALUE_NONE, i);
    expect_refusal(b, "more than 4096 clients cannot be written as plumb-log");
    b = builder_new("log", &e);
    call_record keyed = {
        .client = value_int(NULL, 0), .method = builder_method(b, "get", 3, 1), .key = value_int(NULL, 1), .line = 1};
    assert_true(builder_operation(b, &keyed, 0, 1, VALUE_NONE));
    expect_refusal(b, "operation 0 (get) cannot be written as plumb-log: it has a key beside its arguments; expected a "
                      "keyed object (perhaps object kv)");
}

/* ---- damage ---- */

enum { WHOLE = 7000, CLIENTS = 3 };

static text log_of_sequence(void) {
    error e = {0};
    text log = {0};
    builder *b = builder_new("log", &e);
    values *v = builder_values(b);
    for (int64_t i = 0; i < WHOLE; i++) {
        value one = value_int(v, i);
        assert_true(add(b, value_int(v, i % CLIENTS), &one, 1, one, 2 * i));
    }
    history *h = builder_finish(b);
    assert_true(write_text("plumb-log", h, &log, &e));
    history_free(h);
    builder_free(b);
    return log;
}

/* What is read of a log that is damaged is a beginning of what was written, and says that it is one. */
static uint32_t read_damaged(const char *at, size_t size) {
    error e = {0};
    history *h = read_bytes("plumb-log", at, size, false, &e);
    if (!h) { /* nothing of it can be relied on */
        assert_int_equal(e.code, 65);
        return 0;
    }
    assert_true(h->n <= WHOLE && (h->n == WHOLE || h->lacks));
    for (uint32_t i = 0; i < h->n; i++) {
        assert_int_equal(value_as_int(h->values, h->arg[0][i]), i);
        if (i + CLIENTS < h->n || !h->lacks) assert_false(history_pending(h, i));
        if (!history_pending(h, i)) assert_int_equal(value_as_int(h->values, h->res[i]), i);
    }
    uint32_t n = h->n;
    history_free(h);
    return n;
}

static void one_flipped_bit(void **unused) {
    (void)unused;
    text log = log_of_sequence();
    size_t chunks = log_chunks_at(CLIENTS);
    uint64_t kept = 0, dice = 1;
    for (unsigned i = 0; i < 600; i++) {
        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t at = i % 3 ? chunks + (dice >> 33) % (log.size - chunks) : (dice >> 33) % chunks;
        log.at[at] ^= (char)(1 << (i & 7));
        kept += read_damaged(log.at, log.size);
        log.at[at] ^= (char)(1 << (i & 7));
    }
    assert_true(kept > 600 * WHOLE / 8); /* what came before the damage is read */
    assert_int_equal(read_damaged(log.at, log.size), WHOLE);
    text_free(&log);
}

static void lost_pages_and_ends(void **unused) {
    (void)unused;
    text log = log_of_sequence();
    char page[4096];
    for (size_t at = 0; at + sizeof page <= log.size; at += sizeof page) {
        memcpy(page, log.at + at, sizeof page);
        memset(log.at + at, 0, sizeof page);
        read_damaged(log.at, log.size);
        memcpy(log.at + at, page, sizeof page);
    }
    uint32_t before = 0;
    for (size_t size = 0; size < log.size; size += 9999) {
        uint32_t n = read_damaged(log.at, size);
        assert_true(n >= before && n < WHOLE); /* the more is there, the more is read */
        before = n;
    }
    assert_true(before > WHOLE / 2);
    text_free(&log);
}

/* Version 2 had no checksums: it is read as it always was. */
static void an_older_log(void **unused) {
    (void)unused;
    text log = log_of_sequence();
    log_header *h = (log_header *)(void *)log.at;
    h->version = LOG_OLDEST;
    h->check = 0;
    assert_int_equal(read_damaged(log.at, log.size), WHOLE);
    text_free(&log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_chunks),   cmocka_unit_test(what_does_not_fit), cmocka_unit_test(one_flipped_bit),
        cmocka_unit_test(lost_pages_and_ends), cmocka_unit_test(an_older_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
