/* The rwlock engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

/* Equal stamps make a client's operations overlap. */
static random_shape shape_without_ties(random_source *r) {
    random_shape s = shape_small(r);
    if (random_chance(r, 0.9)) s.ties = 0;
    return s;
}

AGAINST_THE_ORACLE(against_the_oracle, .engine = "rwlock-linear", .object = "rwlock", .seed = 5, .histories = 220000,
                   .decided = 20, .cut_violates = true, .cut_is_early = true, .shape = shape_without_ties)

static verdict decide_rwlock(const char *operations) { return decide_text("rwlock-linear", "rwlock", operations); }

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(
        decide_rwlock("0 rlock() [0,1]; 1 rlock() [2,3]; 0 runlock() [4,5]; 1 runlock() [6,7]; 2 wlock() [8,9]"),
        VERDICT_LINEARIZABLE);
    assert_int_equal(decide_rwlock("0 rlock() [0,1]; 1 rlock() [2,3]; 0 runlock() [4,5]; 2 wlock() [5,6]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_rwlock("0 wlock() [0,1]; 1 rlock() [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_rwlock("0 wlock() [0,1]; 1 rlock() [2,-]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_rwlock("0 wlock() [0,1]; 0 wunlock() [2,-]; 1 rlock() [3,4]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_rwlock("0 rlock() [0,1]; 0 wunlock() [2,3]"), VERDICT_VIOLATION);
}

/* As in POSIX a reader may lock several times; no client writes before it unlocked as often. */
static void readers_lock_again(void **unused) {
    (void)unused;
    assert_int_equal(decide_rwlock("0 rlock() [0,1]; 0 rlock() [2,3]; 0 runlock() [4,5]; 1 wlock() [6,7]"),
                     VERDICT_VIOLATION);
    assert_int_equal(
        decide_rwlock("0 rlock() [0,1]; 0 rlock() [2,3]; 0 runlock() [4,5]; 0 runlock() [6,7]; 1 wlock() [6,8]"),
        VERDICT_LINEARIZABLE);
}

static void refuses_failed_tries(void **unused) {
    (void)unused;
    assert_false(accepts_text("rwlock-linear", "rwlock", "0 wlock() [0,1]; 1 tryrlock() -> false [2,3]"));
    assert_true(accepts_text("rwlock-linear", "rwlock", "0 wlock() [0,1]; 1 tryrlock() -> true [2,3]"));
}

TEST_MAIN(TEST(against_the_oracle), TEST(by_hand), TEST(readers_lock_again), TEST(refuses_failed_tries))
