/* The priority queue engine against the oracle and against search, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/containers.h"

#define ENGINE "pqueue-linear"

static const container_trial greatest = {
    .engine = ENGINE, .object = "pqueue-max", .right = TAKE_GREATEST, .seed = 13, .histories = 60000};
static const container_trial least = {
    .engine = ENGINE, .object = "pqueue-min", .right = TAKE_LEAST, .seed = 14, .histories = 50000};

static void against_oracle(void **unused) {
    (void)unused;
    containers_against_oracle(&greatest);
    containers_against_oracle(&least);
}

static void against_search(void **unused) {
    (void)unused;
    container_trial t = greatest;
    t.histories = 60;
    containers_against_search(&t, 400);
}

static void patterns_are_small(void **unused) {
    (void)unused;
    const char *wrong = "insert(5) [0,1]; deletemax() -> 5 [2,3]; insert(1) [4,5]; insert(2) [6,7]; deletemax() -> 1 "
                        "[8,9]; deletemax() -> 2 [10,11]";
    assert_int_equal(pattern_size(ENGINE, "pqueue-max", wrong), 4);
    assert_int_equal(pattern_size(ENGINE, "pqueue-max", "insert(1) [0,1]; insert(2) [2,3]; deletemax() -> 1 [4,5]"), 3);
}

static void order_of_priorities(void **unused) {
    (void)unused;
    const char *strings = "insert(b) [0,1]; insert(a) [2,3]; remove() -> a [4,5]; remove() -> b [6,7]";
    const char *ties = "insert([1 7]) [0,1]; insert([1 8]) [2,3]; remove() -> [1 8] [4,5]; remove() -> [1 7] [6,7]";
    const char *mixed =
        "insert(-5) [0,1]; insert(3000000000) [2,3]; remove() -> 3000000000 [4,5]; remove() -> -5 [6,7]";
    assert_int_equal(decide_text(ENGINE, "pqueue-min", strings), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "pqueue-max", strings), VERDICT_VIOLATION);
    assert_int_equal(decide_text(ENGINE, "pqueue-max", ties), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "pqueue-max", mixed), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "pqueue-min", mixed), VERDICT_VIOLATION);
}

static void equals_are_left_to_fifo(void **unused) {
    (void)unused;
    assert_false(accepts_text(ENGINE, "pqueue-max-fifo", "insert(1) [0,1]"));
}

static void tables_do_not_matter(void **unused) {
    (void)unused;
    container_trial t = greatest;
    t.histories = 400;
    containers_renumbered(&t, 400);
}

TEST_MAIN(TEST(against_oracle), TEST(against_search), TEST(tables_do_not_matter), TEST(patterns_are_small),
          TEST(order_of_priorities), TEST(equals_are_left_to_fifo))
