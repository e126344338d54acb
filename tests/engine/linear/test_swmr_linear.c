/* The single-writer register engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

static void against_the_oracle(void **unused) {
    (void)unused;
    differential d = {.engine = "swmr-linear",
                      .object = "swmr-register",
                      .seed = 61,
                      .histories = 60000,
                      .decided = 60,
                      .cut_violates = true,
                      .cut_is_early = true,
                      .shape = shape_distinct};
    differential_run(&d);
    d.engine = "register-linear";
    d.cut_is_early = false;
    d.histories = 20000;
    differential_run(&d);
}

static verdict decide_swmr(const char *operations) { return decide_text("swmr-linear", "swmr-register", operations); }

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_swmr("0 write(1) [0,9]; 1 read() -> 1 [1,2]; 1 read() -> none [3,4]"), VERDICT_VIOLATION);
    assert_int_equal(decide_swmr("0 write(1) [0,9]; 1 read() -> none [1,2]; 1 read() -> 1 [3,4]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_swmr("0 write(1) [0,1]; 0 write(2) [2,-]; 1 read() -> 2 [3,4]; 1 read() -> 1 [5,6]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_swmr("0 write(1) [0,1]; 0 write(2) [2,-]; 1 read() -> 1 [5,6]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_swmr("1 read() -> 5 [0,1]; 0 write(5) [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_swmr("1 read() -> 5 [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_swmr("0 write(1) [0,1]; 0 write(1) [2,3]"), VERDICT_UNDECIDED);
    /* at a stamp where two clients go on, the writes overlap */
    assert_int_equal(decide_swmr("0 write(1) [0,1]; 0 write(2) [1,3]; 1 read() -> 1 [0,1]; 1 read() -> 1 [1,2]"),
                     VERDICT_UNDECIDED);
    assert_int_equal(decide_swmr("0 write(1) [0,1]; 0 write(2) [1,3]; 1 read() -> 1 [4,5]"), VERDICT_VIOLATION);
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand))
