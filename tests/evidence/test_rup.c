/* Proofs of unsatisfiability: right ones hold, wrong ones are refused, and every violation that the symbolic engine
 * finds has one that holds. */
#include "support/cmocka.h"

#include "engine/symbolic/symbolic.h"
#include "evidence/oracle.h"
#include "evidence/rup.h"
#include "support/engine_trial.h"

static bool holds(const int *clauses, size_t n, const int *steps, size_t m, int variables) {
    size_t used;
    text wrong = {0};
    bool yes = rup_check(clauses, n, steps, m, variables, &used, &wrong);
    assert_int_equal(yes, wrong.size == 0);
    text_free(&wrong);
    return yes;
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void by_hand(void **unused) {
    (void)unused;
    /* All four combinations of two variables: needs one step. */
    const int four[] = {1, 2, 0, 1, -2, 0, -1, 2, 0, -1, -2, 0};
    const int right[] = {1, 0, 0}, wrong_order[] = {0, 1, 0}, other[] = {2, 0, -1, 0, 0}, wild[] = {7, 0};
    assert_true(holds(four, COUNT(four), right, COUNT(right), 2));
    assert_true(holds(four, COUNT(four), other, COUNT(other), 2));
    assert_false(holds(four, COUNT(four), wrong_order, COUNT(wrong_order), 2));
    assert_false(holds(four, COUNT(four), NULL, 0, 2));
    assert_false(holds(four, COUNT(four), wild, COUNT(wild), 2));
    /* Three of them are satisfiable: nothing proves the contrary. */
    assert_false(holds(four, 9, right, COUNT(right), 2));
    const int empty[] = {0}, unit[] = {1, 0, -1, 0}, more[] = {1, 2, 3, 0};
    assert_true(holds(empty, 1, NULL, 0, 0));
    assert_true(holds(unit, COUNT(unit), NULL, 0, 1));
    assert_false(holds(more, COUNT(more), right, COUNT(right), 3));
    /* A clause that is false in all but one literal when it becomes known propagates at once. */
    const int chain[] = {-1, 0, 1, 2, 0, 1, -2, 3, 0, -2, -3, 0};
    assert_true(holds(chain, COUNT(chain), NULL, 0, 3));
}

typedef struct tally {
    unsigned proofs, with_steps, spoilt;
} tally;

/* A proof of which a step is missing may still hold; one that has lost a clause of its own must not claim another's. */
static void prove(const bound *b, const int64_t *setting, tally *t) {
    uint32_t op[RANDOM_MAX_OPERATIONS];
    for (uint32_t i = 0; i < b->h->n; i++) op[i] = i;
    budget spend;
    budget_init(&spend, 0, 0);
    problem p = {.h = b->h, .o = b->o, .op = op, .n = b->h->n, .budget = &spend, .setting = setting};
    literals said = {0}, learned = {0};
    text why_not = {0};
    int variables;
    bool refuted = symbolic_refutation(&p, &said, &learned, &variables, &why_not);
    bool violation = oracle_linearizable(b->o, b->h, 0) == ORACLE_NO;
    if (!why_not.size) assert_int_equal(refuted, violation);
    if (refuted) {
        assert_true(holds(said.at, said.n, learned.at, learned.n, variables));
        t->proofs++;
        t->with_steps += learned.n > 1;
        t->spoilt += learned.n > 1 && !holds(said.at, said.n, NULL, 0, variables);
    } else {
        assert_false(holds(said.at, said.n, NULL, 0, variables));
    }
    literals_free(&said);
    literals_free(&learned);
    text_free(&why_not);
}

static void every_violation_has_one(void **unused) {
    (void)unused;
    if (!cnf_available()) return;
    static const char *const name[] = {"queue", "stack", "register", "lock", "pqueue-max"};
    static const int64_t generic[ENGINE_SETTINGS] = {2};
    tally t = {0};
    random_source r = {8};
    unsigned histories = getenv("PLUMB_FEWER") ? 300 : 3000;
    for (unsigned i = 0; i < histories; i++) {
        random_shape shape = shape_small(&r);
        shape.keys = 1;
        bound b = random_history(&r, name[i % COUNT(name)], &shape);
        prove(&b, i % 8 == 7 ? generic : NULL, &t);
        free_bound(&b);
    }
    print_message("%u proofs, %u with steps, %u need them\n", t.proofs, t.with_steps, t.spoilt);
    assert_true(t.proofs > histories / 5 && t.spoilt > 0);
}

TEST_MAIN(TEST(by_hand), TEST(every_violation_has_one))
