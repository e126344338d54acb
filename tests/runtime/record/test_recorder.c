/* The recorder: what is written is read back, by all clocks, in memory's edge cases too. */
#include "support/cmocka.h"

#include "runtime/record/recorder.h"
#include "support/judge_history.h"
#include "support/read_text.h"
#include "support/record_run.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[64];

static int set_up(void **unused) {
    (void)unused;
    snprintf(file, sizeof file, "/tmp/plumb-test-%d.plumblog", (int)getpid());
    return 0;
}

static int tear_down(void **unused) {
    (void)unused;
    unlink(file);
    return 0;
}

static plumb_recorder *open_file(const char *what, unsigned clock, size_t bytes) {
    plumb_record_options o = {
        .struct_size = sizeof o, .object = what, .path = file, .clock = clock, .bytes = bytes, .threads = 4};
    plumb_recorder *r = plumb_record_open(&o);
    assert_null(plumb_record_error(r));
    return r;
}

static verdict judge_file(uint32_t *operations) {
    history *h = read_file(file);
    verdict v = judge_history(h, h->object_hint);
    if (operations) *operations = h->n;
    history_free(h);
    return v;
}

static void assert_history(const char *expected) {
    history *h = read_file(file);
    text t = {0};
    print_history(h, true, &t);
    assert_string_equal(text_str(&t), expected);
    text_free(&t);
    history_free(h);
}

/* ---- values ---- */

static void values_of_any_kind(void **unused) {
    (void)unused;
    plumb_recorder *r = open_file("kv", PLUMB_CLOCK_TICKET, 0);
    plumb_log *l = plumb_record_join(r);
    int put = plumb_record_method(r, "put"), get = plumb_record_method(r, "get"), cas = plumb_record_method(r, "cas");
    plumb_value pair[] = {plumb_int(INT64_MAX), plumb_bytes("x", 1)}, nested[] = {plumb_tuple(pair, 2), plumb_empty()};
    plumb_value args[] = {plumb_bytes("key", 3), plumb_tuple(nested, 2), plumb_bool(true)};
    plumb_call(l, put, args, 2);
    plumb_ret_none(l);
    plumb_call(l, get, args, 1);
    plumb_ret(l, args[1]);
    plumb_value old[] = {plumb_int(-7), plumb_int(INT64_MIN), plumb_bytes("", 0)};
    plumb_call(l, cas, old, 3);
    plumb_ret_bool(l, false);
    plumb_call(l, get, old, 1);
    plumb_ret_fail(l);
    plumb_call(l, put, old, 2);
    plumb_ret_unknown(l);
    plumb_call_int(l, get, INT64_MAX);
    plumb_ret_int(l, INT64_MIN);
    plumb_record_leave(l);
    assert_int_equal(plumb_record_method(r, "nonsense"), -1);
    plumb_record_close(r);
    assert_history("0 put(\"key\" [[9223372036854775807 \"x\"] empty]) -> none [0,1]\n"
                   "0 get(\"key\") -> [[9223372036854775807 \"x\"] empty] [2,3]\n"
                   "0 cas(-7 -9223372036854775808 \"\") -> false [4,5]\n"
                   "0 put(-7 -9223372036854775808) -> ? [6,-]\n"
                   "1 get(9223372036854775807) -> -9223372036854775808 [7,8]\n");
}

/* Operations of all sizes, so that chunks end at every place; results too large for the rest of a chunk. */
static void chunks_end_anywhere(void **unused) {
    (void)unused;
    enum { OPERATIONS = 6000, LONGEST = 4000 };
    static char long_text[LONGEST];
    memset(long_text, 'a', sizeof long_text);
    plumb_recorder *r = open_file("register", PLUMB_CLOCK_TICKET, 0);
    plumb_log *l = plumb_record_join(r);
    int write = plumb_record_method(r, "write"), read = plumb_record_method(r, "read");
    random_source random = {3};
    uint32_t size[OPERATIONS];
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        size[i] = random_below(&random, 4) ? 0 : random_below(&random, LONGEST);
        plumb_value v = size[i] ? plumb_bytes(long_text, size[i]) : plumb_int(i);
        if (i % 2) plumb_call(l, read, NULL, 0);
        else plumb_call(l, write, &v, 1);
        if (i % 2) plumb_ret(l, v);
        else plumb_ret_none(l);
    }
    plumb_record_leave(l);
    plumb_record_close(r);
    history *h = read_file(file);
    assert_int_equal(h->n, OPERATIONS);
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        value v = i % 2 ? h->res[i] : h->arg[0][i];
        size_t n = 0;
        if (size[i]) value_as_bytes(h->values, v, &n);
        else assert_int_equal(value_as_int(h->values, v), i);
        assert_int_equal(n, size[i]);
    }
    history_free(h);
}

