/* Queues, stacks and deques by the set of their contents: against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "engine/linear/line_sets.h"
#include "support/engine_trial.h"

#define ENGINE "line-contents"

static random_shape shape_few_values(random_source *r) {
    random_shape s = shape_small(r);
    s.values = 1 + random_below(r, 3);
    return s;
}

static void against_oracle(void **unused) {
    (void)unused;
    static const char *const objects[] = {"deque", "deque(capacity=2)", "queue", "queue(capacity=2)",
                                          "stack", "stack(capacity=2)"};
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        differential d = {.engine = ENGINE, .object = objects[i], .seed = 5 + i, .histories = 8000, .decided = 95};
        differential_run(&d);
        d.shape = shape_few_values;
        differential_run(&d);
    }
}

static verdict decide_deque(const char *operations) { return decide_text(ENGINE, "deque", operations); }

static void repeated(void **unused) {
    (void)unused;
    assert_int_equal(
        decide_deque("pushl(1) [0,1]; pushr(2) [2,3]; pushl(1) [4,5]; popr() -> 2 [6,7]; popr() -> 1 [8,9]; "
                     "popl() -> 1 [10,11]; popl() -> empty [12,13]"),
        VERDICT_LINEARIZABLE);
    assert_int_equal(decide_deque("pushl(1) [0,1]; pushr(2) [2,3]; popr() -> 1 [6,7]; popr() -> 2 [8,9]"),
                     VERDICT_VIOLATION);
    assert_int_equal(
        decide_deque("pushl(1) [0,1]; pushr(2) [2,3]; popr() [4,-]; popr() -> 1 [6,7]; popl() -> empty [8,9]"),
        VERDICT_LINEARIZABLE);
    assert_int_equal(decide_deque(""), VERDICT_LINEARIZABLE);
}

/* Two lines are one diagram of their places; the same set is the same number. */
static void sets(void **unused) {
    (void)unused;
    budget b;
    line_sets x;
    budget_init(&b, 0, 0);
    line_sets_init(&x, &b);
    line_set ab = lines_add_last(&x, lines_add_last(&x, LINES_EMPTY, 1), 2);
    line_set ba = lines_add_first(&x, 2, lines_add_first(&x, 1, LINES_EMPTY));
    line_set both = lines_union(&x, ab, ba);
    assert_int_equal(lines_add_first(&x, 1, lines_add_first(&x, 2, LINES_EMPTY)), ab);
    assert_int_equal(lines_union(&x, ba, ab), both);
    assert_int_equal(lines_union(&x, both, ab), both);
    assert_int_equal(lines_take_first(&x, both, 1), lines_add_first(&x, 2, LINES_EMPTY));
    assert_int_equal(lines_take_last(&x, both, 1), lines_add_first(&x, 2, LINES_EMPTY));
    assert_int_equal(lines_take_last(&x, ab, 1), LINES_NONE);
    line_set any = lines_take_last(&x, both, VALUE_UNKNOWN);
    assert_int_equal(any, lines_take_first(&x, both, VALUE_UNKNOWN));
    assert_int_equal(lines_take_first(&x, any, 2), LINES_EMPTY);
    line_sets_free(&x);
}

TEST_MAIN(TEST(against_oracle), TEST(repeated), TEST(sets))
