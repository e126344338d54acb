/* Narrower intervals: the history has the same verdict, by the oracle; and what is certain of two values by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

#include "engine/general/tighten.h"
#include "evidence/oracle.h"

static problem whole(const bound *b, budget *limits, uint32_t *op) {
    budget_init(limits, 0, 0);
    for (uint32_t i = 0; i < b->h->n; i++) op[i] = i;
    return (problem){.h = b->h, .o = b->o, .op = op, .n = b->h->n, .budget = limits};
}

/* Counts what was narrowed; every operation keeps its place between the old call and the old return. */
static void compare(const bound *b, uint32_t counts[3]) {
    uint32_t op[RANDOM_MAX_OPERATIONS];
    budget limits;
    tightened t;
    problem p = whole(b, &limits, op);
    tightening found = tighten(&p, &t);
    bool right = oracle_linearizable(b->o, b->h, 0) == ORACLE_YES;
    counts[found]++;
    if (found == TIGHTEN_VIOLATION) assert_false(right);
    if (found == TIGHTEN_DONE) {
        assert_int_equal(t.h->n, b->h->n);
        for (uint32_t i = 0; i < t.h->n; i++) assert_int_equal(t.h->res[i], b->h->res[t.order[i]]);
        assert_int_equal(oracle_linearizable(b->o, t.h, 0) == ORACLE_YES, right);
    }
    tightened_free(&t);
}

static random_shape shape_line(random_source *r) {
    random_shape s = shape_small(r);
    s.values = random_below(r, 4) ? 0 : 3;
    s.pending = random_below(r, 2) ? 0.2 : 0;
    return s;
}

static void the_verdict_stays(void **unused) {
    (void)unused;
    static const char *const objects[] = {"deque", "queue", "stack"};
    for (unsigned k = 0; k < 3; k++) {
        random_source r = {.s = k + 1};
        uint32_t counts[3] = {0}, histories = trial_histories(20000);
        for (uint32_t i = 0; i < histories; i++) {
            random_shape shape = shape_line(&r);
            bound b = random_history(&r, objects[k], &shape);
            compare(&b, counts);
            free_bound(&b);
        }
        print_message("%s: %u as they were, %u narrowed, %u violations\n", objects[k], counts[TIGHTEN_NOTHING],
                      counts[TIGHTEN_DONE], counts[TIGHTEN_VIOLATION]);
        assert_true(counts[TIGHTEN_DONE] > histories / 50 && counts[TIGHTEN_VIOLATION] > histories / 50);
    }
}

static tightening of_text(const char *operations, tightened *t) {
    bound b = make_history("deque", operations);
    uint32_t op[RANDOM_MAX_OPERATIONS];
    budget limits;
    problem p = whole(&b, &limits, op);
    tightening found = tighten(&p, t);
    free_bound(&b);
    return found;
}

/* 2 is pushed on top of 1 and leaves after it at the same end: 1 has to leave before 2 comes. */
static void by_hand(void **unused) {
    (void)unused;
    tightened t;
    assert_int_equal(of_text("pushl(1) [0,1]; pushl(2) [2,5]; popl() -> 1 [3,8]; popl() -> 2 [9,10]", &t),
                     TIGHTEN_DONE);
    assert_int_equal(t.h->ret[1] + t.h->ret[2], 2 * 4 + 1); /* neither call nor return between theirs */
    assert_int_equal(t.h->call[1] + t.h->call[2], 2 * 2 + 1);
    tightened_free(&t);
    assert_int_equal(of_text("pushl(1) [0,1]; pushl(2) [2,5]; popl() -> 1 [6,8]; popl() -> 2 [9,10]", &t),
                     TIGHTEN_NOTHING);
    tightened_free(&t);
    assert_int_equal(of_text("pushl(1) [0,1]; pushl(2) [2,9]; popl() -> 1 [3,6]; popl() -> 2 [4,5]", &t), TIGHTEN_DONE);
    tightened_free(&t);
}

TEST_MAIN(TEST(the_verdict_stays), TEST(by_hand))
