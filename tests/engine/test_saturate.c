/* Saturation: what it calls a violation is one, what it calls linearizable is; it misses nothing where docs/SATURATION.md says
 * so, and misses the counter-examples that are written there. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "engine/saturation.h"
#include "support/engine_trial.h"
#include "support/read_text.h"

#include <stdio.h>
#include <string.h>

typedef struct tally {
    unsigned parts, violations, found, accepted, undecided;
} tally;

static outcome run_part(const bound *b, const uint32_t *op, uint32_t n, removal_rule removal, int64_t batch, budget *spend) {
    const int64_t setting[ENGINE_SETTINGS] = {removal, SATURATION_CAP, batch};
    problem p = {.h = b->h, .o = b->o, .op = op, .n = n, .budget = spend, .setting = setting};
    outcome out;
    text why_not = {0};
    outcome_init(&out);
    if (engine_accepts(engine_find("saturate"), &p, &why_not)) engine_find("saturate")->decide(&p, &out);
    text_free(&why_not);
    return out;
}

static void wrong(const bound *b, removal_rule removal, const char *what) {
    text shown = {0};
    history_text(b, &shown);
    print_error("%s, removal %u: %s\n%s\n", b->o->name, removal, what, text_str(&shown));
    text_free(&shown);
    fail();
}

static bool violates(const bound *b, const uint32_t *op, uint32_t n) {
    history *h = history_select(b->h, op, n, RANK_NEVER);
    bool no = oracle_linearizable(b->o, h, 0) == ORACLE_NO;
    history_free(h);
    return no;
}

static void try_part(const bound *b, const uint32_t *op, uint32_t n, removal_rule removal, int64_t batch, bool complete, tally *t) {
    budget spend;
    budget_init(&spend, 0, 0);
    outcome out = run_part(b, op, n, removal, batch, &spend);
    bool violation = violates(b, op, n);
    t->parts++;
    t->violations += violation;
    t->found += out.verdict == VERDICT_VIOLATION;
    t->accepted += out.verdict == VERDICT_LINEARIZABLE;
    t->undecided += out.verdict == VERDICT_UNDECIDED;
    if (out.verdict == VERDICT_VIOLATION && !violation) wrong(b, removal, "a violation found where there is none");
    if (out.verdict == VERDICT_LINEARIZABLE && violation) wrong(b, removal, "a violation called linearizable");
    if (out.verdict == VERDICT_UNDECIDED && !out.why[0]) wrong(b, removal, "undecided without a reason");
    if (out.verdict == VERDICT_VIOLATION && out.pattern_n && !violates(b, out.pattern, out.pattern_n)) wrong(b, removal, "the pattern is no violation");
    if (complete && violation && out.verdict != VERDICT_VIOLATION) wrong(b, removal, "a violation missed");
    if (spend.used) wrong(b, removal, "memory charged and not given back");
    outcome_free(&out);
}

typedef struct trial {
    const char *object;
    removal_rule removal;
    int64_t batch;
    bool distinct, returns; /* values are told apart; every operation returns */
    bool complete;          /* nothing may be missed then */
} trial;

static const trial trials[] = {
    {"queue", REMOVAL_NONE, 0, true, true, true},
    {"queue", REMOVAL_IMMEDIATE, 0, true, true, false},
    {"queue", REMOVAL_DELAYED, 1, true, true, true},
    {"queue", REMOVAL_COMPONENT, 1, true, true, true},
    {"queue", REMOVAL_STANDARD, 0, false, false, false},
    {"queue", REMOVAL_IMMEDIATE, 1, false, false, false},
    {"multiset", REMOVAL_NONE, 0, true, true, false}, /* removes of given elements are refused */
    {"multiset", REMOVAL_DELAYED, 1, true, false, false},
    {"stack", REMOVAL_NONE, 0, true, true, true},
    {"stack", REMOVAL_IMMEDIATE, 0, true, true, false},
    {"stack", REMOVAL_DELAYED, 1, true, true, false},
    {"stack", REMOVAL_COMPONENT, 1, true, true, true},
    {"stack", REMOVAL_STANDARD, 0, false, false, false},
    {"pqueue-max", REMOVAL_NONE, 0, true, true, true},
    {"pqueue-max", REMOVAL_COMPONENT, 1, true, true, true},
    {"pqueue-min", REMOVAL_DELAYED, 1, false, false, false},
    {"register", REMOVAL_NONE, 0, true, true, true},
    {"register", REMOVAL_DELAYED, 1, true, true, true},
    {"register", REMOVAL_DELAYED, 1, true, false, true},
    {"register", REMOVAL_DELAYED, 1, false, false, false},
    {"register", REMOVAL_COMPONENT, 1, false, false, false},
    {"set", REMOVAL_NONE, 0, false, false, false},
    {"set", REMOVAL_COMPONENT, 1, false, false, false},
};

static void run_trial(const trial *t, uint64_t seed, unsigned histories) {
    random_source r = {seed};
    tally sum = {0};
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = t->distinct ? shape_distinct(&r) : shape_small(&r);
        if (t->returns) shape.pending = 0;
        bound b = random_history(&r, t->object, &shape);
        partition *parts = object_partition(b.o, b.h);
        for (uint32_t p = 0; p < parts->count; p++) {
            uint32_t n;
            const uint32_t *op = partition_ops(parts, p, &n);
            try_part(&b, op, n, t->removal, t->batch, t->complete, &sum);
        }
        partition_free(parts);
        free_bound(&b);
    }
    print_message("%-10s removal %u: %u parts, %u violations, %u found; %u linearizable, %u undecided\n", t->object, t->removal, sum.parts,
                  sum.violations, sum.found, sum.accepted, sum.undecided);
    assert_true(sum.found > sum.violations / 2 || !strcmp(t->object, "multiset"));
}

static void against_the_oracle(void **unused) {
    (void)unused;
    unsigned histories = getenv("PLUMB_SOAK") ? 400000 : getenv("PLUMB_SANITIZED") ? 600 : 6000;
    for (unsigned i = 0; i < sizeof trials / sizeof *trials; i++) run_trial(&trials[i], 300 + i, histories);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