/* ---- threads and darkness ---- */

static void threads_come_and_go(void **unused) {
    (void)unused;
    plumb_recorder *r = open_file("queue", PLUMB_CLOCK_TICKET, 0);
    plumb_log *l[5];
    for (int i = 0; i < 5; i++) l[i] = plumb_record_join(r);
    assert_non_null(l[3]);
    assert_non_null(l[4]); /* without a slot: test_outsiders.c */
    plumb_record_leave(l[4]);
    plumb_call_int(NULL, 0, 1); /* nothing happens */
    plumb_ret_none(NULL);
    for (int round = 0; round < 1000; round++) {
        plumb_call_int(l[2], 0, round);
        if (round % 10) plumb_ret_none(l[2]);
        plumb_record_leave(l[2]);
        l[2] = plumb_record_join(r);
        assert_non_null(l[2]);
    }
    plumb_record_status s = {.struct_size = sizeof s};
    plumb_record_look(r, &s);
    assert_int_equal(s.threads, 4);
    assert_int_equal(s.records, 1000);
    assert_int_equal(s.dark, 0);
    for (int i = 0; i < 4; i++) plumb_record_leave(l[i]);
    plumb_record_close(r);
    history *h = read_file(file);
    assert_int_equal(h->n, 1000);
    assert_int_equal(h->pending, 100);
    history_free(h);
}

static void what_is_not_known_is_no_value(void **unused) {
    (void)unused;
    plumb_recorder *r = open_file("queue", PLUMB_CLOCK_TICKET, 0);
    plumb_log *l = plumb_record_join(r);
    plumb_value what = {.kind = PLUMB_UNKNOWN}, pair = {.kind = PLUMB_TUPLE, .size = 1, .as.item = &what};
    plumb_call(l, plumb_record_method(r, "add"), &pair, 1);
    plumb_ret_none(l);
    plumb_call_none(l, plumb_record_method(r, "remove"));
    plumb_ret(l, what);
    plumb_record_leave(l);
    plumb_record_close(r);
    history *h = read_file(file);
    assert_int_equal(h->n, 2);
    assert_int_equal(h->pending, 1);
    history_free(h);
}

static void tags_are_different(void **unused) {
    (void)unused;
    plumb_recorder *r = open_file("queue", PLUMB_CLOCK_TICKET, 0);
    plumb_log *a = plumb_record_join(r), *b = plumb_record_join(r);
    int64_t first = plumb_tag(a), second = plumb_tag(a);
    assert_true(first != second && first != plumb_tag(b));
    plumb_record_leave(a);
    a = plumb_record_join(r);
    int64_t third = plumb_tag(a);
    assert_true(third != first && third != second);
    assert_true(plumb_fits_word(third));
    plumb_record_leave(a);
    plumb_record_leave(b);
    plumb_record_close(r);
}

/* Without room the history ends where the first operation was not recorded; that beginning is judged, and is no verdict
 * about the rest. */
static void a_full_log_is_a_beginning(void **unused) {
    (void)unused;
    for (unsigned clock = 0; clock <= PLUMB_CLOCK_TSC; clock++) {
        plumb_record_options o = {
            .struct_size = sizeof o, .object = "queue", .path = file, .clock = clock, .bytes = 3 * LOG_CHUNK_BYTES};
        plumb_recorder *r = plumb_record_open(&o);
        record_run run = {.threads = 2, .operations = 5000, .seed = clock, .r = r};
        record_run_all(&run);
        plumb_record_status s = {.struct_size = sizeof s};
        plumb_record_look(r, &s);
        assert_true(s.dark > 0 && s.records > 0);
        plumb_record_close(r);
        uint32_t n;
        assert_int_equal(judge_file(&n), VERDICT_UNDECIDED);
        assert_true(n > 0 && n <= s.records);
    }
}

