/* Objects as theories and as code, decided in every way there is: the folded and the grounded symbolic engine, enumeration,
 * search, whatever is chosen by itself, saturation and counting, all against the oracle. Pending operations included. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "engine/portfolio.h"
#include "support/engine_trial.h"

#include <stdio.h>
#include <string.h>

typedef struct way {
    const char *engine;      /* NULL: what is chosen */
    int64_t setting[ENGINE_SETTINGS];
    uint32_t most;           /* operations: larger histories take too long */
    uint32_t every;          /* one history in so many */
    bool may_be_undecided;   /* even if it accepts */
} way;

static const way ways[] = {
    {NULL, {0}, 9, 1, false},
    {"search", {0}, 9, 1, false},
    {"symbolic", {0, 0, 0}, 9, 1, true},
    {"symbolic", {2, 0, 0}, 7, 4, true},
    {"symbolic", {0, 1, 0}, 9, 4, true},
    {"enumerate", {0}, 6, 2, false},
    {"saturate", {0, 2048, 0}, 9, 1, true},
    {"saturate", {1, 2048, 0}, 9, 2, true},
    {"counting", {2, 0, 0}, 9, 4, true},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void wrong(const bound *b, const way *w, const char *what) {
    text shown = {0};
    history_text(b, &shown);
    print_error("%s, %s: %s\n%s\n", b->o->name, w->engine ? w->engine : "chosen", what, text_str(&shown));
    text_free(&shown);
    fail();
}

static void try_way(const bound *b, const way *w, bool linearizable, uint32_t decided[WAYS]) {
    budget spend;
    decision d;
    budget_init(&spend, 0, 0);
    decide(b->h, b->o, &(decide_options){.engine = w->engine ? engine_find(w->engine) : NULL, .setting = w->engine ? w->setting : NULL}, &spend, NULL, &d);
    if (d.verdict == VERDICT_VIOLATION && linearizable) wrong(b, w, "a violation where there is none");
    if (d.verdict == VERDICT_LINEARIZABLE && !linearizable) wrong(b, w, "a violation called linearizable");
    if (d.verdict == VERDICT_UNDECIDED && !w->may_be_undecided) wrong(b, w, "undecided");
    decided[w - ways] += d.verdict != VERDICT_UNDECIDED;
    decision_free(&d);
}

static void object_in_all_ways(const char *name, uint64_t seed) {
    random_source r = {seed};
    uint32_t histories = getenv("PLUMB_SOAK") ? 100000 : getenv("PLUMB_SANITIZED") ? 60 : 500, violations = 0, decided[WAYS] = {0};
    for (uint32_t i = 0; i < histories; i++) {
        random_shape shape = i % 2 ? shape_distinct(&r) : shape_small(&r);
        if (i % 3 == 0) shape.operations = 2 + random_below(&r, 5);
        bound b = random_history(&r, name, &shape);
        bool linearizable = oracle_linearizable(b.o, b.h, 0) == ORACLE_YES;
        violations += !linearizable;
        for (unsigned w = 0; w < WAYS; w++)
            if (b.h->n <= ways[w].most && i % ways[w].every == 0) try_way(&b, &ways[w], linearizable, decided);
        free_bound(&b);
    }
    print_message("%-12s %u histories, %u violations; decided:", name, histories, violations);
    for (unsigned w = 0; w < WAYS; w++) print_message(" %s %u", ways[w].engine ? ways[w].engine : "chosen", decided[w]);
    print_message("\n");
    assert_true(violations > histories / 10 && violations < histories);
    assert_int_equal(decided[0], histories);
}

static void all_ways(void **unused) {
    (void)unused;
    static const char *const name[] = {"queue", "stack", "multiset", "pqueue-max", "pqueue-min", "register", "swmr-register", "set", "lock", "semaphore(2)", "exchanger"};
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) object_in_all_ways(name[i], 1000 + i);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
