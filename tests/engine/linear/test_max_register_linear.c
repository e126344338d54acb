/* The max register engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

AGAINST_THE_ORACLE(against_the_oracle, .engine = "max-register-linear", .object = "max-register", .seed = 21,
                   .histories = 60000, .decided = 100, .cut_violates = true)

static verdict decide_max(const char *operations) {
    return decide_text("max-register-linear", "max-register", operations);
}

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_max("write(3) [0,1]; write(2) [2,3]; read() -> 3 [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_max("write(3) [0,1]; write(2) [2,3]; read() -> 2 [4,5]"), VERDICT_VIOLATION);
    assert_int_equal(decide_max("write(3) [0,9]; write(2) [1,2]; read() -> 3 [3,4]; read() -> 2 [5,6]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_max("write(3) [0,-]; read() -> 3 [3,4]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_max("read() -> none [0,1]; read() -> 7 [3,4]"), VERDICT_VIOLATION);
    assert_int_equal(decide_max("write(1) [0,1]; read() -> none [3,4]"), VERDICT_VIOLATION);
    assert_false(accepts_text("max-register-linear", "max-register", "write(a) [0,1]"));
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand))
