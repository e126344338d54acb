/* The counter engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

/* One amount for all changes: most random histories have several. */
static random_shape shape_one_amount(random_source *r) {
    random_shape s = shape_small(r);
    s.values = 1;
    return s;
}

static void against_the_oracle(void **unused) {
    (void)unused;
    differential d = {.engine = "counter-linear",
                      .object = "fetch-add",
                      .seed = 11,
                      .histories = 60000,
                      .decided = 99,
                      .shape = shape_one_amount};
    differential_run(&d);
    d = (differential){.engine = "counter-linear",
                       .object = "counter",
                       .seed = 12,
                       .histories = 170000,
                       .decided = 25,
                       .shape = shape_one_amount};
    differential_run(&d);
    d.prepare = strip_results;
    d.seed++;
    differential_run(&d);
}

static verdict decide_counter(const char *operations) { return decide_text("counter-linear", "counter", operations); }

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_counter("inc() [0,1]; get() -> 1 [2,3]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_counter("inc() [0,1]; get() -> 0 [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_counter("inc() [0,5]; get() -> 1 [1,2]; get() -> 0 [3,4]"), VERDICT_VIOLATION);
    assert_int_equal(decide_counter("inc() [0,-]; get() -> 1 [1,2]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_counter("inc() [0,-]; get() -> 2 [1,2]"), VERDICT_VIOLATION);
    assert_int_equal(decide_counter("dec() [0,1]; dec() -> -2 [2,3]; get() -> -2 [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_counter("dec() [0,1]; dec() -> -1 [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_counter("add(5) [0,1]; get() -> 3 [0,1]"), VERDICT_VIOLATION);
    assert_false(accepts_text("counter-linear", "counter", "inc() [0,1]; dec() [2,3]"));
}

/* The place is not the one of the change that was called first, but of the one that returns first. */
static void the_first_to_return_goes_first(void **unused) {
    (void)unused;
    assert_int_equal(decide_counter("inc() [0,9]; inc() [1,3]; get() -> 1 [2,6]; get() -> 1 [4,5]"),
                     VERDICT_LINEARIZABLE);
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand), TEST(the_first_to_return_goes_first))
