/* The witness checker accepts linearizations and nothing else. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "evidence/witness_check.h"
#include "support/random_history.h"

static bool accepts(const bound *b, const witness *w) {
    text wrong = {0};
    bool good = witness_check(b->h, b->o, w, &wrong);
    assert_true(good == (wrong.size == 0));
    text_free(&wrong);
    return good;
}

static void assert_says(const bound *b, witness w, const char *what) {
    text wrong = {0};
    assert_false(witness_check(b->h, b->o, &w, &wrong));
    assert_string_equal(text_str(&wrong), what);
    text_free(&wrong);
}

#define ORDER(...) \
    (uint32_t[]) { __VA_ARGS__ }
#define RESULTS(...) \
    (value[]) { __VA_ARGS__ }

static void names_what_is_wrong(void **unused) {
    (void)unused;
    bound b = make_history("queue", "enq(1) [0,1]; enq(2) [2,3]; deq() -> 1 [4,5]; deq() [6,-]");
    value one = value_int(b.h->values, 1), two = value_int(b.h->values, 2);
    assert_true(accepts(&b, &(witness){.op = ORDER(0, 1, 2), .n = 3}));
    assert_true(accepts(&b, &(witness){.op = ORDER(0, 1, 2, 3), .n = 4}));
    assert_true(
        accepts(&b, &(witness){.op = ORDER(0, 1, 2, 3), .res = RESULTS(VALUE_NONE, VALUE_NONE, one, two), .n = 4}));
    assert_says(&b, (witness){.op = ORDER(0, 1), .n = 2}, "operation #2 completed but is missing");
    assert_says(&b, (witness){.op = ORDER(0, 1, 1, 2), .n = 4}, "operation #1 occurs twice");
    assert_says(&b, (witness){.op = ORDER(0, 1, 2, 3, 3), .n = 5}, "operation #3 occurs twice");
    assert_says(&b, (witness){.op = ORDER(0, 1, 2, 9), .n = 4}, "operation 9 does not exist");
    assert_says(&b, (witness){.op = ORDER(0, 2, 1), .n = 3},
                "operation #1 returned before #2 was called, but comes after it");
    assert_says(&b, (witness){.op = ORDER(0, 1, 2), .res = RESULTS(VALUE_NONE, VALUE_NONE, two), .n = 3},
                "operation #2 has another result than the recorded one");
    assert_says(&b, (witness){.op = ORDER(0, 1, 2, 3), .res = RESULTS(VALUE_NONE, VALUE_NONE, one, one), .n = 4},
                "operation #3 deq() pending cannot come at its place: the head of the queue is 2");
    free_bound(&b);
}

static void illegal_runs_are_refused(void **unused) {
    (void)unused;
    bound b = make_history("queue", "enq(1) [0,9]; enq(2) [0,9]; deq() -> 2 [0,9]");
    assert_true(accepts(&b, &(witness){.op = ORDER(1, 2, 0), .n = 3}));
    assert_says(&b, (witness){.op = ORDER(0, 1, 2), .n = 3},
                "operation #2 deq() -> 2 cannot come at its place: the head of the queue is 1");
    assert_says(&b, (witness){.op = ORDER(2, 1, 0), .n = 3},
                "operation #2 deq() -> 2 cannot come at its place: the queue is empty");
    free_bound(&b);
}

static witness copy_without(const witness *w, uint32_t at) {
    witness c = {
        .op = mem_copy(w->op, w->n * sizeof *w->op), .res = mem_copy(w->res, w->n * sizeof *w->res), .n = w->n - 1};
    memmove(c.op + at, c.op + at + 1, (w->n - at - 1) * sizeof *c.op);
    memmove(c.res + at, c.res + at + 1, (w->n - at - 1) * sizeof *c.res);
    return c;
}

static void refuses_without_any(const bound *b, const witness *w) {
    for (uint32_t at = 0; at < w->n; at++) {
        witness less = copy_without(w, at);
        if (!history_pending(b->h, w->op[at])) assert_false(accepts(b, &less));
        witness_free(&less);
    }
}

static void refuses_any_twice(const bound *b, witness *w) {
    for (uint32_t at = 0; at + 1 < w->n; at++) {
        uint32_t kept = w->op[at];
        w->op[at] = w->op[at + 1];
        assert_false(accepts(b, w));
        w->op[at] = kept;
    }
}

static void refuses_swapped_order(const bound *b, witness *w) {
    for (uint32_t x = 0; x < w->n; x++)
        for (uint32_t y = x + 1; y < w->n; y++) {
            uint32_t i = w->op[x], j = w->op[y];
            if (!history_before(b->h, i, j)) continue;
            w->op[x] = j;
            w->op[y] = i;
            assert_false(accepts(b, w));
            w->op[x] = i;
            w->op[y] = j;
        }
}

static void refuses_other_results(const bound *b, witness *w) {
    for (uint32_t at = 0; at < w->n; at++) {
        if (history_pending(b->h, w->op[at])) continue;
        value kept = w->res[at];
        w->res[at] = value_int(b->h->values, 987654);
        assert_false(accepts(b, w));
        w->res[at] = kept;
    }
}

/* A witness without pending operations may come without results. */
static void fill_in_results(const bound *b, witness *w) {
    if (w->res) return;
    w->res = MEM_ARRAY(value, w->n);
    for (uint32_t k = 0; k < w->n; k++) w->res[k] = b->h->res[w->op[k]];
}

