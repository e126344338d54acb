/* What is said of containers whose values repeat: violations only, and each of them one. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

#define ENGINE "repeated-values"

static void against_oracle(void **unused) {
    (void)unused;
    static const char *const objects[] = {
        "queue", "stack", "deque", "multiset", "pqueue-max", "pqueue-min", "queue(capacity=2)"};
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        differential d = {.engine = ENGINE, .object = objects[i], .seed = 91 + i, .histories = 4000};
        differential_run(&d);
    }
}

static void removed_too_often(void **unused) {
    (void)unused;
    assert_int_equal(decide_text(ENGINE, "queue",
                                 "enq(1) [0,1]; enq(1) [2,3]; deq() -> 1 [4,5]; deq() -> 1 [6,7]; deq() -> 1 [8,9]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text(ENGINE, "queue", "deq() -> 1 [0,3]; enq(1) [4,5]; enq(1) [6,7]"), VERDICT_VIOLATION);
    assert_int_equal(decide_text(ENGINE, "queue", "deq() -> 1 [0,3]; enq(1) [2,-]; enq(1) [6,7]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_text(ENGINE, "deque", "pushl(1) [0,1]; popr() -> 2 [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_text(ENGINE, "multiset", "add(1) [0,1]; remove(1) -> true [2,3]; remove(1) -> true [4,5]"),
                     VERDICT_VIOLATION);
    assert_int_equal(decide_text(ENGINE, "multiset", "add(1) [0,1]; remove(1) -> true [2,3]; remove(1) -> false [4,5]"),
                     VERDICT_UNDECIDED);
}

/* Without the ones, 2 and 3 are in the wrong order. */
static void the_others_alone(void **unused) {
    (void)unused;
    assert_int_equal(
        decide_text(ENGINE, "queue",
                    "enq(1) [0,1]; enq(2) [2,3]; enq(1) [4,5]; enq(3) [6,7]; deq() -> 1 [8,9]; deq() -> 3 [10,11]; "
                    "deq() -> 2 [12,13]"),
        VERDICT_VIOLATION);
    assert_int_equal(
        decide_text(
            ENGINE, "queue",
            "enq(1) [0,1]; enq(2) [2,3]; enq(1) [4,5]; deq() -> 2 [8,9]; deq() -> 1 [10,11]; deq() -> 1 [12,13]"),
        VERDICT_UNDECIDED); /* it is one, but not without the ones */
}

TEST_MAIN(TEST(against_oracle), TEST(removed_too_often), TEST(the_others_alone))
