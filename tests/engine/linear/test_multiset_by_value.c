/* Multisets value by value: against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

#define ENGINE "multiset-by-value"

static random_shape shape_few_values(random_source *r) {
    random_shape s = shape_small(r);
    s.values = 1 + random_below(r, 3);
    return s;
}

static random_shape shape_pending(random_source *r) {
    random_shape s = shape_few_values(r);
    s.pending = 0.3;
    return s;
}

static void against_oracle(void **unused) {
    (void)unused;
    random_shape (*const shape[])(random_source *) = {NULL, shape_few_values, shape_distinct, shape_pending};
    for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++)
        differential_run(&(differential){.engine = ENGINE,
                                         .object = "multiset",
                                         .seed = 31 + i,
                                         .histories = 20000,
                                         .decided = 60,
                                         .shape = shape[i]});
}

static verdict decide_multiset(const char *operations) { return decide_text(ENGINE, "multiset", operations); }

static void values_do_not_matter_to_each_other(void **unused) {
    (void)unused;
    assert_int_equal(decide_multiset(""), VERDICT_LINEARIZABLE);
    assert_int_equal(
        decide_multiset("add(1) [0,1]; add(1) [2,3]; add(2) [4,5]; remove() -> 1 [6,7]; "
                        "contains(1) -> true [8,9]; remove(1) -> true [10,11]; contains(1) -> false [12,13]"),
        VERDICT_LINEARIZABLE);
    assert_int_equal(decide_multiset("add(1) [0,1]; add(2) [2,3]; remove() -> 1 [4,5]; remove() -> 1 [6,7]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_multiset("add(1) [0,1]; add(2) [2,5]; contains(1) -> false [3,4]"), VERDICT_VIOLATION);
}

static void pending(void **unused) {
    (void)unused;
    assert_int_equal(decide_multiset("add(1) [0,-]; remove() -> 1 [2,3]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_multiset("add(1) [4,-]; remove() -> 1 [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_multiset("add(1) [0,1]; remove(1) [2,-]; contains(1) -> false [3,4]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_multiset("add(1) [0,1]; contains(2) [2,-]; contains(1) -> true [3,4]"),
                     VERDICT_LINEARIZABLE);
}

/* Two values and two tokens, the first of which both could take: the one that fails later gets the later one. */
static void tokens(void **unused) {
    (void)unused;
    assert_int_equal(decide_multiset("add(1) [0,1]; remove() [2,-]; contains(1) -> false [3,4]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_multiset("add(1) [0,1]; remove() [5,-]; contains(1) -> false [3,4]"), VERDICT_VIOLATION);
    assert_int_equal(decide_multiset("add(1) [0,1]; add(2) [2,3]; remove() [4,-]; contains(2) -> false [5,6]; "
                                     "remove() [7,-]; contains(1) -> false [8,9]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_multiset("add(1) [0,1]; add(2) [2,3]; remove() [4,-]; contains(1) -> false [5,6]; "
                                     "contains(2) -> false [8,9]"),
                     VERDICT_UNDECIDED);
}

static void left_to_others(void **unused) {
    (void)unused;
    assert_false(accepts_text(ENGINE, "multiset", "add(1) [0,1]; remove() -> empty [2,3]"));
    assert_false(accepts_text(ENGINE, "multiset(capacity=2)", "add(1) [0,1]"));
    assert_true(accepts_text(ENGINE, "multiset", "add(1) [0,1]; remove(1) -> false [2,3]"));
}

TEST_MAIN(TEST(against_oracle), TEST(values_do_not_matter_to_each_other), TEST(pending), TEST(tokens),
          TEST(left_to_others))
