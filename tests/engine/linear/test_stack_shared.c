/* Stacks whose values repeat, by contents that share their lower parts: against the oracle, and on histories decided by
 * hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

#define ENGINE "stack-shared"

static random_shape shape_few_values(random_source *r) {
    random_shape s = shape_small(r);
    s.values = 1 + random_below(r, 3);
    return s;
}

static random_shape shape_longer(random_source *r) {
    random_shape s = shape_few_values(r);
    s.operations = 12;
    s.pending = 0.02;
    return s;
}

static void against_oracle(void **unused) {
    (void)unused;
    differential d = {.engine = ENGINE, .object = "stack", .seed = 5, .histories = 30000, .decided = 95};
    differential_run(&d);
    d.seed++;
    d.shape = shape_few_values;
    differential_run(&d);
    d.seed++;
    d.shape = shape_distinct;
    differential_run(&d);
    d.seed++;
    d.histories = 10000;
    d.shape = shape_longer;
    differential_run(&d);
}

static verdict decide_stack(const char *operations) { return decide_text(ENGINE, "stack", operations); }

static void repeated(void **unused) {
    (void)unused;
    assert_int_equal(decide_stack("push(1) [0,1]; push(2) [2,3]; push(1) [4,5]; pop() -> 1 [6,7]; pop() -> 2 [8,9]; "
                                  "pop() -> 1 [10,11]; pop() -> empty [12,13]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_stack("push(1) [0,1]; push(2) [2,3]; push(1) [4,5]; pop() -> 1 [6,7]; pop() -> 1 [8,9]"),
                     VERDICT_VIOLATION);
    /* the second pair of pushes overlaps: which is on top shows when it is popped */
    assert_int_equal(decide_stack("push(1) [0,3]; push(2) [1,2]; push(1) [4,7]; push(2) [5,6]; pop() -> 1 [8,9]; "
                                  "pop() -> 2 [10,11]; pop() -> 2 [12,13]; pop() -> 1 [14,15]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_stack(""), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_stack("pop() -> empty [0,1]; push(1) [2,3]; pop() -> empty [4,5]"), VERDICT_VIOLATION);
}

/* A pending pop may have taken any value, a pending push counts where it is needed. */
static void pending(void **unused) {
    (void)unused;
    assert_int_equal(decide_stack("push(1) [0,1]; push(2) [2,3]; pop() [4,-]; pop() -> 1 [6,7]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_stack("push(1) [0,1]; push(2) [2,3]; pop() -> 1 [6,7]; pop() [8,-]"), VERDICT_VIOLATION);
    assert_int_equal(decide_stack("push(1) [0,-]; pop() -> 1 [6,7]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_stack("push(1) [0,-]; pop() -> 1 [6,7]; pop() -> 1 [8,9]"), VERDICT_VIOLATION);
}

TEST_MAIN(TEST(against_oracle), TEST(repeated), TEST(pending))
