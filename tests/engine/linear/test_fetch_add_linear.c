/* The fetch-and-add engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

AGAINST_THE_ORACLE(against_the_oracle, .engine = "fetch-add-linear", .object = "fetch-add", .seed = 11,
                   .histories = 60000, .decided = 90)

static verdict decide_chain(const char *operations) { return decide_text("fetch-add-linear", "fetch-add", operations); }

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; add(2) -> 5 [2,3]; read() -> 7 [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_chain("add(5) -> 2 [0,1]; add(2) -> 0 [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; add(2) -> 0 [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_chain("add(-5) -> 0 [0,1]; add(-2) -> -5 [2,3]; read() -> -7 [4,5]"), VERDICT_LINEARIZABLE);
    assert_false(accepts_text("fetch-add-linear", "fetch-add", "add(5) -> 0 [0,1]; add(-5) -> 5 [2,3]"));
    assert_false(accepts_text("fetch-add-linear", "counter", "add(5) [0,1]"));
}

/* Pending changes fill gaps between counts, as few as possible; where that leads nowhere nothing is said. */
static void gaps(void **unused) {
    (void)unused;
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; add(2) [1,-]; read() -> 7 [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; add(2) [1,-]; add(3) [2,-]; read() -> 10 [4,5]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_chain("add(-5) [0,-]; read() -> -5 [4,5]; add(-1) -> -5 [6,7]"), VERDICT_LINEARIZABLE);
    /* called too late, and too little */
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; read() -> 7 [2,3]; add(2) [4,-]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_chain("add(5) -> 0 [0,1]; add(2) [1,-]; read() -> 8 [4,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_text("fetch-add-linear", "counter", "inc() [0,-]; inc() -> 2 [1,2]; get() -> 2 [3,4]"),
                     VERDICT_LINEARIZABLE);
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand), TEST(gaps))
