/* Verifiers that cannot keep up judge fewer keys instead of going dark, and with go_on a violation is not the last
 * thing that they say. No right object is called wrong for either. */
#include "support/cmocka.h"

#include "base/random.h"
#include "runtime/watch.h"

#include <plumbline/verify.h>

#include <stdio.h>
#include <string.h>

enum { KEYS = 64, CHUNKS = 16, PUT = 1, GET = 0 };

typedef struct store_run { /* a right store of keys, recorded by two logs of one thread */
    plumb_recorder *r;
    plumb_log *log[2];
    int64_t holds[KEYS];
    watch w;
    random_source random;
} store_run;

static void begin_run(store_run *s, bool ring) {
    *s = (store_run){.random = {11}};
    plumb_record_options o = {
        .struct_size = sizeof o, .object = "kv", .ring = ring, .threads = 2, .bytes = CHUNKS * LOG_CHUNK_BYTES};
    s->r = plumb_record_open(&o);
    assert_null(plumb_record_error(s->r));
    assert_int_equal(plumb_record_method(s->r, "put"), PUT);
    assert_int_equal(plumb_record_method(s->r, "get"), GET);
    for (unsigned i = 0; i < 2; i++) s->log[i] = plumb_record_join(s->r);
    assert_true(watch_init(&s->w, &s->r->shared, &(checker_options){.max_lag = 1 << 20}));
    assert_true(watch_can_adapt(&s->w));
    s->w.adapt = true;
}

static void end_run(store_run *s) {
    for (unsigned i = 0; i < 2; i++) plumb_record_leave(s->log[i]);
    watch_free(&s->w);
    plumb_record_close(s->r);
}

static void put(store_run *s, unsigned log, int64_t k, int64_t v) {
    const plumb_value arg[2] = {plumb_int(k), plumb_int(v)};
    plumb_call(s->log[log], PUT, arg, 2);
    s->holds[k] = v;
    plumb_ret(s->log[log], plumb_none());
}

static void get(store_run *s, unsigned log, int64_t k, int64_t sees) {
    plumb_call_int(s->log[log], GET, k);
    if (sees) plumb_ret_int(s->log[log], sees);
    else plumb_ret(s->log[log], plumb_none());
}

static void use(store_run *s, unsigned operations) {
    for (unsigned i = 0; i < operations; i++) {
        const int64_t k = (int64_t)random_below(&s->random, KEYS);
        const unsigned log = (unsigned)random_below(&s->random, 2);
        if (random_chance(&s->random, 0.3)) put(s, log, k, 1 + (int64_t)random_below(&s->random, 1000));
        else get(s, log, k, s->holds[k]);
    }
}

static bool is_sampled(const store_run *s, int64_t k) {
    return plumb_sample_hash(PLUMB_WORD_INT(k)) <= log_sampled(s->r->shared.header);
}

static int64_t some_key(const store_run *s, bool sampled) {
    int64_t k = 0;
    while (k < KEYS && is_sampled(s, k) != sampled) k++;
    assert_true(k < KEYS);
    return k;
}

static uint64_t dark_operations(const store_run *s) {
    plumb_record_status now = {.struct_size = sizeof now};
    plumb_record_look(s->r, &now);
    return now.dark;
}

/* So much at once that the ring is half full. */
static void fall_behind(store_run *s) {
    use(s, CHUNKS * LOG_CHUNK_RECORDS / 4);
    watch_round(&s->w);
}

static void fewer_keys_instead_of_the_dark(void **unused) {
    (void)unused;
    store_run s;
    begin_run(&s, true);
    use(&s, 100);
    watch_round(&s.w);
    assert_int_equal(watch_sample(&s.w), 0); /* it keeps up */
    fall_behind(&s);
    assert_true(watch_sample(&s.w) >= 2);
    const uint64_t before = s.r->shared.slot[0].announced;
    for (unsigned i = 0; i < 1000; i++) get(&s, 0, some_key(&s, false), s.holds[some_key(&s, false)]);
    assert_int_equal(s.r->shared.slot[0].announced, before); /* writers have heard of it */
    for (unsigned i = 0; i < 20; i++) fall_behind(&s);
    assert_int_equal(dark_operations(&s), 0);
    assert_int_equal(watch_verdict(&s.w), VERDICT_LINEARIZABLE);
    end_run(&s);
}

/* A thread that has not heard of it records what another one has left out. */
static void who_hears_late_makes_no_alarm(void **unused) {
    (void)unused;
    static const uint64_t all = UINT64_MAX;
    store_run s;
    begin_run(&s, true);
    fall_behind(&s);
    const int64_t k = some_key(&s, false);
    s.log[1]->sample = &all;
    put(&s, 0, k, 5000);
    get(&s, 1, k, 5000);
    watch_round(&s.w);
    assert_int_equal(watch_verdict(&s.w), VERDICT_LINEARIZABLE);
    end_run(&s);
}

/* It was open when its key left the sample. */
static void what_was_open_is_left(void **unused) {
    (void)unused;
    store_run s;
    begin_run(&s, true);
    use(&s, 100);
    watch_round(&s.w);
    int64_t k = 0;
    for (; k < KEYS && plumb_sample_hash(PLUMB_WORD_INT(k)) <= UINT64_MAX / 2; k++) {}
    plumb_call_int(s.log[1], GET, k);
    for (unsigned i = 0; i < CHUNKS * LOG_CHUNK_RECORDS / 3; i++) get(&s, 0, k, s.holds[k]);
    watch_round(&s.w);
    assert_int_equal(watch_sample(&s.w), 2);
    plumb_ret_int(s.log[1], 77); /* never written: of no concern any more */
    watch_round(&s.w);
    assert_int_equal(watch_verdict(&s.w), VERDICT_LINEARIZABLE);
    end_run(&s);
}

