/* Every shipped theory, decided in every way there is, against the oracle: near-linear engines, search, the symbolic
 * engine folded, grounded and at every return, enumeration, saturation, counting. Pending operations, ties and repeated
 * values included. PLUMB_SOAK=1: 100,000 histories of each, PLUMB_SOAK=N: N; PLUMB_OBJECT=NAME: that row alone. */
#include "support/cmocka.h"

#include "engine/symbolic/cnf.h"
#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "support/containers.h"

#include <stdio.h>
#include <string.h>

typedef struct way {
    const char *title, *engine; /* NULL: what is chosen */
    int64_t setting[ENGINE_SETTINGS];
    bool may_be_undecided;
} way;

static const way ways[] = {
    {"chosen", NULL, {0}, false},
    {"search", "search", {0}, false},
    {"symbolic", "symbolic", {0, 0, 0}, false},
    {"grounded", "symbolic", {2, 0, 0}, true},
    {"returns", "symbolic", {0, 1, 0}, false},
    {"enumerate", "enumerate", {0}, false},
    {"saturate", "saturate", {0, 2048, 0}, true},
    {"counting", "counting", {2, 0, 0}, true},
};
enum { CHOSEN, SEARCH, SYMBOLIC, GROUNDED, RETURNS, ENUMERATE, WAYS = sizeof ways / sizeof *ways };
enum { MOST_OPERATIONS = 7, SOAK = 100000, SLICE = 300, SLICE_SANITIZED = 40, SHOWN = 3 };

typedef struct row {
    const char *title, *object;
    kept_results kept;
    bool adds_and_removes_only; /* pool */
    uint32_t at_least;          /* per cent that the theory itself, grounded, decides */
} row;

/* The two set theories want all results or none; where some are missing there is the folded encoding. */
static const row rows[] = {
    {"queue", "queue", KEPT_SOME, false, 100},
    {"stack", "stack", KEPT_SOME, false, 100},
    {"pool", "multiset", KEPT_SOME, true, 100},
    {"multiset", "multiset", KEPT_SOME, false, 100},
    {"pqueue-max", "pqueue-max", KEPT_SOME, false, 100},
    {"pqueue-min", "pqueue-min", KEPT_SOME, false, 100},
    {"register", "register", KEPT_SOME, false, 100},
    {"swmr-register", "swmr-register", KEPT_SOME, false, 100},
    {"set", "set", KEPT_NONE, false, 100},
    {"bset", "set", KEPT_ALL, false, 100},
    {"set, mixed", "set", KEPT_SOME, false, 10},
    {"lock", "lock", KEPT_SOME, false, 100},
    {"semaphore", "semaphore(2)", KEPT_SOME, false, 100},
    {"bounded", "semaphore(2, bounded=1)", KEPT_SOME, false, 100},
    {"exchanger", "exchanger", KEPT_SOME, false, 100},
};

typedef struct tally {
    uint32_t histories, violations, pending, decided[WAYS], near_linear, mismatches;
} tally;

static void wrong(const bound *b, const way *w, const char *what, const char *why, tally *t) {
    if (t->mismatches++ >= SHOWN) return;
    text shown = {0};
    history_text(b, &shown);
    print_error("%s, %s: %s %s\n%s\n", b->o->name, w->title, what, why, text_str(&shown));
    text_free(&shown);
}

static void try_way(const bound *b, const way *w, bool linearizable, tally *t) {
    budget spend;
    decision d;
    budget_init(&spend, 0, 0);
    decide(b->h, b->o,
           &(decide_options){.engine = w->engine ? engine_find(w->engine) : NULL,
                             .setting = w->engine ? w->setting : NULL},
           &spend, NULL, &d);
    if (d.verdict == VERDICT_VIOLATION && linearizable) wrong(b, w, "a violation where there is none", "", t);
    if (d.verdict == VERDICT_LINEARIZABLE && !linearizable) wrong(b, w, "a violation called linearizable", "", t);
    if (d.verdict == VERDICT_UNDECIDED && !w->may_be_undecided) wrong(b, w, "undecided:", d.why, t);
    t->decided[w - ways] += d.verdict != VERDICT_UNDECIDED;
    if (!w->engine && d.engine) t->near_linear += d.engine->cost == COST_NEAR_LINEAR;
    decision_free(&d);
}

static bound make(random_source *r, const row *x, uint32_t i) {
    uint32_t operations = 2 + random_below(r, MOST_OPERATIONS - 1);
    if (x->adds_and_removes_only) {
        container_shape shape = container_shape_any(r, TAKE_ANY, operations);
        return container_history(r, x->object, &shape);
    }
    random_shape shape = i % 2 ? shape_distinct(r) : shape_small(r);
    shape.operations = operations;
    shape.kept = x->kept;
    return random_history(r, x->object, &shape);
}

static void one_history(random_source *r, const row *x, uint32_t i, tally *t) {
    bound b = make(r, x, i);
    bool linearizable = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES, pending = false;
    for (uint32_t k = 0; k < b.h->n; k++) pending |= history_pending(b.h, k);
    t->histories++;
    t->violations += !linearizable;
    t->pending += pending;
    for (unsigned w = 0; w < WAYS; w++)
        if (cnf_available() || !ways[w].engine || strcmp(ways[w].engine, "symbolic") != 0)
            try_way(&b, &ways[w], linearizable, t);
    free_bound(&b);
}

static uint32_t histories_wanted(void) {
    const char *soak = getenv("PLUMB_SOAK");
    if (!soak || !*soak) return getenv("PLUMB_FEWER") ? SLICE_SANITIZED : SLICE;
    return strtoul(soak, NULL, 10) > 1 ? (uint32_t)strtoul(soak, NULL, 10) : SOAK;
}

static void print_row(const row *x, const tally *t) {
    print_message("%-14s %9u %10u %8u", x->title, t->histories, t->violations, t->pending);
    for (unsigned w = 0; w < WAYS; w++) print_message(" %9u", t->decided[w]);
    print_message(" %11u %10u\n", t->near_linear, t->mismatches);
}

static void all_ways(void **unused) {
    (void)unused;
    const char *only = getenv("PLUMB_OBJECT");
    uint32_t mismatches = 0;
    print_message("%-14s %9s %10s %8s", "theory", "histories", "violations", "pending");
    for (unsigned w = 0; w < WAYS; w++) print_message(" %9s", ways[w].title);
    print_message(" %11s %10s\n", "near-linear", "mismatches");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        random_source r = {1000 + i};
        tally t = {0};
        if (only && strcmp(only, rows[i].title) != 0) continue;
        for (uint32_t k = 0, n = histories_wanted(); k < n; k++) one_history(&r, &rows[i], k, &t);
        print_row(&rows[i], &t);
        mismatches += t.mismatches;
        assert_true(t.violations > t.histories / 20 && t.violations < t.histories);
        if (cnf_available())
            assert_true((uint64_t)t.decided[GROUNDED] * 100 >= (uint64_t)t.histories * rows[i].at_least);
    }
    assert_int_equal(mismatches, 0);
}

TEST_MAIN(TEST(all_ways))
