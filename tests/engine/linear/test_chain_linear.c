/* The engine of chains against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

static void against_the_oracle(void **unused) {
    (void)unused;
    differential d = {.engine = "chain-linear",
                      .object = "cas-register",
                      .seed = 11,
                      .histories = 60000,
                      .decided = 90,
                      .shape = shape_distinct};
    differential_run(&d);
    d.seed++;
    d.shape = shape_small; /* repeated values: refused or right */
    d.decided = 5;
    differential_run(&d);
    d.object = "kv";
    d.decided = 1;
    differential_run(&d);
    d.shape = shape_distinct;
    d.seed++;
    differential_run(&d);
    d.object = "register";
    d.shape = shape_small;
    d.decided = 60;
    differential_run(&d);
}

static verdict decide_cas(const char *operations) { return decide_text("chain-linear", "cas-register", operations); }

static void chains(void **unused) {
    (void)unused;
    assert_int_equal(decide_cas("write(1) [0,1]; cas(1,2) -> true [2,3]; cas(2,3) -> true [4,5]; read() -> 3 [6,7]"),
                     VERDICT_LINEARIZABLE);
    /* two compare-and-sets of one value */
    assert_int_equal(decide_cas("write(1) [0,1]; cas(1,2) -> true [2,9]; cas(1,3) -> true [3,8]"), VERDICT_VIOLATION);
    /* the chain 1, 2, 3 read backwards */
    assert_int_equal(decide_cas("write(1) [0,1]; cas(1,2) -> true [2,9]; cas(2,3) -> true [3,8]; read() -> 3 [10,11]; "
                                "read() -> 2 [12,13]"),
                     VERDICT_VIOLATION);
    /* a write between the members of a chain: it returned after one and was called before another */
    assert_int_equal(decide_cas("write(1) [0,1]; write(5) [2,3]; cas(1,2) -> true [4,5]"), VERDICT_VIOLATION);
    assert_int_equal(decide_cas("write(1) [0,1]; write(5) [2,6]; cas(1,2) -> true [4,5]"), VERDICT_LINEARIZABLE);
    /* a cycle, and a value from nowhere */
    assert_int_equal(decide_cas("cas(1,2) -> true [0,9]; cas(2,1) -> true [1,8]"), VERDICT_VIOLATION);
    assert_int_equal(decide_cas("cas(7,2) -> true [0,9]"), VERDICT_VIOLATION);
    assert_int_equal(decide_cas(""), VERDICT_LINEARIZABLE);
}

/* A pending update counts where its value is observed, through chains of pending ones too. */
static void pending(void **unused) {
    (void)unused;
    assert_int_equal(decide_cas("write(1) [0,-]; cas(1,2) [1,-]; cas(2,3) [2,-]; read() -> 3 [5,6]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_cas("write(1) [0,-]; cas(1,2) [1,-]; cas(2,3) [2,-]; read() -> 3 [5,6]; read() -> 1 [7,8]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_cas("write(1) [0,1]; cas(1,2) [2,-]; cas(1,3) -> true [3,4]"), VERDICT_LINEARIZABLE);
}

/* One that failed needs a moment at which another value is held. */
static void failed(void **unused) {
    (void)unused;
    assert_int_equal(decide_cas("write(1) [0,1]; cas(2,3) -> false [2,3]; read() -> 1 [4,5]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_cas("write(1) [0,1]; cas(1,3) -> false [2,5]; write(2) [3,4]"), VERDICT_LINEARIZABLE);
    /* none is left in the orders that are tried: given up, never called linearizable */
    assert_int_equal(decide_cas("write(1) [0,1]; cas(1,3) -> false [2,3]; read() -> 1 [4,5]"), VERDICT_UNDECIDED);
}

/* 2 and 4 were written over a long time. One of them has to come before 1, so that the key is not empty when the first
 * compare-and-set fails, and one behind it for the second: no order by an end of their blocks does both. */
static void mended(void **unused) {
    (void)unused;
    assert_int_equal(
        decide_cas("write(2) [0,30]; write(4) [1,31]; cas(none,8) -> false [2,3]; write(1) [4,7]; read() -> "
                   "1 [5,6]; cas(1,9) -> false [8,9]"),
        VERDICT_LINEARIZABLE);
}

static void values_written_often(void **unused) {
    (void)unused;
    /* observed or not, as long as no compare-and-set expects one of them */
    assert_int_equal(decide_cas("write(1) [0,1]; write(1) [2,3]; write(2) [4,5]; read() -> 2 [6,7]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_cas("write(1) [0,1]; read() -> 1 [2,3]; write(2) [4,5]; write(1) [6,7]; read() -> 1 [8,9]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_cas("write(1) [0,1]; write(1) [2,3]; cas(1,2) -> true [4,5]"), VERDICT_UNDECIDED);
    /* the pending write may be the one that was read */
    assert_int_equal(decide_cas("write(1) [0,1]; write(2) [2,3]; write(1) [4,-]; read() -> 1 [6,7]"),
                     VERDICT_UNDECIDED);
}

static void keys(void **unused) {
    (void)unused;
    assert_int_equal(decide_text("chain-linear", "kv", "put(k,1) [0,1]; get(k) -> 1 [2,3]; get(j) -> none [4,5]"),
                     VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text("chain-linear", "kv", "put(k,1) [0,1]; put(k,2) [2,3]; get(k) -> 1 [4,5]"),
                     VERDICT_VIOLATION);
    assert_int_equal(
        decide_text("chain-linear", "kv", "put(k,1) [0,1]; delete(k) [2,3]; put(k,2) [4,5]; get(k) -> 2 [6,7]"),
        VERDICT_LINEARIZABLE);
}

/* Nothing reads what they wrote, but each compare-and-set failed because of one of them; the third one was called too
 * late for the first failure, and there are not enough of them for four. */
static void pending_writes_make_compare_and_sets_fail(void **unused) {
    (void)unused;
    static const char three[] = "write(1) [0,-];write(2) [1,-];write(10) [2,3];cas(10,50) -> false [4,5];"
                                "write(11) [6,7];write(3) [8,-];cas(11,51) -> false [9,10];"
                                "write(12) [11,12];read() -> 12 [13,14];cas(12,52) -> false [15,16]";
    text more = {0};
    text_printf(&more, "%s;write(13) [17,18];cas(13,53) -> false [19,20]", three);
    assert_int_equal(decide_text("chain-linear", "cas-register", three), VERDICT_LINEARIZABLE);
    assert_int_not_equal(decide_text("chain-linear", "cas-register", text_str(&more)), VERDICT_LINEARIZABLE);
    text_free(&more);
}

TEST_MAIN(TEST(pending_writes_make_compare_and_sets_fail), TEST(against_the_oracle), TEST(chains), TEST(pending),
          TEST(failed), TEST(mended), TEST(values_written_often), TEST(keys))
