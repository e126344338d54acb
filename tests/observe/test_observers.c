/* Observers against the oracle on random small histories: what they call bad is a violation; what the exact ones call
 * good is linearizable; A_k is monotone in k and lies between the two forms of the engine that forgets the same
 * order. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "observe/observer.h"
#include "support/engine_trial.h"

#include <stdlib.h>
#include <string.h>

enum { HIGHEST_K = 4, HISTORIES = 12000, SOAK = 500000 };

typedef struct tally {
    uint32_t histories, violations, undecided, silent, by_count[HIGHEST_K + 1];
} tally;

static void wrong(const bound *b, const char *kind, const char *what) {
    text shown = {0};
    history_text(b, &shown);
    print_error("%s on %s: %s\n%s\n", kind, b->o->name, what, text_str(&shown));
    text_free(&shown);
    fail();
}

static observer_verdict verdict_of(const bound *b, const char *kind, unsigned k) {
    observed x;
    text why = {0};
    assert_true(observed_from_history(&x, b->o, b->h));
    observer *m = observer_open(observer_kind_find(kind), b->o, k, &why);
    assert_non_null(m);
    observer_verdict v = observer_run(m, &x, NULL, &why);
    if (v == OBSERVER_UNDECIDED) assert_true(why.size);
    observer_close(m);
    text_free(&why);
    return v;
}

static void check_exact(const bound *b, bool linearizable, tally *t) {
    if (verdict_of(b, "all", 0) != (linearizable ? OBSERVER_GOOD : OBSERVER_BAD))
        wrong(b, "all", "not as the oracle says");
    observer_verdict v = verdict_of(b, "pattern", 0);
    if (v == OBSERVER_BAD && linearizable) wrong(b, "pattern", "bad, and linearizable");
    if (v == OBSERVER_GOOD && !linearizable) wrong(b, "pattern", "good, and not linearizable");
    if (v == OBSERVER_SILENT && !b->h->pending && b->h->n <= 4) wrong(b, "pattern", "silent, and nothing is pending");
    t->undecided += v == OBSERVER_UNDECIDED;
    t->silent += v == OBSERVER_SILENT;
}

/* Returns whether it was bad. */
static bool check_count(const bound *b, bool linearizable, unsigned k, bool before) {
    observer_verdict v = verdict_of(b, "count", k);
    if (v == OBSERVER_UNDECIDED) return false;
    bool bad = v == OBSERVER_BAD;
    if (bad && linearizable) wrong(b, "count", "bad, and linearizable");
    if (before && !bad) wrong(b, "count", "bad with fewer intervals only");
    if (b->h->pending) return bad;
    int64_t at_end[ENGINE_SETTINGS] = {k, 0}, at_returns[ENGINE_SETTINGS] = {k, 1};
    if (!bad && decide_whole(b, "counting", at_end) == VERDICT_VIOLATION)
        wrong(b, "count", "the engine sees it at the end");
    bool knows_results = !strcmp(b->o->type->name, "set"); /* of what is running: more than the history so far says */
    if (bad && !knows_results && decide_whole(b, "counting", at_returns) != VERDICT_VIOLATION)
        wrong(b, "count", "the engine does not see it at any return");
    return bad;
}

enum { SET_ADD = 0, ELEMENTS = 64 };

/* There is no pattern for a trylock that fails, for an element that is added twice, for results that were not kept:
 * such histories without them. */
static history *without_others(const history *h, bool is_set) {
    uint32_t op[RANDOM_MAX_OPERATIONS * 2], n = 0, adds = 0;
    value added[ELEMENTS];
    for (uint32_t i = 0; i < h->n; i++) {
        operation v;
        history_operation(h, i, &v);
        bool keep = is_set ? v.res != VALUE_NONE : v.res != VALUE_FALSE,
             may_add = is_set && v.method == SET_ADD && v.res != VALUE_FALSE;
        for (uint32_t k = 0; may_add && k < adds; k++) keep &= added[k] != v.arg[0];
        if (may_add && keep) added[adds++] = v.arg[0];
        if (keep) op[n++] = i;
    }
    return history_select(h, op, n, RANK_NEVER);
}

