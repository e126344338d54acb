/* The consensus engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

AGAINST_THE_ORACLE(against_the_oracle, .engine = "consensus-linear", .object = "consensus", .seed = 31,
                   .histories = 60000, .decided = 100, .cut_violates = true, .cut_is_early = true)

static verdict decide_consensus(const char *operations) {
    return decide_text("consensus-linear", "consensus", operations);
}

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_consensus("decide(1) -> 2 [0,3]; decide(2) -> 2 [1,2]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_consensus("decide(1) -> 2 [0,3]; decide(2) -> 2 [4,5]"), VERDICT_VIOLATION);
    assert_int_equal(decide_consensus("decide(1) -> 1 [0,3]; decide(2) -> 2 [1,2]"), VERDICT_VIOLATION);
    assert_int_equal(decide_consensus("decide(1) -> 2 [0,3]; decide(2) [1,-]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_consensus("decide(1) [0,-]"), VERDICT_LINEARIZABLE);
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand))
