/* Engines that take turns: the one that decides ends the contest, none is started twice, and no more run at a time than
 * may. */
#include "support/cmocka.h"

#include "engine/contest.h"

#include <stdatomic.h>

static _Atomic unsigned begun[3], runs_now, most_at_once;
static _Atomic uint64_t work_until_decided;

/* Looks at its budget like an engine does; true: it may go on. Between two looks it is alone, or one of `at_once`. */
static bool work(const problem *p) {
    unsigned now = atomic_fetch_add(&runs_now, 1) + 1, most = atomic_load(&most_at_once);
    while (now > most && !atomic_compare_exchange_weak(&most_at_once, &most, now)) {}
    for (volatile int i = 0; i < 20000; i++) {}
    atomic_fetch_sub(&runs_now, 1);
    return !budget_check_clock(p->budget);
}

static void endless(const problem *p, outcome *out) {
    atomic_fetch_add(&begun[0], 1);
    while (work(p)) {}
    out->stopped = budget_why(p->budget);
    out->prefix.n = 7;
}

static void slow(const problem *p, outcome *out) {
    atomic_fetch_add(&begun[1], 1);
    for (uint64_t i = 0; i < atomic_load(&work_until_decided); i++)
        if (!work(p)) return;
    out->verdict = VERDICT_VIOLATION;
}

static void gives_up(const problem *p, outcome *out) {
    (void)p;
    (void)out;
    atomic_fetch_add(&begun[2], 1);
}

static const engine engine_endless = {.name = "endless", .decide = endless},
                    engine_slow = {.name = "slow", .decide = slow},
                    engine_gives_up = {.name = "gives-up", .decide = gives_up};

static contest_result contest_of(const engine *const *g, unsigned n, unsigned at_once, double seconds,
                                 uint64_t needed) {
    contest_result r;
    budget b;
    problem p = {.budget = &b};
    for (unsigned i = 0; i < 3; i++) atomic_store(&begun[i], 0);
    atomic_store(&most_at_once, 0);
    atomic_store(&work_until_decided, needed);
    budget_init(&b, seconds, 0);
    contest_run(g, n, at_once, &p, &r);
    return r;
}

static void the_one_that_decides_ends_it(void **unused) {
    (void)unused;
    const engine *const g[] = {&engine_endless, &engine_gives_up, &engine_slow};
    for (unsigned at_once = 1; at_once <= 3; at_once++) {
        contest_result r = contest_of(g, 3, at_once, 0, 3000);
        assert_ptr_equal(r.engine, &engine_slow);
        assert_int_equal(r.out[2].verdict, VERDICT_VIOLATION);
        assert_int_equal(r.out[0].verdict, VERDICT_UNDECIDED);
        for (unsigned i = 0; i < 3; i++) assert_int_equal(begun[i], 1); /* many turns, one start */
        assert_true(atomic_load(&most_at_once) <= at_once);
    }
}

/* What is decided within a turn starts no other engine. */
static void the_first_may_be_enough(void **unused) {
    (void)unused;
    const engine *const g[] = {&engine_slow, &engine_endless};
    contest_result r = contest_of(g, 2, 1, 0, 1);
    assert_ptr_equal(r.engine, &engine_slow);
    assert_int_equal(begun[0], 0);
}

static void time_ends_all_of_them(void **unused) {
    (void)unused;
    const engine *const g[] = {&engine_slow, &engine_endless};
    contest_result r = contest_of(g, 2, 1, 0.1, UINT64_MAX);
    assert_int_equal(r.out[r.best].verdict, VERDICT_UNDECIDED);
    assert_ptr_equal(r.engine, &engine_endless); /* it came further */
    assert_int_equal(r.out[1].stopped, STOP_TIME);
}

TEST_MAIN(TEST(the_one_that_decides_ends_it), TEST(the_first_may_be_enough), TEST(time_ends_all_of_them))
