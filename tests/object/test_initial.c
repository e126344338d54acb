/* Initial values by key: engines, which are given the object of one key, agree with the oracle, which looks the value
 * up at the first step; and the same history with the values written before everything else. */
#include "support/cmocka.h"

#include "engine/portfolio.h"
#include "evidence/oracle.h"
#include "evidence/witness_check.h"
#include "object/initial.h"
#include "support/random_history.h"

#include <stdio.h>

static verdict decide_by(const history *h, const object *o, bool *replayed) {
    budget b;
    decision d;
    decide_options how = {0};
    text wrong = {0};
    budget_init(&b, 0, 0);
    decide(h, o, &how, &b, NULL, &d);
    verdict v = d.verdict;
    *replayed = v != VERDICT_LINEARIZABLE || witness_check(h, o, &d.witness, &wrong);
    decision_free(&d);
    text_free(&wrong);
    return v;
}

static const char *const begins[] = {"1 1\n2 2\n", "1 2\n", "2 3\n1 none\n", "\n"};

static object *open_with(const char *name, const char *init, values *v) {
    error e = {0};
    object *o = object_open(name, init, &e);
    assert_non_null(o);
    object_use_values(o, v);
    return o;
}

static void engines_agree_with_the_oracle(void **unused) {
    (void)unused;
    unsigned linearizable = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        random_source r = {.s = seed};
        random_shape shape = {.operations = 7, .clients = 3, .values = 3, .keys = 2, .pending = 0.1, .spoil = 0.7};
        bound b = random_history(&r, "kv", &shape);
        object *o = open_with("kv", begins[seed % 4], b.h->values);
        oracle_answer a = oracle_linearizable(o, b.h, 100000);
        bool replayed;
        verdict v = decide_by(b.h, o, &replayed);
        assert_true(replayed);
        if (a != ORACLE_GAVE_UP) assert_int_equal(v, a == ORACLE_YES ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION);
        linearizable += a == ORACLE_YES;
        wrong += a == ORACLE_NO;
        object_close(o);
        free_bound(&b);
    }
    assert_true(linearizable > 1000 && wrong > 1000);
}

/* One key: what was there before is what an operation that ended before everything else wrote. */
static void the_same_as_a_write_before(void **unused) {
    (void)unused;
    static const char *const all[] = {
        "get(1) -> 4 [2,3]; put(1,5) [4,5]; get(1) -> 5 [6,7]",
        "get(1) -> none [2,3]",
        "put(1,5) [2,6]; get(1) -> 4 [3,7]; get(1) -> 4 [8,9]",
        "cas(1,4,5) -> true [2,3]; get(1) -> 5 [4,5]",
        "cas(1,4,5) -> false [2,3]",
        "delete(1) [2,9]; get(1) -> 4 [3,4]; get(1) -> none [5,6]",
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        char text_of[256];
        snprintf(text_of, sizeof text_of, "put(1,4) [0,1]; %s", all[i]);
        bound alone = make_history("kv", all[i]), with = make_history("kv", text_of);
        object *o = open_with("kv", "1 4\n", alone.h->values);
        bool replayed;
        verdict expected = decide_by(with.h, with.o, &replayed);
        assert_int_equal(decide_by(alone.h, o, &replayed), expected);
        assert_true(replayed);
        assert_int_equal(oracle_linearizable(o, alone.h, 100000) == ORACLE_YES, expected == VERDICT_LINEARIZABLE);
        object_close(o);
        free_bound(&alone);
        free_bound(&with);
    }
}

static void texts(void **unused) {
    (void)unused;
    values *v = values_new();
    object *o = open_with("register", " \"a b\" 1\n# nothing\n 2 \"x\\\"\\n\"\r\nword true\n", v);
    value string = value_bytes(v, "x\"\n", 3);
    assert_int_equal(object_initial(o, value_bytes(v, "a b", 3)), value_int(v, 1));
    assert_int_equal(object_initial(o, value_int(v, 2)), string);
    assert_int_equal(object_initial(o, value_bytes(v, "word", 4)), VALUE_TRUE);
    assert_int_equal(object_initial(o, value_int(v, 3)), VALUE_NONE);
    object one = object_for_key(o, value_int(v, 2));
    assert_int_equal(one.init, string);
    assert_string_equal(one.type->name, "register");
    object_close(o);
    o = open_with("register", "7", v);
    assert_int_equal(object_initial(o, VALUE_NONE), value_int(v, 7));
    object_close(o);
    error e = {0};
    assert_null(object_open("register", "a 1\nb\n", &e));
    assert_int_equal(e.code, EXIT_USAGE);
    assert_null(object_open("register", "a 1 2\n", &e));
    assert_null(object_open("register", "a \"1\n", &e));
    values_free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_agree_with_the_oracle),
        cmocka_unit_test(the_same_as_a_write_before),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
