/* regular and safe against their definition: each read, with all writes and no other read, is linearizable by the
 * oracle; safe asks that only of reads that overlap no write. Offline by object/regular.c, online by the monitor. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "object/relax.h"
#include "support/engine_trial.h"
#include "support/feed.h"
#include "support/quasi_trial.h"

#include <string.h>

static bool reads(const bound *b, uint32_t op) { return !strcmp(b->h->method_name[b->h->method[op]], "read"); }

static bool overlaps_write(const bound *b, uint32_t op) {
    for (uint32_t w = 0; w < b->h->n; w++)
        if (!reads(b, w) && b->h->call[w] < b->h->ret[op] && b->h->call[op] < b->h->ret[w]) return true;
    return false;
}

static bool is_right(const bound *b, uint32_t op) {
    uint32_t chosen[RANDOM_MAX_OPERATIONS], n = 0;
    for (uint32_t i = 0; i < b->h->n; i++)
        if (i == op || !reads(b, i)) chosen[n++] = i;
    history *h = history_select(b->h, chosen, n, RANK_NEVER);
    bool right = oracle_linearizable(b->o, h, 0) == ORACLE_YES;
    history_free(h);
    return right;
}

/* The first return of a wrong read; RANK_NEVER: none is wrong. */
static uint32_t first_wrong(const bound *b, bool safe) {
    uint32_t first = RANK_NEVER;
    for (uint32_t op = 0; op < b->h->n; op++) {
        if (!reads(b, op) || b->h->ret[op] >= first || (safe && overlaps_write(b, op))) continue;
        if (!is_right(b, op)) first = b->h->ret[op];
    }
    return first;
}

static void differs(const bound *b, const char *what, unsigned long long said, unsigned long long expected) {
    text t = {0};
    history_text(b, &t);
    fail_msg("%s: %lld, expected %lld\n%s", what, (long long)said, (long long)expected, text_str(&t));
}

static void compare_monitor(const bound *b, const object *o, uint32_t expected) {
    error e = {0};
    feed f;
    monitor *m = monitor_new(o, NULL, &e);
    assert_non_null(m);
    feed_init(&f, b->h);
    while (feed_next(&f, m)) {}
    verdict v = monitor_settle(m);
    assert_int_not_equal(v, VERDICT_UNDECIDED);
    moment bad = v == VERDICT_VIOLATION ? monitor_bad_event(m) : RANK_NEVER;
    if (bad != expected) differs(b, "monitor", bad, expected);
    feed_free(&f);
    monitor_free(m);
}

/* The same history, bound under the criterion. */
static void compare_bound(const bound *b, const char *name, bool expected) {
    text t = {0};
    history_text(b, &t);
    bound again = make_relaxed_history("register", name, text_str(&t));
    bool holds = oracle_linearizable(again.o, again.h, 0) == ORACLE_YES;
    if (holds != expected) differs(b, "check", holds, expected);
    free_bound(&again);
    text_free(&t);
}

static void against_the_definition(criterion_kind kind, uint64_t seed) {
    random_source r = {seed};
    uint32_t n = trial_histories(20000), right = 0, strictly_right = 0;
    for (uint32_t i = 0; i < n; i++) {
        random_shape shape = random_shape_any(&r);
        if (shape.operations > 9) shape.operations = 9;
        shape.ties = 0; /* the text has no clients of operations that go on after a pending one */
        bound b = random_history(&r, "register", &shape);
        uint32_t expected = first_wrong(&b, kind == CRITERION_SAFE);
        right += expected == RANK_NEVER;
        strictly_right += oracle_linearizable(b.o, b.h, 0) == ORACLE_YES;
        object o = relaxed_object(&b, kind, 0, 0);
        compare_monitor(&b, &o, expected);
        compare_bound(&b, criterion_type_of(kind)->name, expected == RANK_NEVER);
        free_relaxed(&o);
        free_bound(&b);
    }
    assert_true(right > strictly_right && right < n);
}

static void regular_is_as_defined(void **unused) {
    (void)unused;
    against_the_definition(CRITERION_REGULAR, 2303);
}

static void safe_is_as_defined(void **unused) {
    (void)unused;
    against_the_definition(CRITERION_SAFE, 2304);
}

/* ---- relaxed containers: the monitor that guards use, event by event ---- */

static void relaxed_queue_is_as_checked(void **unused) {
    (void)unused;
    static const char *const criteria[] = {"enq=1,deq=1", "enq=0,deq=2", "enq=2,deq=0"};
    random_source r = {2305};
    uint32_t n = trial_histories(4000), wrong = 0;
    for (uint32_t i = 0; i < n; i++) {
        bound b = relaxed_history(&r, "queue", TAKE_OLDEST, 2 + random_below(&r, 7));
        criterion c = {.kind = CRITERION_QUASI, .asked = true};
        object o = *b.o;
        error e = {0};
        o.relaxed = NULL;
        strcpy(c.answers, criteria[i % 3]);
        assert_true(object_relax(&o, &c, &e));
        bound relaxed = {&o, b.h};
        moment bad;
        uint32_t expected = earliest_violation(&relaxed);
        verdict v = feed_all(&relaxed, &(monitor_options){.check_after = 1, .general = i % 2}, &bad);
        assert_int_not_equal(v, VERDICT_UNDECIDED);
        if ((v == VERDICT_VIOLATION ? bad : RANK_NEVER) != expected) differs(&b, c.answers, bad, expected);
        wrong += expected != RANK_NEVER;
        relax_free(&o);
        free_bound(&b);
    }
    assert_true(wrong > 0 && wrong < n);
}

/* A write that fails after its value was read: what was said of the read does not hold any more. */
static void a_write_that_failed(void **unused) {
    (void)unused;
    bound b = make_history("register", "0 write(1) [0,-]; 1 read() -> 1 [1,2]");
    object o = relaxed_object(&b, CRITERION_REGULAR, 0, 0);
    error e = {0};
    feed f;
    monitor *m = monitor_new(&o, NULL, &e);
    feed_init(&f, b.h);
    while (feed_next(&f, m)) {}
    assert_int_equal(monitor_settle(m), VERDICT_LINEARIZABLE);
    history_free(feed_failures(&f, m));
    assert_int_equal(monitor_settle(m), VERDICT_UNDECIDED);
    feed_free(&f);
    monitor_free(m);
    free_relaxed(&o);
    free_bound(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_is_as_defined),
        cmocka_unit_test(safe_is_as_defined),
        cmocka_unit_test(relaxed_queue_is_as_checked),
        cmocka_unit_test(a_write_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