/* What is returned after a thread has begun an operation that is not recorded may be its doing, whatever the stamps. */
static void what_follows_a_lost_operation_is_not_judged(void **unused) {
    (void)unused;
    for (unsigned clock = 0; clock <= PLUMB_CLOCK_TSC; clock++) {
        plumb_recorder *r = open_file("queue", clock, LOG_CHUNK_BYTES * 2);
        plumb_log *a = plumb_record_join(r), *b = plumb_record_join(r);
        int add = plumb_record_method(r, "add"), take = plumb_record_method(r, "remove");
        plumb_call_none(b, take);
        plumb_record_status s = {.struct_size = sizeof s};
        while (!s.dark) { /* refused, as long as it is recorded */
            plumb_call_int(a, add, 7);
            plumb_record_look(r, &s);
            if (!s.dark) plumb_ret_fail(a);
        }
        plumb_ret_none(a);
        plumb_ret_int(b, 7);
        plumb_record_leave(a);
        plumb_record_leave(b);
        plumb_record_close(r);
        assert_int_equal(judge_file(NULL), VERDICT_UNDECIDED); /* not a violation */
    }
}

/* What reads the file knows the initial value that the recorder was given, and so does what is made of the file. */
static void the_initial_value_is_kept(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "register", .init = "5", .path = file};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_log *l = plumb_record_join(r);
    plumb_call_none(l, plumb_record_method(r, "read"));
    plumb_ret_int(l, 5);
    plumb_record_leave(l);
    plumb_record_close(r);
    plumb_check_options other = {.struct_size = sizeof other, .init = "6"};
    assert_int_equal(check_and_free(plumb_history_read(file, NULL), NULL, NULL), PLUMB_LINEARIZABLE);
    assert_int_equal(check_and_free(plumb_history_read(file, NULL), "register", NULL), PLUMB_LINEARIZABLE);
    plumb_history *h = plumb_history_read(file, NULL);
    plumb_result *given = plumb_check(h, NULL, &other);
    assert_int_equal(plumb_result_verdict(given), PLUMB_VIOLATION);
    plumb_result_free(given);
    plumb_history_free(h);
}

static void misuse_is_said(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "no such thing"};
    plumb_recorder *r = plumb_record_open(&o);
    assert_non_null(plumb_record_error(r));
    assert_null(plumb_record_join(r));
    assert_null(plumb_record_here(r));
    plumb_record_close(r);
    r = plumb_record_open(NULL);
    assert_non_null(strstr(plumb_record_error(r), "no object"));
    plumb_record_close(r);
    o.object = "queue";
    o.path = "/nonexistent/file";
    r = plumb_record_open(&o);
    assert_non_null(strstr(plumb_record_error(r), "cannot open"));
    plumb_record_close(r);
}

static void *call_here(void *r) {
    plumb_log *l = plumb_record_here(r);
    plumb_call_int(l, 0, 1);
    plumb_ret_none(l);
    assert_ptr_equal(l, plumb_record_here(r));
    return NULL;
}

static void a_thread_that_ends_has_left(void **unused) {
    (void)unused;
    plumb_recorder *r = open_file("queue", PLUMB_CLOCK_TICKET, 0);
    pthread_t t;
    for (int i = 0; i < 20; i++) {
        pthread_create(&t, NULL, call_here, r);
        pthread_join(t, NULL);
    }
    plumb_record_status s = {.struct_size = sizeof s};
    plumb_record_look(r, &s);
    assert_int_equal(s.threads, 0);
    assert_int_equal(s.records, 20);
    plumb_record_close(r);
}

/* A second call while the first is open: the first stays pending, nothing is taken for its return. */
static void a_call_that_never_returned(void **unused) {
    (void)unused;
    for (unsigned clock = 0; clock <= PLUMB_CLOCK_SNAPSHOT; clock++) {
        plumb_recorder *r = open_file("queue", clock, 0);
        plumb_log *l = plumb_record_join(r);
        plumb_call_int(l, 0, 1);
        plumb_call_int(l, 0, 2);
        plumb_ret_none(l);
        plumb_record_leave(l);
        plumb_record_close(r);
        assert_history("0 enq(1) -> ? [0,-]\n1 enq(2) -> none [1,2]\n");
    }
}

/* ---- right and wrong objects, all clocks ---- */

static void recorded_histories_are_right(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < 12; i++) {
        plumb_recorder *r = open_file(i % 2 ? "stack" : "queue", i / 2 % 3, 0);
        record_run run = {
            .lifo = i % 2, .threads = 2 + i / 6, .operations = fewer_if_sanitized(20000), .seed = i, .r = r};
        record_run_all(&run);
        plumb_record_close(r);
        uint32_t n;
        assert_int_equal(judge_file(&n), VERDICT_LINEARIZABLE);
        assert_int_equal(n, run.threads * run.operations);
    }
}

