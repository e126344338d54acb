/* The oracle on histories small enough to decide by hand. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "support/make_history.h"

static oracle_answer ask(const char *object_name, const char *operations) {
    bound b = make_history(object_name, operations);
    oracle_answer a = oracle_linearizable(b.o, b.h, 0);
    free_bound(&b);
    return a;
}

static void fifo_order(void **unused) {
    (void)unused;
    assert_int_equal(ask("queue", "enq(1) [0,1]; enq(2) [2,3]; deq() -> 1 [4,5]; deq() -> 2 [6,7]"), ORACLE_YES);
    assert_int_equal(ask("queue", "enq(1) [0,1]; enq(2) [2,3]; deq() -> 2 [4,5]; deq() -> 1 [6,7]"), ORACLE_NO);
    assert_int_equal(ask("queue", "enq(1) [0,2]; enq(2) [1,3]; deq() -> 2 [4,5]; deq() -> 1 [6,7]"), ORACLE_YES);
}

static void pending_may_or_may_not_happen(void **unused) {
    (void)unused;
    assert_int_equal(ask("queue", "enq(1) [0,-]; deq() -> 1 [1,2]"), ORACLE_YES);
    assert_int_equal(ask("queue", "enq(1) [0,-]; deq() -> empty [1,2]"), ORACLE_YES);
    assert_int_equal(ask("queue", "enq(1) [0,1]; deq() [2,-]; deq() -> empty [3,4]"), ORACLE_YES);
    assert_int_equal(ask("queue", "enq(1) [0,1]; deq() -> empty [3,4]; deq() [5,-]"), ORACLE_NO);
}

static void equal_stamps_overlap(void **unused) {
    (void)unused;
    assert_int_equal(ask("queue", "enq(1) [0,5]; deq() -> empty [5,6]"), ORACLE_YES);
    assert_int_equal(ask("queue", "enq(1) [0,5]; deq() -> empty [6,7]"), ORACLE_NO);
}

static void register_reads(void **unused) {
    (void)unused;
    assert_int_equal(ask("register", "write(1) [0,9]; read() -> 1 [1,2]; read() -> none [3,4]"), ORACLE_NO);
    assert_int_equal(ask("register", "write(1) [0,9]; read() -> none [1,2]; read() -> 1 [3,4]"), ORACLE_YES);
}

TEST_MAIN(TEST(fifo_order), TEST(pending_may_or_may_not_happen), TEST(equal_stamps_overlap), TEST(register_reads))
