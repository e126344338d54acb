/* The exchanger engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

AGAINST_THE_ORACLE(against_the_oracle, .engine = "exchanger-linear", .object = "exchanger", .seed = 51,
                   .histories = 60000, .decided = 95, .shape = shape_distinct)

static verdict decide_exchange(const char *operations) {
    return decide_text("exchanger-linear", "exchanger", operations);
}

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_exchange("exchange(1) -> 2 [0,3]; exchange(2) -> 1 [1,2]; exchange(3) -> empty [0,9]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_exchange("exchange(1) -> 2 [0,1]; exchange(2) -> 1 [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_exchange("exchange(1) -> 2 [0,1]; exchange(2) [0,-]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_exchange("exchange(1) -> 2 [0,1]; exchange(2) [0,-]; exchange(3) -> 2 [0,1]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_exchange("exchange(1) -> 1 [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_exchange("exchange(1) -> 2 [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_exchange("exchange(1) -> 2 [0,3]; exchange(2) -> empty [1,2]"), VERDICT_VIOLATION);
    assert_int_equal(decide_exchange("exchange(1) -> 1 [0,3]; exchange(1) -> 1 [1,2]"), VERDICT_UNDECIDED);
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand))
