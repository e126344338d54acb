/* The lock engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

/* Equal stamps make a client's operations overlap. */
static random_shape shape_without_ties(random_source *r) {
    random_shape s = shape_small(r);
    if (random_chance(r, 0.9)) s.ties = 0;
    return s;
}

AGAINST_THE_ORACLE(against_the_oracle, .engine = "lock-linear", .object = "lock", .seed = 5, .histories = 60000,
                   .decided = 80, .cut_is_early = true, .shape = shape_without_ties)

static verdict decide_lock(const char *operations) { return decide_text("lock-linear", "lock", operations); }

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(decide_lock("0 lock() [0,1]; 0 unlock() [2,3]; 1 lock() [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_lock("0 lock() [0,1]; 0 unlock() [4,5]; 1 lock() [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_lock("0 lock() [0,1]; 0 unlock() [2,-]; 1 lock() [3,4]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_lock("0 unlock() [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_lock("0 lock() [0,1]; 1 unlock() [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_lock("0 lock() [0,1]; 0 lock() [2,3]"), VERDICT_VIOLATION);
}

static void a_failed_try_needs_a_hold(void **unused) {
    (void)unused;
    assert_int_equal(decide_lock("0 trylock() -> false [0,1]"), VERDICT_VIOLATION);
    assert_int_equal(decide_lock("0 trylock() -> false [1,2]; 1 lock() [0,-]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_lock("0 trylock() -> false [0,1]; 1 lock() [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_lock("1 lock() [0,1]; 1 unlock() [2,5]; 0 trylock() -> false [3,4]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_lock("1 lock() [0,1]; 1 unlock() [2,3]; 0 trylock() -> false [4,5]; 2 lock() [6,7]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_lock("1 lock() [0,1]; 1 trylock() -> false [2,3]"), VERDICT_LINEARIZABLE);
}

static void refuses_overlapping_operations_of_a_client(void **unused) {
    (void)unused;
    /* at a stamp where two clients go on, the operations of the first overlap */
    assert_false(accepts_text("lock-linear", "lock",
                              "0 lock() [0,1]; 0 unlock() [1,2]; 1 trylock() -> false [0,1]; 1 trylock() -> false "
                              "[1,2]"));
    assert_true(accepts_text("lock-linear", "lock", "0 lock() [0,1]; 0 unlock() [1,2]"));
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand), TEST(a_failed_try_needs_a_hold),
          TEST(refuses_overlapping_operations_of_a_client))
