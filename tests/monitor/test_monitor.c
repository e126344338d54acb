/* Monitors against the oracle: the violation is reported at exactly the event after which the history so far is one,
 * and its pattern is a violation by itself. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "monitor/monitor_evidence.h"
#include "support/feed.h"
#include "support/random_history.h"

typedef struct tally {
    unsigned histories, violations, undecided, patterns;
} tally;

static void fail_with(const bound *b, const char *what, unsigned long long monitor_says, unsigned long long expected) {
    text t = {0};
    history_text(b, &t);
    fail_msg("%s: monitor %lld, expected %lld\n%s", what, (long long)monitor_says, (long long)expected, text_str(&t));
}

static bool pattern_holds(const bound *b, const monitor *m) {
    history *h = monitor_evidence(m);
    if (!h) return false;
    if (oracle_linearizable(b->o, h, 0) == ORACLE_YES) {
        bound part = {b->o, h};
        text t = {0};
        history_text(&part, &t);
        print_message("pattern:\n%s", text_str(&t));
        text_free(&t);
        fail_with(b, "the pattern is no violation", 0, 0);
    }
    history_free(h);
    return true;
}

static void compare(const bound *b, const monitor_options *options, tally *count) {
    error e = {0};
    monitor *m = monitor_new(b->o, options, &e);
    feed f;
    assert_non_null(m);
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {}
    monitor_settle(m);
    uint32_t expected = earliest_violation(b);
    count->histories++;
    if (monitor_verdict(m) == VERDICT_UNDECIDED) {
        count->undecided++;
    } else {
        moment bad = monitor_verdict(m) == VERDICT_VIOLATION ? monitor_bad_event(m) : RANK_NEVER;
        if (bad != expected) fail_with(b, b->o->name, bad, expected);
        if (bad != RANK_NEVER) {
            count->violations++;
            count->patterns += pattern_holds(b, m);
        }
    }
    feed_free(&f);
    monitor_free(m);
}

/* Operations without return are declared pending for ever at some moment: nothing changes but the numbers of events. */
static void compare_pending(const bound *b, random_source *r, tally *count) {
    error e = {0};
    monitor *m = monitor_new(b->o, &(monitor_options){.check_after = 1 + random_below(r, 4)}, &e);
    uint32_t rank_of[4 * RANDOM_MAX_OPERATIONS];
    feed f;
    feed_init(&f, b->h);
    feed_with_pending(&f, m, r, rank_of);
    uint32_t expected = earliest_violation(b);
    verdict v = monitor_settle(m);
    count->histories++;
    count->undecided += v == VERDICT_UNDECIDED;
    uint32_t bad = v == VERDICT_VIOLATION ? rank_of[monitor_bad_event(m)] : RANK_NEVER;
    if (v != VERDICT_UNDECIDED && bad != expected) fail_with(b, "with operations pending for ever", bad, expected);
    count->violations += v == VERDICT_VIOLATION;
    if (v == VERDICT_VIOLATION) count->patterns += pattern_holds(b, m);
    feed_free(&f);
    monitor_free(m);
}

/* An operation without return fails at the end: the history is the one without it. */
static void compare_failed(const bound *b, tally *count) {
    error e = {0};
    monitor *m = monitor_new(b->o, NULL, &e);
    feed f;
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {}
    bool good = monitor_settle(m) == VERDICT_LINEARIZABLE;
    history *without = feed_failures(&f, m);
    if (good) {
        bool violation = oracle_linearizable(b->o, without, 0) == ORACLE_NO;
        if (monitor_verdict(m) != (violation ? VERDICT_VIOLATION : VERDICT_LINEARIZABLE))
            fail_with(b, "after failures", monitor_verdict(m), violation);
        count->histories++;
        count->violations += violation;
    }
    history_free(without);
    feed_free(&f);
    monitor_free(m);
}

static void with_pending_and_failed(void **unused) {
    (void)unused;
    static const char *const names[] = {"queue", "multiset",     "register", "kv",        "set",
                                        "lock",  "semaphore(2)", "stack",    "pqueue-max"};
    unsigned histories = getenv("PLUMB_FEWER") ? 150 : 1500;
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
        random_source r = {k + 99};
        tally pending = {0}, failed = {0};
        for (unsigned i = 0; i < histories; i++) {
            random_shape shape = random_shape_any(&r);
            shape.values = 0;
            shape.pending = 0.3;
            bound b = random_history(&r, names[k], &shape);
            compare_pending(&b, &r, &pending);
            compare_failed(&b, &failed);
            free_bound(&b);
        }
        print_message("%-14s pending: %u violations in %u, %u undecided; failed: %u more in %u\n", names[k],
                      pending.violations, pending.histories, pending.undecided, failed.violations, failed.histories);
        assert_true(pending.violations && failed.violations);
        assert_int_equal(pending.undecided, 0);
    }
}

static void trial(const char *object_name, bool distinct, bool general, unsigned histories, uint32_t at_most) {
    const char *soak = getenv("PLUMB_SOAK");
    random_source r = {.s = histories + distinct + 7u * general};
    tally count = {0};
    monitor_options options = {.general = general};
    if (soak) histories = atoi(soak) > 1 ? (unsigned)atoi(soak) : 2000000;
    if (getenv("PLUMB_FEWER")) histories /= 10;
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = random_shape_any(&r);
        if (distinct) shape.values = 0;
        if (at_most) shape.operations = at_most;
        options.check_after = random_chance(&r, 0.3) ? 0 : 1 + random_below(&r, 6);
        bound b = random_history(&r, object_name, &shape);
        compare(&b, &options, &count);
        free_bound(&b);
    }
    print_message("%-22s%s: %u histories, %u violations, %u with a pattern, %u undecided\n", object_name,
                  general ? " (frontier)" : "", count.histories, count.violations, count.patterns, count.undecided);
    assert_true(count.violations > histories / 50);
    assert_true(count.undecided <= histories / 500); /* many pending operations have many ways to stand */
}

static void with_distinct_values(void **unused) {
    (void)unused;
    static const char *const names[] = {"queue", "multiset", "register",   "swmr-register",
                                        "kv",    "stack",    "pqueue-max", "pqueue-min"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) trial(names[i], true, false, 6000, 0);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) trial(names[i], true, false, 1500, 13);
}

static void with_any_values(void **unused) {
    (void)unused;
    static const char *const names[] = {"queue",        "multiset",       "register",     "swmr-register",  "kv",
                                        "set",          "lock",           "semaphore(2)", "semaphore(2,1)", "stack",
                                        "pqueue-max",   "pqueue-min",     "cas-register", "counter",        "fetch-add",
                                        "max-register", "rwlock",         "deque",        "consensus",      "snapshot",
                                        "queue(2)",     "pqueue-max-fifo"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) trial(names[i], false, false, 2000, 0);
}

static void by_the_frontier(void **unused) {
    (void)unused;
    static const char *const names[] = {"queue", "multiset", "register", "kv", "stack", "pqueue-max"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) trial(names[i], true, true, 1000, 0);
}

TEST_MAIN(TEST(with_distinct_values), TEST(with_any_values), TEST(by_the_frontier), TEST(with_pending_and_failed))
