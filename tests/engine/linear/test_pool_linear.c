/* The pool engine against the oracle and against search, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/containers.h"

#define ENGINE "pool-linear"

static const container_trial pool = {
    .engine = ENGINE, .object = "multiset", .right = TAKE_ANY, .seed = 12, .histories = 60000, .always_pattern = true};

static void against_oracle(void **unused) {
    (void)unused;
    containers_against_oracle(&pool);
}

static void against_search(void **unused) {
    (void)unused;
    container_trial t = pool;
    t.histories = 60;
    containers_against_search(&t, 400);
}

static void by_hand(void **unused) {
    (void)unused;
    assert_int_equal(
        decide_text(ENGINE, "multiset", "add(1) [0,1]; add(2) [2,3]; remove() -> 2 [4,5]; remove() -> 1 [6,7]"),
        VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "multiset", "add(1) [0,1]; remove() -> empty [2,3]; remove() -> 1 [4,5]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text(ENGINE, "multiset", "add(1) [0,1]; remove() [2,-]; remove() -> empty [3,4]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(
        decide_text(ENGINE, "multiset", "add(1) [0,1]; add(2) [2,3]; remove() [4,-]; remove() -> empty [5,6]"),
        VERDICT_VIOLATION);
}

static void leaves_other_methods_to_others(void **unused) {
    (void)unused;
    assert_int_equal(decide_text(ENGINE, "multiset", "add(1) [0,1]; contains(1) -> true [2,3]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_text(ENGINE, "multiset", "add(1) [0,1]; remove(1) -> true [2,3]"), VERDICT_UNDECIDED);
}

static void tables_do_not_matter(void **unused) {
    (void)unused;
    container_trial t = pool;
    t.histories = 400;
    containers_renumbered(&t, 400);
}

TEST_MAIN(TEST(against_oracle), TEST(against_search), TEST(tables_do_not_matter), TEST(by_hand),
          TEST(leaves_other_methods_to_others))
