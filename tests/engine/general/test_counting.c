/* COUNTING(k): what it calls a violation is one; more intervals find more; online and offline forms are the same; and
 * what forgets nothing is exact. */
#include "support/cmocka.h"

#include "engine/general/weaken.h"
#include "evidence/oracle.h"
#include "support/engine_trial.h"

#include <stdio.h>

enum { HIGHEST_K = 5 };

static verdict decide_counting(const bound *b, int64_t k, int64_t at_returns) {
    const int64_t setting[ENGINE_SETTINGS] = {k, at_returns};
    return decide_whole(b, "counting", setting);
}

/* Every violation at k is one at k + 1, and one at every return if at the end; the largest k forgets nothing. */
static void sound_and_monotone(const char *object_name, unsigned histories) {
    random_source r = {histories};
    unsigned found[HIGHEST_K + 1] = {0}, violations = 0;
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = shape_small(&r);
        shape.keys = 1;
        bound b = random_history(&r, object_name, &shape);
        bool linearizable = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES, before = false;
        violations += !linearizable;
        for (int64_t k = 0; k <= HIGHEST_K; k++) {
            verdict end = decide_counting(&b, k, 0), every = decide_counting(&b, k, 1);
            assert_false(linearizable && (end == VERDICT_VIOLATION || every == VERDICT_VIOLATION));
            assert_false(!linearizable && (end == VERDICT_LINEARIZABLE || every == VERDICT_LINEARIZABLE));
            assert_false(before && end != VERDICT_VIOLATION);
            assert_false(end == VERDICT_VIOLATION && every != VERDICT_VIOLATION);
            before = end == VERDICT_VIOLATION;
            found[k] += before;
        }
        assert_int_equal(decide_counting(&b, 1000, 0), linearizable ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION);
        free_bound(&b);
    }
    print_message("%s: %u violations, found with k = 0..5: %u %u %u %u %u %u\n", object_name, violations, found[0],
                  found[1], found[2], found[3], found[4], found[5]);
    assert_true(found[0] < found[2] && found[2] <= found[5]);
}

static void never_wrong(void **unused) {
    (void)unused;
    unsigned histories = getenv("PLUMB_SOAK") ? 30000 : getenv("PLUMB_FEWER") ? 100 : 800;
    static const char *const name[] = {"queue", "stack", "register", "set", "lock", "counter"};
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) sound_and_monotone(name[i], histories);
}

static void same_levels(const levels *a, const levels *b) {
    assert_int_equal(a->called, b->called);
    assert_int_equal(a->top, b->top);
    for (uint32_t i = 0; i < a->called; i++) {
        assert_int_equal(a->first[i], b->first[i]);
        assert_int_equal(a->last[i], b->last[i]);
    }
}

/* After every event the sliding levels are the levels of A_k of the history cut there. */
static void online_is_offline(void **unused) {
    (void)unused;
    random_source r = {17};
    unsigned compared = 0;
    unsigned histories = getenv("PLUMB_SOAK") ? 100000 : 3000;
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = shape_small(&r);
        bound b = random_history(&r, "queue", &shape);
        uint32_t op[RANDOM_MAX_OPERATIONS], count, k = random_below(&r, 6);
        for (uint32_t o = 0; o < b.h->n; o++) op[o] = o;
        problem p = {.h = b.h, .o = b.o, .op = op, .n = b.h->n};
        uint32_t *event = part_events(&p, &count);
        levels online;
        levels_init(&online, b.h->n, k);
        for (uint32_t e = 0; e < count; e++) {
            if (event[e] & 1) levels_return(&online, event[e] / 2);
            else levels_call(&online);
            uint32_t last = event[e] & 1 ? b.h->ret[event[e] / 2] : b.h->call[event[e] / 2];
            history *so_far = history_select(b.h, op, b.h->n, last);
            problem part = {.h = so_far, .o = b.o, .op = op, .n = so_far->n};
            levels offline;
            levels_of_part(&offline, &part, k);
            same_levels(&online, &offline);
            levels_free(&offline);
            history_free(so_far);
            compared++;
        }
        levels_free(&online);
        free(event);
        free_bound(&b);
    }
    assert_true(compared > 20000);
}

static void by_hand(void **unused) {
    (void)unused;
    /* Four levels: enq(1), enq(2), deq, deq one after the other, the wrong way round. */
    bound b = make_history("queue", "enq(1) [0,1]; enq(2) [2,3]; deq() -> 2 [4,5]; deq() -> 1 [6,7]");
    assert_int_equal(decide_counting(&b, 3, 0), VERDICT_VIOLATION);
    assert_int_equal(decide_counting(&b, 2, 0), VERDICT_UNDECIDED); /* the order of the enqueues is forgotten */
    assert_int_equal(decide_counting(&b, 2, 1), VERDICT_VIOLATION); /* it was not when 2 came out */
    free_bound(&b);
}

static void settings_are_parsed(void **unused) {
    (void)unused;
    const engine *g;
    int64_t setting[ENGINE_SETTINGS];
    error e = {0};
    assert_true(engine_parse("counting(k=7,at=returns)", &g, setting, &e));
    assert_int_equal(setting[0], 7);
    assert_int_equal(setting[1], 1);
    assert_true(engine_parse("counting(2)", &g, setting, &e));
    assert_int_equal(setting[0], 2);
    assert_int_equal(setting[1], 0);
    static const char *const wrong[] = {"counting(k=-1)",    "counting(k=x)", "counting(at=noon)", "counting(j=1)",
                                        "counting(1,end,2)", "counting(k=1",  "frontier(1)",       "count"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        e = (error){0};
        assert_false(engine_parse(wrong[i], &g, setting, &e));
        assert_int_equal(e.code, EXIT_USAGE);
    }
}

TEST_MAIN(TEST(never_wrong), TEST(online_is_offline), TEST(by_hand), TEST(settings_are_parsed))
