/* The fetch-and-add engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

AGAINST_THE_ORACLE(against_the_oracle, .engine = "fetch-add-linear", .object = "fetch-add", .seed = 11,
                   .histories = 60000, .decided = 70)

static verdict decide_chain(const char *operations) { return decide_text("fetch-add-linear", "fetch-add", operations); }

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; add(2) -> 5 [2,3]; read() -> 7 [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_chain("add(5) -> 2 [0,1]; add(2) -> 0 [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; add(2) -> 0 [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_chain("add(-5) -> 0 [0,1]; add(-2) -> -5 [2,3]; read() -> -7 [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; add(2) [1,-]; read() -> 7 [4,5]"), VERDICT_UNDECIDED);
    assert_false(accepts_text("fetch-add-linear", "fetch-add", "add(5) -> 0 [0,1]; add(-5) -> 5 [2,3]"));
    assert_false(accepts_text("fetch-add-linear", "counter", "add(5) [0,1]"));
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand))