static void defects_are_recorded(void **unused) {
    (void)unused;
    static const defect which[] = {DEFECT_LOST, DEFECT_DUPLICATE, DEFECT_EMPTY};
    for (unsigned i = 0; i < 9; i++) {
        plumb_recorder *r = open_file("queue", i % 3, 0);
        record_run run = {
            .d = which[i / 3], .one_in = 100, .threads = 2, .operations = 4000, .inside = 20, .seed = i, .r = r};
        record_run_all(&run);
        plumb_record_close(r);
        assert_true(run.fired > 0);
        assert_int_equal(judge_file(NULL), VERDICT_VIOLATION);
    }
}

/* ---- snapshots ---- */

enum { SCANNERS = 4, SCANS = 20000 };

typedef struct scan_worker {
    plumb_recorder *r;
    pthread_t thread;
    uint32_t scans;
} scan_worker;

/* Ranks never go back, and hold what one has announced oneself: between two of one's own calls they grow. */
static void *scan_often(void *context) {
    scan_worker *s = context;
    plumb_log *l = plumb_record_join(s->r);
    log_writer *w = (log_writer *)(void *)l;
    uint64_t last = 0;
    for (uint32_t i = 0; i < s->scans; i++) {
        plumb_call_int(l, 0, i);
        uint64_t rank = clock_scan(s->r->shared.header, s->r->shared.slot, w->slot, &w->scanner);
        if (rank <= last) abort();
        last = rank;
        plumb_ret_none(l);
        uint64_t after = w->slot->rank;
        if (after < rank) abort();
    }
    plumb_record_leave(l);
    return NULL;
}

static void snapshots_grow(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue", .clock = PLUMB_CLOCK_SNAPSHOT};
    plumb_recorder *r = plumb_record_open(&o);
    scan_worker w[SCANNERS];
    for (int i = 0; i < SCANNERS; i++) {
        w[i] = (scan_worker){.r = r, .scans = fewer_if_sanitized(SCANS)};
        pthread_create(&w[i].thread, NULL, scan_often, &w[i]);
    }
    for (int i = 0; i < SCANNERS; i++) pthread_join(w[i].thread, NULL);
    plumb_record_close(r);
}

/* ---- damage ---- */

/* Any byte may be wrong: the file is read or refused with one line. */
static void damaged_logs(void **unused) {
    (void)unused;
    plumb_recorder *r = open_file("kv", PLUMB_CLOCK_TICKET, 4 * LOG_CHUNK_BYTES);
    plumb_log *l = plumb_record_join(r);
    for (int64_t i = 0; i < 300; i++) {
        plumb_value arg[2] = {plumb_int(i % 3), plumb_bytes("some bytes", 10)};
        plumb_call(l, (int)(i % 2), arg, 1 + (size_t)(i % 2));
        plumb_ret(l, i % 2 ? plumb_none() : arg[1]);
    }
    plumb_record_leave(l);
    plumb_record_close(r);
    FILE *f = fopen(file, "rb");
    size_t size = log_chunks_at(4) + 2 * LOG_CHUNK_BYTES;
    unsigned char *whole = calloc(1, size);
    assert_int_equal(fread(whole, 1, size, f), size);
    fclose(f);
    random_source random = {23};
    unsigned refused = 0, runs = fewer_if_sanitized(3000);
    for (unsigned i = 0; i < runs; i++) {
        uint64_t at = random_below(&random, 4) ? log_chunks_at(4) + random_below(&random, 20000)
                                               : random_below(&random, (uint32_t)log_chunks_at(4));
        unsigned char before = whole[at];
        whole[at] = (unsigned char)random_next(&random);
        error e = {0};
        history *h = read_bytes("plumb-log", whole, size, false, &e);
        assert_true(h || e.code);
        refused += !h;
        history_free(h);
        whole[at] = before;
    }
    assert_true(refused > 0 && refused < runs);
    free(whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_any_kind),
        cmocka_unit_test(chunks_end_anywhere),
        cmocka_unit_test(threads_come_and_go),
        cmocka_unit_test(what_is_not_known_is_no_value),
        cmocka_unit_test(tags_are_different),
        cmocka_unit_test(a_full_log_is_a_beginning),
        cmocka_unit_test(what_follows_a_lost_operation_is_not_judged),
        cmocka_unit_test_setup_teardown(the_initial_value_is_kept, set_up, tear_down),
        cmocka_unit_test(misuse_is_said),
        cmocka_unit_test(a_thread_that_ends_has_left),
        cmocka_unit_test(a_call_that_never_returned),
        cmocka_unit_test(recorded_histories_are_right),
        cmocka_unit_test(defects_are_recorded),
        cmocka_unit_test(snapshots_grow),
        cmocka_unit_test(damaged_logs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