/* PLUMB_SOAK=1: many; a larger number: so many. */
static uint32_t histories_wanted(void) {
    const char *soak = getenv("PLUMB_SOAK");
    if (soak) return atoi(soak) > 1 ? (uint32_t)atoi(soak) : SOAK;
    return getenv("PLUMB_FEWER") ? HISTORIES / 10 : HISTORIES;
}

static void trial(const char *object_name, uint64_t seed) {
    random_source r = {seed};
    tally t = {.histories = histories_wanted()};
    for (uint32_t i = 0; i < t.histories; i++) {
        bool is_lock = !strcmp(object_name, "lock"), is_set = !strcmp(object_name, "set");
        random_shape shape = is_set ? shape_small(&r) : shape_distinct(&r);
        shape.operations = 2 + random_below(&r, 10);
        if (i % 4) shape.pending = 0;
        if (is_lock) shape.ties = 0;
        bound made = random_history(&r, object_name, &shape), b = made;
        if (is_lock || is_set) b.h = without_others(made.h, is_set);
        bool linearizable = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES, bad = false;
        t.violations += !linearizable;
        check_exact(&b, linearizable, &t);
        for (unsigned k = 0; k <= HIGHEST_K && i % 16 == 0; k++)
            t.by_count[k] += bad = check_count(&b, linearizable, k, bad);
        if (is_lock || is_set) history_free(b.h);
        free_bound(&made);
    }
    print_message(
        "%s: %u histories, %u violations; pattern undecided %u, silent %u; a sixteenth: A_0..A_4 saw %u %u %u %u %u\n",
        object_name, t.histories, t.violations, t.undecided, t.silent, t.by_count[0], t.by_count[1], t.by_count[2],
        t.by_count[3], t.by_count[4]);
    assert_true(t.violations > t.histories / 10 && t.violations < t.histories - t.histories / 10);
    assert_true(t.undecided == 0 && t.silent < t.histories / 8 && t.by_count[0] <= t.by_count[2] &&
                t.by_count[2] <= t.by_count[4]);
}

static void queue(void **unused) {
    (void)unused;
    trial("queue", 1);
}
static void stack(void **unused) {
    (void)unused;
    trial("stack", 2);
}
static void registers(void **unused) {
    (void)unused;
    trial("register", 3);
}
static void lock(void **unused) {
    (void)unused;
    trial("lock", 4);
}

static void set(void **unused) {
    (void)unused;
    trial("set", 6);
}

/* Kinds that fit any object agree on those with independent parts as well. */
static void parts(void **unused) {
    (void)unused;
    random_source r = {5};
    static const char *const name[] = {"set", "kv", "counter"};
    for (unsigned i = 0; i < 3000; i++) {
        random_shape shape = shape_small(&r);
        bound b = random_history(&r, name[i % 3], &shape);
        bool linearizable = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES;
        if (verdict_of(&b, "all", 0) != (linearizable ? OBSERVER_GOOD : OBSERVER_BAD))
            wrong(&b, "all", "not as the oracle says");
        free_bound(&b);
    }
}

static void names(void **unused) {
    (void)unused;
    const observer_kind *kind;
    unsigned k;
    error e = {0};
    assert_true(observer_parse("count,k=3", &kind, &k, &e) && !strcmp(kind->name, "count") && k == 3);
    assert_true(observer_parse("pattern", &kind, &k, &e) && !strcmp(kind->name, "pattern"));
    assert_false(observer_parse("pattern,k=3", &kind, &k, &e));
    assert_false(observer_parse("count,k=5", &kind, &k, &e));
    assert_false(observer_parse("count,k=", &kind, &k, &e));
    assert_false(observer_parse("counts", &kind, &k, &e));
    assert_int_equal(e.code, EXIT_USAGE);
    text why = {0};
    object *o = object_open("counter", NULL, &(error){0});
    assert_null(observer_open(observer_kind_find("pattern"), o, 0, &why));
    assert_true(why.size);
    text_free(&why);
    object_close(o);
}

TEST_MAIN(TEST(names), TEST(queue), TEST(stack), TEST(registers), TEST(lock), TEST(set), TEST(parts))
