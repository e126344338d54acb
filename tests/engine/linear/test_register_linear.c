/* The register engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

static void against_the_oracle(void **unused) {
    (void)unused;
    differential d = {.engine = "register-linear",
                      .object = "register",
                      .seed = 7,
                      .histories = 60000,
                      .decided = 95,
                      .cut_violates = true,
                      .has_pattern = true,
                      .shape = shape_distinct};
    differential_run(&d);
    d.seed++;
    d.shape = shape_small; /* repeated values: refused or right */
    d.decided = 40;
    differential_run(&d);
}

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(
        decide_text("register-linear", "register", "write(1) [0,9]; read() -> 1 [1,2]; read() -> none [3,4]"),
        VERDICT_VIOLATION);
    assert_int_equal(
        decide_text("register-linear", "register", "write(1) [0,9]; read() -> none [1,2]; read() -> 1 [3,4]"),
        VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text("register-linear", "register",
                                 "write(1) [0,1]; write(2) [2,-]; read() -> 2 [3,4]; read() -> 1 [5,6]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text("register-linear", "register", "read() -> 5 [0,1]; write(5) [2,3]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text("register-linear", "register", "read() -> 5 [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_text("register-linear", "register", ""), VERDICT_LINEARIZABLE);
}

/* Values far apart, and strings, take the hash table instead of the array. */
static void any_kind_of_value(void **unused) {
    (void)unused;
    assert_int_equal(decide_text("register-linear", "register",
                                 "write(a) [0,1]; write(1000000000) [2,3]; write(-7) [4,5]; read() -> -7 [6,7]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text("register-linear", "register",
                                 "write(a) [0,1]; write(1000000000) [2,3]; write(-7) [4,5]; read() -> a [6,7]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text("register-linear", "register", "write(a) [0,1]; write(b) [2,3]; read() -> c [6,7]"),
                     VERDICT_VIOLATION);
}

static void refuses_repeated_values(void **unused) {
    (void)unused;
    assert_int_equal(decide_text("register-linear", "register", "write(1) [0,1]; write(1) [2,3]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_text("register-linear", "register", "write(none) [0,1]"), VERDICT_UNDECIDED);
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand), TEST(any_kind_of_value), TEST(refuses_repeated_values))