static void keys_that_are_left_are_judged(void **unused) {
    (void)unused;
    store_run s;
    begin_run(&s, true);
    fall_behind(&s);
    const int64_t k = some_key(&s, true);
    put(&s, 0, k, 3);
    get(&s, 1, k, 4);
    watch_round(&s.w);
    assert_int_equal(watch_verdict(&s.w), VERDICT_VIOLATION);
    end_run(&s);
}

/* Another reader has made the sample smaller: what this one has read of the others is of no use. */
static void the_other_reader_goes_dark(void **unused) {
    (void)unused;
    store_run s;
    begin_run(&s, true);
    watch other;
    assert_true(watch_init(&other, &s.r->shared, &(checker_options){.max_lag = 1 << 20}));
    fall_behind(&s);
    const int64_t k = some_key(&s, false);
    put(&s, 0, k, 5000); /* not recorded */
    watch_round(&other);
    assert_int_equal(watch_verdict(&other), VERDICT_UNDECIDED);
    watch_free(&other);
    end_run(&s);
}

/* ---- going on ---- */

static void add_and_remove(plumb_log *l, int64_t from, bool wrong) {
    for (int64_t i = 0; i < 4; i++) {
        plumb_call_int(l, 0, from + i);
        plumb_ret_none(l);
    }
    for (int64_t i = 0; i < 4; i++) {
        plumb_call_none(l, 1);
        plumb_ret_int(l, wrong ? from + 3 - i : from + i);
    }
    plumb_call_none(l, 1);
    plumb_ret_empty(l);
}

typedef struct alarms {
    unsigned n;
    char first[200];
} alarms;

static void count_alarm(watch *w, void *context) {
    alarms *a = context;
    if (!a->n++) snprintf(a->first, sizeof a->first, "%s", watch_reason(w));
}

static void each_violation_is_told(void **unused) {
    (void)unused;
    static const char *const objects[] = {"queue", "stack"};
    for (unsigned k = 0; k < 2; k++) {
        plumb_record_options o = {.struct_size = sizeof o, .object = objects[k], .threads = 1};
        plumb_recorder *r = plumb_record_open(&o);
        plumb_log *l = plumb_record_join(r);
        watch w;
        alarms told = {0};
        assert_true(watch_init(&w, &r->shared, &(checker_options){.max_lag = 1 << 20}));
        w.go_on = true;
        w.found = count_alarm;
        w.context = &told;
        for (int64_t part = 0; part < 12; part++) {
            const bool swapped = part % 4 == 1; /* a queue that is wrong there is a stack, and the other way round */
            add_and_remove(l, 10 * part, swapped ? k == 0 : k == 1);
            for (unsigned i = 0; i < 5; i++) watch_round(&w);
            watch_settle(&w);
        }
        assert_int_equal(told.n, 3);
        assert_int_equal(w.violations, 3);
        assert_int_equal(watch_verdict(&w), VERDICT_VIOLATION);
        assert_non_null(strstr(watch_reason(&w), "the first of 3 violations"));
        assert_int_equal(strncmp(watch_reason(&w), told.first, strlen(told.first)), 0);
        watch_free(&w);
        plumb_record_leave(l);
        plumb_record_close(r);
    }
}

/* An object whose state an operation tells. */
static void counters_go_on_too(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "counter", .threads = 1};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_log *l = plumb_record_join(r);
    watch w;
    assert_true(watch_init(&w, &r->shared, &(checker_options){.max_lag = 1 << 20}));
    w.go_on = true;
    const int get_it = plumb_record_method(r, "get");
    for (int64_t part = 0; part < 4; part++) {
        for (unsigned i = 0; i < 10; i++) {
            plumb_call_none(l, get_it);
            plumb_ret_int(l, 7 * part); /* without an increment in between */
            watch_round(&w);
            watch_settle(&w);
        }
    }
    assert_int_equal(w.violations, 3);
    assert_int_equal(watch_verdict(&w), VERDICT_VIOLATION);
    watch_free(&w);
    plumb_record_leave(l);
    plumb_record_close(r);
}

static void adapting_is_for_keys(void **unused) {
    (void)unused;
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue", .threads = 1};
    plumb_recorder *r = plumb_record_open(&o);
    plumb_verify_options how = {.struct_size = sizeof how, .adapt = true};
    plumb_verifier *v = plumb_verify_start(r, &how);
    assert_int_equal(plumb_verify_stop(v), PLUMB_ERROR);
    assert_non_null(strstr(plumb_verify_reason(v), "adapt is for kv and set"));
    plumb_verify_free(v);
    plumb_record_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_keys_instead_of_the_dark),
        cmocka_unit_test(who_hears_late_makes_no_alarm),
        cmocka_unit_test(what_was_open_is_left),
        cmocka_unit_test(keys_that_are_left_are_judged),
        cmocka_unit_test(the_other_reader_goes_dark),
        cmocka_unit_test(each_violation_is_told),
        cmocka_unit_test(counters_go_on_too),
        cmocka_unit_test(adapting_is_for_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