static void perturbed_witnesses(void **unused) {
    (void)unused;
    random_source r = {.s = 2};
    const object_type *t;
    for (unsigned k = 0; (t = object_type_at(k)); k++)
        for (unsigned i = 0; i < 300; i++) {
            random_shape shape = random_shape_any(&r);
            shape.spoil = 0.2;
            bound b = random_history(&r, t->name, &shape);
            budget limits;
            budget_init(&limits, 0, 0);
            decision d;
            decide(b.h, b.o, &(decide_options){0}, &limits, NULL, &d);
            if (d.verdict == VERDICT_LINEARIZABLE) {
                assert_true(accepts(&b, &d.witness));
                fill_in_results(&b, &d.witness);
                assert_true(accepts(&b, &d.witness));
                refuses_without_any(&b, &d.witness);
                refuses_any_twice(&b, &d.witness);
                refuses_swapped_order(&b, &d.witness);
                refuses_other_results(&b, &d.witness);
            }
            decision_free(&d);
            free_bound(&b);
        }
}

/* All orders of all subsets of the operations. */
static bool any_order_accepted(const bound *b, uint32_t *op, uint32_t n, uint32_t used) {
    if (accepts(b, &(witness){.op = op, .n = n})) return true;
    for (uint32_t i = 0; i < b->h->n; i++) {
        if (used >> i & 1) continue;
        op[n] = i;
        if (any_order_accepted(b, op, n + 1, used | 1u << i)) return true;
    }
    return false;
}

/* That is the definition of linearizability, so it must agree with the oracle. */
static void some_order_is_accepted_iff_linearizable(void **unused) {
    (void)unused;
    random_source r = {.s = 3};
    const object_type *t;
    for (unsigned k = 0; (t = object_type_at(k)); k++)
        for (unsigned i = 0; i < 400 && one_by_one(t); i++) {
            random_shape shape = random_shape_any(&r);
            shape.operations = 2 + random_below(&r, 4);
            bound b = random_history(&r, t->name, &shape);
            uint32_t op[RANDOM_MAX_OPERATIONS];
            assert_int_equal(any_order_accepted(&b, op, 0, 0), oracle_linearizable(b.o, b.h, 0) == ORACLE_YES);
            free_bound(&b);
        }
}

TEST_MAIN(TEST(names_what_is_wrong), TEST(illegal_runs_are_refused), TEST(perturbed_witnesses),
          TEST(some_order_is_accepted_iff_linearizable))
