/* The stack engine against the oracle and against search, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/containers.h"

#define ENGINE "stack-linear"

static const container_trial stack = {
    .engine = ENGINE, .object = "stack", .right = TAKE_NEWEST, .seed = 15, .histories = 60000};

static void against_oracle(void **unused) {
    (void)unused;
    containers_against_oracle(&stack);
}

static void against_search(void **unused) {
    (void)unused;
    container_trial t = stack;
    t.histories = 60;
    containers_against_search(&t, 400);
}

static void patterns_are_small(void **unused) {
    (void)unused;
    const char *swapped = "push(9) [0,1]; pop() -> 9 [2,3]; push(1) [4,5]; push(2) [6,7]; pop() -> 1 [8,9]; pop() -> 2 "
                          "[10,11]; push(3) [12,13]";
    assert_int_equal(pattern_size(ENGINE, "stack", swapped), 4);
    assert_int_equal(pattern_size(ENGINE, "stack", "push(1) [0,1]; push(2) [2,3]; pop() -> 1 [4,5]; push(3) [6,7]"), 3);
    assert_int_equal(pattern_size(ENGINE, "stack", "push(1) [0,1]; pop() -> empty [2,3]; push(2) [4,5]"), 2);
}

/* The first pending pop has to take 2 and the second 1: any other pairing fails. */
static void tokens_in_the_right_order(void **unused) {
    (void)unused;
    const char *shown = "push(1) [0,1]; push(3) [2,3]; push(2) [4,5]; pop() [6,-]; pop() -> 3 [7,8]; pop() [9,-]; "
                        "pop() -> empty [10,11]";
    const char *late = "push(1) [0,1]; push(3) [2,3]; push(2) [4,5]; pop() -> 3 [7,8]; pop() [9,-]; pop() [10,-]; "
                       "pop() -> empty [11,12]";
    assert_int_equal(decide_text(ENGINE, "stack", shown), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "stack", late), VERDICT_VIOLATION);
}

/* 8 is stuck only because 6 below it is: both have to be taken. */
static void tokens_above_stuck_values(void **unused) {
    (void)unused;
    const char *shown =
        "push(2) [1,2]; push(1) [3,4]; push(6) [5,6]; pop() -> 1 [7,12]; push(8) [8,9]; pop() [10,-]; pop() [11,-]";
    assert_int_equal(decide_text(ENGINE, "stack", shown), VERDICT_LINEARIZABLE);
}

static void tables_do_not_matter(void **unused) {
    (void)unused;
    container_trial t = stack;
    t.histories = 400;
    containers_renumbered(&t, 400);
}

TEST_MAIN(TEST(against_oracle), TEST(against_search), TEST(tables_do_not_matter), TEST(patterns_are_small),
          TEST(tokens_in_the_right_order), TEST(tokens_above_stuck_values))
