/* Folded clauses against all assignments: as satisfiable as what was said, and every model of what is left is one of
 * it. */
#include "base/random.h"
#include "engine/symbolic/folding.h"
#include "support/cmocka.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { VARIABLES = 7, CLAUSES = 24, ROUNDS = 20000 };

static bool is_true(literal l, uint32_t assignment) {
    if (l == LIT_TRUE || l == LIT_FALSE) return l == LIT_TRUE;
    return (assignment >> (abs(l) - 1) & 1) == (l > 0);
}

static bool satisfies(const literals *clauses, uint32_t assignment) {
    bool clause = false;
    for (size_t i = 0; i < clauses->n; i++) {
        if (clauses->at[i]) {
            clause |= is_true(clauses->at[i], assignment);
        } else {
            if (!clause) return false;
            clause = false;
        }
    }
    return true;
}

static literal random_literal(random_source *r) {
    literal variable = (literal)random_below(r, VARIABLES) + 1;
    return random_below(r, 2) ? variable : -variable;
}

static void say_clause(literals *said, clause_folding *f, const literal *part, unsigned n) {
    for (unsigned i = 0; i < n; i++) literals_add(said, part[i]);
    literals_add(said, 0);
    folding_say(f, part, n);
}

/* Short clauses, now and then two that make two literals one, now and then a long one. */
static void say_some(random_source *r, literals *said, clause_folding *f) {
    literal part[12];
    unsigned n = random_below(r, 12) == 0 ? 12 : 1 + (unsigned)(random_below(r, 8) != 0) + (unsigned)random_below(r, 3);
    for (unsigned i = 0; i < n; i++) part[i] = random_literal(r);
    say_clause(said, f, part, n);
    if (n != 2 || random_below(r, 2)) return;
    say_clause(said, f, (const literal[]){-part[1], -part[0]}, 2);
}

/* The assignment of what was said that a model of what is left stands for. */
static uint32_t read_back(const clause_folding *f, literal variables, uint32_t model) {
    uint32_t assignment = 0;
    for (literal v = 1; v <= variables; v++) assignment |= (uint32_t)is_true(folding_of(f, v), model) << (v - 1);
    return assignment;
}

static void test_models_are_kept(void **state) {
    (void)state;
    random_source r = {7};
    unsigned satisfiable = 0, folded_away = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        literals said = {0};
        clause_folding *f = folding_new();
        for (uint32_t i = random_below(&r, CLAUSES); i > 0; i--) say_some(&r, &said, f);
        folding_finish(f);
        bool before = false, after = false;
        for (uint32_t a = 0; a < 1u << VARIABLES; a++) {
            before |= satisfies(&said, a);
            if (!satisfies(folding_left(f), a)) continue;
            after = true;
            assert_true(satisfies(&said, read_back(f, VARIABLES, a)));
        }
        assert_int_equal(before, after);
        satisfiable += before;
        folded_away += said.n && folding_left(f)->n == 0;
        folding_free(f);
        literals_free(&said);
    }
    assert_in_range(satisfiable, ROUNDS / 10, ROUNDS - ROUNDS / 10);
    assert_true(folded_away > ROUNDS / 100);
}

/* Each pass learns one variable more, and there are more of them than passes. */
static void test_long_chain(void **state) {
    (void)state;
    enum { LENGTH = 14 };
    literals said = {0};
    clause_folding *f = folding_new();
    for (literal v = LENGTH; v > 1; v--) say_clause(&said, f, (const literal[]){-(v - 1), v}, 2);
    say_clause(&said, f, (const literal[]){1}, 1);
    folding_finish(f);
    for (uint32_t a = 0; a < 1u << LENGTH; a++)
        if (satisfies(folding_left(f), a)) assert_true(satisfies(&said, read_back(f, LENGTH, a)));
    folding_free(f);
    literals_free(&said);
}

TEST_MAIN(TEST(test_models_are_kept), TEST(test_long_chain))
