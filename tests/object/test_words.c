/* Words of stores, sets, registers and transactions, by hand: what each may return, what it does when it is pending,
 * that a store becomes the wider one only when a history has its words, and in which ways they may be written. */
#include "support/cmocka.h"

#include "evidence/oracle.h"
#include "support/make_history.h"

static void check(const char *name, const char *operations, bool right) {
    bound b = make_history(name, operations);
    oracle_answer a = oracle_linearizable(b.o, b.h, 0);
    assert_int_not_equal(a, ORACLE_GAVE_UP);
    if ((a == ORACLE_YES) != right) fail_msg("%s: %s: expected %s", name, operations, right ? "right" : "wrong");
    free_bound(&b);
}

static void stores(void **unused) {
    (void)unused;
    check("kv", "putifabsent(1 5) -> none [0,1]; putifabsent(1 6) -> 5 [2,3]; get(1) -> 5 [4,5]", true);
    check("kv", "putifabsent(1 5) -> true [0,1]; putifabsent(1 6) -> false [2,3]; get(1) -> 6 [4,5]", false);
    check("kv", "put(1 5) [0,1]; putifabsent(1 6) -> true [2,3]", false);
    check("kv", "put(1 5) [0,1]; contains(1) -> true [2,3]; delete(1) [4,5]; contains(1) -> false [6,7]", true);
    check("kv", "getandset(1 5) -> none [0,1]; getandset(1 6) -> 5 [2,3]; get(1) -> 5 [4,5]", false);
    check("kv",
          "put(1 5) [0,1]; put(2 6) [2,3]; size() -> 2 [4,5]; keys() -> [2 1] [6,7]; clear() [8,9]; size() -> 0 "
          "[10,11]",
          true);
    check("kv", "put(1 5) [0,1]; put(2 6) [2,3]; keys() -> [1 1] [6,7]", false);
    check("kv", "put(1 5) [0,1]; put(2 6) [2,3]; keys() -> [1] [6,7]", false);
    check("kv", "put(1 5) [0,9]; put(2 6) [0,9]; size() -> 1 [1,2]; get(1) -> none [3,4]; get(2) -> none [5,6]", false);
    check("kv", "put(1 5) [0,1]; delete(1) [2,-]; size() -> 0 [4,5]", true);
    check("kv", "cas(1 none 5) -> true [0,1]; size() -> 1 [2,3]; cas(1 5 6) -> true [4,5]; get(1) -> 6 [6,7]", true);
}

static void widening_of_stores(void **unused) {
    (void)unused;
    static const struct {
        const char *operations, *type;
    } cases[] = {{"put(1 5) [0,1]; get(1) -> 5 [2,3]", "kv"},
                 {"put(1 5) [0,1]; contains(1) -> true [2,3]", "wide-kv"},
                 {"put(1 5) [0,1]; size() -> 1 [2,3]", "whole-kv"}};
    for (unsigned i = 0; i < 3; i++) {
        bound b = make_history("kv", cases[i].operations);
        assert_string_equal(b.o->type->name, cases[i].type);
        assert_int_equal(b.h->key != NULL, i < 2);
        free_bound(&b);
    }
}

static void sets(void **unused) {
    (void)unused;
    check("set", "add(1) [0,1]; add(2) -> true [2,3]; read() -> [2 1] [4,5]; size() -> 2 [6,7]", true);
    check("set", "add(1) [0,1]; add(2) [2,3]; read() -> [2] [4,5]", false);
    check("set", "add(1) [0,1]; add(2) [2,-]; read() -> [2 1] [4,5]; read() -> [1] [6,7]", false);
    check("set", "add(1) [0,1]; clear() [2,3]; isempty() -> true [4,5]; contains(1) -> false [6,7]", true);
    /* each element alone could be explained: not all at one moment */
    check("set", "add(1) [0,9]; add(2) [0,9]; read() -> [1] [1,8]; read() -> [2] [1,8]", false);
}

static void registers(void **unused) {
    (void)unused;
    check("register", "write(1) [0,1]; swap(2) -> 1 [2,3]; swap(3) -> 2 [4,5]; read() -> 3 [6,7]", true);
    check("register", "write(1) [0,1]; swap(2) -> 1 [2,5]; swap(3) -> 1 [2,5]", false);
    check("cas-register", "write(1) [0,1]; cas(1 2) -> true [2,3]; swap(5) -> 2 [4,5]", true);
    check("register", "write(1) [0,1]; swap(2) [2,-]; read() -> 2 [4,5]; read() -> 1 [6,7]", false);
}

static void banks(void **unused) {
    (void)unused;
    check("bank(accounts=2,balance=10)", "transfer(0 1 3) [0,1]; read() -> [7 13] [2,3]", true);
    check("bank(accounts=2,balance=10)", "transfer(0 1 3) [0,5]; read() -> [7 10] [2,3]", false); /* half done */
    check("bank(accounts=2,balance=10)", "transfer(0 1 13) -> false [0,1]; read() -> [10 10] [2,3]", true);
    check("bank(accounts=2,balance=10)", "transfer(0 1 13) [0,1]", false);
    check("bank(accounts=2,balance=10,negative=1)", "transfer(0 1 13) [0,1]; read() -> [-3 23] [2,3]", true);
    check("bank(accounts=2,balance=10)", "transfer(0 1 3) [0,-]; read() -> [7 13] [2,3]; read() -> [10 10] [4,5]",
          false);
    check("bank(accounts=2,balance=10)", "transfer(0 0 3) [0,1]; read() -> [10 10] [2,3]", true);
}

static void transactions(void **unused) {
    (void)unused;
    check("multi-register",
          "txn([[w 1 5] [w 2 5]]) [0,9]; txn([[r 1 none] [r 2 none]]) -> [[r 1 5] [r 2 5]] "
          "[1,2]",
          true);
    check("multi-register",
          "txn([[w 1 5] [w 2 5]]) [0,9]; txn([[r 1 none] [r 2 none]]) -> [[r 1 5] [r 2 none]] "
          "[1,2]",
          false);
    /* write skew: each saw nothing of the other */
    check("multi-register",
          "txn([[r 1 none] [w 2 5]]) -> [[r 1 none] [w 2 5]] [0,9]; "
          "txn([[r 2 none] [w 1 5]]) -> [[r 2 none] [w 1 5]] [0,9]",
          false);
    /* it reads what it wrote itself */
    check("multi-register", "txn([[w 1 5] [r 1 none]]) -> [[w 1 5] [r 1 5]] [0,1]", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores), cmocka_unit_test(widening_of_stores),
        cmocka_unit_test(sets),   cmocka_unit_test(registers),
        cmocka_unit_test(banks),  cmocka_unit_test(transactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
