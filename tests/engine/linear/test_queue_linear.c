/* The queue engine against the oracle and against search, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/containers.h"

#define ENGINE "queue-linear"

static const container_trial queue = {
    .engine = ENGINE, .object = "queue", .right = TAKE_OLDEST, .seed = 11, .histories = 60000, .always_pattern = true};

static void against_oracle(void **unused) {
    (void)unused;
    containers_against_oracle(&queue);
}

static void against_search(void **unused) {
    (void)unused;
    container_trial t = queue;
    t.histories = 60;
    containers_against_search(&t, 400);
}

static void patterns_are_small(void **unused) {
    (void)unused;
    const char *swapped = "enq(9) [0,1]; deq() -> 9 [2,3]; enq(1) [4,5]; enq(2) [6,7]; deq() -> 2 [8,9]; deq() -> 1 "
                          "[10,11]; enq(3) [12,13]";
    assert_int_equal(pattern_size(ENGINE, "queue", swapped), 4);
    assert_int_equal(pattern_size(ENGINE, "queue", "enq(1) [0,1]; enq(2) [2,3]; deq() -> 2 [4,5]; enq(3) [6,7]"), 3);
    assert_int_equal(pattern_size(ENGINE, "queue", "enq(1) [0,1]; deq() -> 2 [2,3]"), 1);
    assert_int_equal(pattern_size(ENGINE, "queue", "enq(1) [0,1]; deq() -> 1 [2,3]; deq() -> 1 [4,5]; enq(2) [6,7]"),
                     3);
    /* covered by 1, then by 2 */
    const char *covered =
        "enq(1) [0,1]; deq() -> empty [2,9]; enq(2) [3,4]; deq() -> 1 [5,6]; deq() -> 2 [10,11]; enq(3) [12,13]";
    assert_int_equal(pattern_size(ENGINE, "queue", covered), 5);
}

/* Two values are overtaken; two pending dequeues before that are enough, one is not, nor is one that comes late. */
static void tokens_take_what_blocks(void **unused) {
    (void)unused;
    const char *two = "enq(1) [0,1]; enq(2) [2,3]; enq(3) [4,5]; deq() [6,-]; deq() [7,-]; deq() -> 3 [8,9]";
    const char *one = "enq(1) [0,1]; enq(2) [2,3]; enq(3) [4,5]; deq() [6,-]; deq() -> 3 [8,9]";
    const char *late = "enq(1) [0,1]; enq(2) [2,3]; enq(3) [4,5]; deq() [6,-]; deq() -> 3 [8,9]; deq() [10,-]";
    assert_int_equal(decide_text(ENGINE, "queue", two), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "queue", one), VERDICT_VIOLATION);
    assert_int_equal(decide_text(ENGINE, "queue", late), VERDICT_VIOLATION);
}

/* The same value again is another value once it has certainly gone; otherwise others have to decide. */
static void repeated_values(void **unused) {
    (void)unused;
    const char *again = "enq(1) [0,1]; deq() -> 1 [2,3]; enq(1) [4,5]; deq() -> 1 [6,7]";
    const char *twice = "enq(1) [0,1]; deq() -> 1 [2,5]; enq(1) [4,6]; deq() -> 1 [7,8]";
    const char *thrice = "enq(1) [0,1]; deq() -> 1 [2,3]; enq(1) [4,5]; deq() -> 1 [6,7]; deq() -> 1 [8,9]";
    const char *overtaken =
        "enq(1) [0,1]; deq() -> 1 [2,3]; enq(1) [4,5]; enq(2) [6,7]; deq() -> 2 [8,9]; deq() -> 1 [10,11]";
    assert_int_equal(decide_text(ENGINE, "queue", again), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "queue", twice), VERDICT_UNDECIDED);
    assert_int_equal(decide_text(ENGINE, "queue", thrice), VERDICT_VIOLATION);
    assert_int_equal(pattern_size(ENGINE, "queue", overtaken), 6);
}

static void refuses_capacities(void **unused) {
    (void)unused;
    assert_false(accepts_text(ENGINE, "queue(capacity=2)", "enq(1) [0,1]"));
    assert_true(accepts_text(ENGINE, "queue", "enq(1) [0,1]"));
}

static void nothing_at_all(void **unused) {
    (void)unused;
    assert_int_equal(decide_text(ENGINE, "queue", "deq() [0,-]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "queue", "enq(1) [0,-]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(ENGINE, "queue", "deq() -> empty [0,1]"), VERDICT_LINEARIZABLE);
}

static void tables_do_not_matter(void **unused) {
    (void)unused;
    container_trial t = queue;
    t.histories = 400;
    containers_renumbered(&t, 400);
}

TEST_MAIN(TEST(against_oracle), TEST(against_search), TEST(tables_do_not_matter), TEST(patterns_are_small),
          TEST(tokens_take_what_blocks), TEST(repeated_values), TEST(refuses_capacities), TEST(nothing_at_all))
