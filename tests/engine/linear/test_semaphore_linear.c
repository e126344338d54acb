/* The semaphore engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

static void against_the_oracle(void **unused) {
    (void)unused;
    static const char *const objects[] = {"semaphore", "semaphore(2)", "semaphore(1,1)", "semaphore(2,1)",
                                          "semaphore(3,1)"};
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        differential d = {.engine = "semaphore-linear",
                          .object = objects[i],
                          .seed = 9 + i,
                          .histories = 26000,
                          .decided = 20,
                          .cut_violates = true,
                          .cut_is_early = true};
        differential_run(&d);
    }
}

static void by_hand(void **unused) {
    (void)unused;
    const char *g = "semaphore-linear";
    assert_int_equal(decide_text(g, "semaphore(2)", "0 acquire() [0,1]; 1 acquire() [2,3]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(g, "semaphore(2)", "0 acquire() [0,1]; 1 acquire() [2,3]; 2 acquire() [4,5]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text(g, "semaphore(1)", "0 acquire() [0,1]; 1 acquire() [2,4]; 0 release() [3,-]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(g, "semaphore(1)", "0 release() [0,1]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(g, "semaphore(1,1)", "0 release() [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_text(g, "semaphore(1,1)", "0 release() [0,3]; 1 acquire() [1,2]"), VERDICT_LINEARIZABLE);
    assert_false(accepts_text(g, "semaphore(1)", "0 tryacquire() -> false [0,3]"));
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand))
