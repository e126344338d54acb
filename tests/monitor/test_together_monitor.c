/* The monitor of operations that take effect together against the oracle: the violation is reported at exactly the
 * event after which the history so far is one, also when operations are pending for ever, fail, or the monitor is kept
 * and taken up again. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "monitor/checkpoint.h"
#include "monitor/monitor_evidence.h"
#include "monitor/store.h"
#include "support/engine_trial.h"
#include "support/feed.h"
#include "support/random_history.h"
#include "support/together_trial.h"

enum { HISTORIES = 1500, MOST = 8 };

static void fail_with(const bound *b, const char *what, unsigned long long said, unsigned long long expected) {
    text t = {0};
    history_text(b, &t);
    fail_msg("%s, criterion %d, %s: monitor %lld, expected %lld\n%s", b->o->name, (int)b->o->criterion.kind, what,
             (long long)said, (long long)expected, text_str(&t));
}

static void pattern_must_hold(const bound *b, const monitor *m) {
    history *h = monitor_evidence(m);
    if (h && oracle_linearizable(b->o, h, 0) != ORACLE_NO) fail_with(b, "the pattern is no violation", 0, 0);
    history_free(h);
}

/* Everything the monitor knows goes through bytes into another one, which takes over. Its table of values is new: only
 * for objects that have numbers and nothing else, so that values mean the same in both. */
static monitor *replace(const bound *b, object *o, monitor *m, feed *f) {
    error e = {0};
    text frozen = {0};
    *o = *b->o;
    o->values = values_new();
    monitor *other = monitor_new(o, NULL, &e);
    assert_non_null(other);
    monitor_freeze(m, &frozen);
    assert_true(monitor_thaw(other, &frozen));
    for (uint32_t i = 0; i < b->h->n; i++)
        if (f->open[i]) f->open[i] = monitor_find_open(other, open_operation_view(f->open[i])->number);
    text_free(&frozen);
    monitor_free(m);
    return other;
}

static bool returned_by(const history *h, uint32_t i, uint32_t rank) { return h->ret[i] < rank; }

/* Events in order; `declares`: pending operations are declared so at some moment; `replaces`: another monitor takes
 * over. */
static bool watch(const bound *b, random_source *r, bool declares, bool replaces) {
    error e = {0};
    monitor *m = monitor_new(b->o, NULL, &e);
    uint32_t rank_of[4 * MOST], events = 0;
    object second = {.values = NULL};
    feed f;
    assert_non_null(m);
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {
        rank_of[events++] = f.next - 1;
        for (uint32_t i = 0; i < b->h->n && declares; i++) {
            if (!history_pending(b->h, i) || !f.open[i] || monitor_verdict(m) != VERDICT_LINEARIZABLE ||
                random_chance(r, 0.6))
                continue;
            rank_of[events++] = f.next - 1;
            monitor_info(m, f.open[i]);
            f.open[i] = NULL;
        }
        for (uint32_t i = 0; i < b->h->n; i++)
            if (returned_by(b->h, i, f.next)) f.open[i] = NULL;
        if (replaces && !second.values && monitor_verdict(m) == VERDICT_LINEARIZABLE && random_chance(r, 0.3))
            m = replace(b, &second, m, &f);
    }
    uint32_t expected = earliest_violation(b);
    verdict v = monitor_settle(m);
    assert_int_not_equal(v, VERDICT_UNDECIDED);
    uint32_t bad = v == VERDICT_VIOLATION ? rank_of[monitor_bad_event(m)] : RANK_NEVER;
    if (bad != expected)
        fail_with(b,
                  declares   ? "with operations pending for ever"
                  : replaces ? "taken up again"
                             : "event by event",
                  bad, expected);
    if (v == VERDICT_VIOLATION && !second.values) pattern_must_hold(b, m);
    feed_free(&f);
    monitor_free(m);
    if (second.values) values_free(second.values);
    return v == VERDICT_VIOLATION;
}

/* Operations without return fail at the end: the history is the one without them. */
static void watch_failed(const bound *b) {
    error e = {0};
    monitor *m = monitor_new(b->o, NULL, &e);
    feed f;
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {}
    bool good = monitor_verdict(m) == VERDICT_LINEARIZABLE;
    history *without = feed_failures(&f, m);
    verdict expected = oracle_linearizable(b->o, without, 0) == ORACLE_NO ? VERDICT_VIOLATION : VERDICT_LINEARIZABLE;
    if (good && monitor_verdict(m) != expected) fail_with(b, "after failures", monitor_verdict(m), expected);
    history_free(without);
    feed_free(&f);
    monitor_free(m);
}

static void against_the_oracle(void **unused) {
    (void)unused;
    for (unsigned k = 0; together_objects[k]; k++) {
        unsigned violations = 0, all = trial_histories(HISTORIES);
        /* what an open operation returns is not known: names and views can be many */
        bool many = !strncmp(together_objects[k], "renaming", 8) || !strncmp(together_objects[k], "write-snapshot", 14);
        for (uint32_t i = 0; i < all; i++) {
            random_source r = {.s = 1000003ull * k + i};
            bound b =
                together_history(&r, together_objects[k], i % 2 ? CRITERION_SET : CRITERION_INTERVAL, many ? 4 : 6);
            violations += watch(&b, &r, false, false);
            watch(&b, &r, true, false);
            if (!strstr(together_objects[k], "snapshot")) watch(&b, &r, false, true);
            watch_failed(&b);
            free_bound(&b);
        }
        print_message("%-20s %u violations in %u histories\n", together_objects[k], violations, all);
        assert_in_range(violations, all / 20, all * 3 / 4);
    }
}

/* No caller waits for ever for a verdict: more ways than allowed are undecided. */
static void too_many_ways_are_undecided(void **unused) {
    (void)unused;
    bound b = make_history("write-snapshot",
                           "write_snapshot(0, 1) -> [1 2 3 4] [0,9]; write_snapshot(1, 2) -> [1 2 3 4] [1,10]; "
                           "write_snapshot(2, 3) -> [1 2 3 4] [2,11]; write_snapshot(3, 4) -> [1 2 3 4] [3,12]");
    moment bad;
    assert_int_equal(feed_all(&b, &(monitor_options){.max_ways = 3}, &bad), VERDICT_UNDECIDED);
    assert_int_equal(feed_all(&b, NULL, &bad), VERDICT_LINEARIZABLE);
    free_bound(&b);
}

/* The exchanger as it is: two that meet, event by event. */
static void an_exchanger_can_be_watched(void **unused) {
    (void)unused;
    moment bad;
    bound right =
        make_history("exchanger", "exchange(1) -> 2 [0,2]; exchange(2) -> 1 [1,3]; exchange(3) -> false [4,5]");
    bound wrong = make_history("exchanger", "exchange(1) -> 2 [0,1]; exchange(2) -> 1 [2,3]");
    assert_int_equal(feed_all(&right, NULL, &bad), VERDICT_LINEARIZABLE);
    assert_int_equal(feed_all(&wrong, NULL, &bad), VERDICT_VIOLATION);
    assert_int_equal(bad, 1);
    free_bound(&right);
    free_bound(&wrong);
}

TEST_MAIN(TEST(against_the_oracle), TEST(too_many_ways_are_undecided), TEST(an_exchanger_can_be_watched))
