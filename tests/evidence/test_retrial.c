/* The retrial on histories that are too large for the oracle. That it agrees with the oracle on small ones of every
 * object is a check of the differential tests. */
#include "support/cmocka.h"

#include "evidence/retrial.h"
#include "support/make_history.h"

static const retrial_limits GENEROUS = {.steps = 2000000, .memory = 64 << 20};

static oracle_answer ask(const char *object_name, text *operations) {
    bound b = make_history(object_name, text_str(operations));
    oracle_answer a = retrial_linearizable(b.o, b.h, &GENEROUS);
    free_bound(&b);
    text_free(operations);
    return a;
}

/* Long: the effort for each event does not depend on what was before. States that are over are forgotten. */
static oracle_answer long_counter(int last) {
    text t = {0};
    for (int i = 0; i < 3000; i++) text_printf(&t, "inc() [%d,%d]; ", 2 * i, 2 * i + 3);
    text_printf(&t, "get() -> %d [10000,10001]", last);
    return ask("counter", &t);
}

static void long_histories(void **unused) {
    (void)unused;
    assert_int_equal(long_counter(3000), ORACLE_YES);
    assert_int_equal(long_counter(2999), ORACLE_NO);
}

/* 200 are open at once: alike, they take effect in one order only. */
static oracle_answer broad_counter(int last) {
    text t = {0};
    for (int i = 0; i < 200; i++) text_printf(&t, "inc() [%d,%d]; ", i, 1000 + i);
    text_printf(&t, "get() -> %d [2000,2001]", last);
    return ask("counter", &t);
}

static void broad_histories(void **unused) {
    (void)unused;
    assert_int_equal(broad_counter(200), ORACLE_YES);
    assert_int_equal(broad_counter(199), ORACLE_NO);
}

/* 100 writes never return, and their values are read: the write before last need not have happened for the last to. */
static oracle_answer pending_writes(int last) {
    text t = {0};
    for (int i = 0; i < 100; i++) text_printf(&t, "write(%d) [%d,-]; ", i, i);
    for (int i = 0; i < 100; i++) text_printf(&t, "read() -> %d [%d,%d]; ", i, 1000 + 2 * i, 1001 + 2 * i);
    text_printf(&t, "read() -> %d [2000,2001]", last);
    return ask("register", &t);
}

static void many_pending(void **unused) {
    (void)unused;
    assert_int_equal(pending_writes(99), ORACLE_YES);
    assert_int_equal(pending_writes(50), ORACLE_NO); /* it was overwritten */
}

/* 5 came about as 1 + 4 or as 2 + 3, and what is left makes 7 and 8 or 6 and 9: neither way stands for the other. */
static void which_pending_ones_were_used(void **unused) {
    (void)unused;
    for (int last = 6; last <= 11; last++) {
        text t = {0};
        for (int k = 1; k <= 4; k++) text_printf(&t, "add(%d) [%d,-]; ", k, k);
        text_printf(&t, "get() -> 5 [10,11]; get() -> %d [12,13]", last);
        assert_int_equal(ask("counter", &t), last == 11 ? ORACLE_NO : ORACLE_YES);
    }
}

/* Of several keys, one that is wrong is enough. */
static void each_key(void **unused) {
    (void)unused;
    text t = {0}, same = {0};
    for (int i = 0; i < 40; i++)
        text_printf(&t, "put(%d,1) [%d,%d]; get(%d) -> 1 [%d,%d]; ", i, 4 * i, 4 * i + 1, i, 4 * i + 2, 4 * i + 3);
    text_add(&same, text_str(&t));
    text_add(&same, "get(7) -> 1 [900,901]");
    text_add(&t, "get(7) -> 2 [900,901]");
    assert_int_equal(ask("kv", &same), ORACLE_YES);
    assert_int_equal(ask("kv", &t), ORACLE_NO);
}

/* 24 different values may be pushed in any order, and no operation ever looks: too much for these limits, and it says
 * so. */
static void gives_up(void **unused) {
    (void)unused;
    text t = {0};
    for (int i = 0; i < 24; i++) text_printf(&t, "push(%d) [%d,%d]; ", i, i, 100 + i);
    text_add(&t, "pop() -> 99 [200,201]");
    assert_int_equal(ask("stack", &t), ORACLE_GAVE_UP);
}

TEST_MAIN(TEST(long_histories), TEST(broad_histories), TEST(many_pending), TEST(each_key), TEST(gives_up),
          TEST(which_pending_ones_were_used))
