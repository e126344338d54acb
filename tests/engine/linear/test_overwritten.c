/* The engine that finds reads of overwritten values, against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

static random_shape shape_of_one_key(random_source *r) {
    random_shape s = shape_small(r);
    s.keys = 1;
    return s;
}

static void against_the_oracle(void **unused) {
    (void)unused;
    static const char *const objects[] = {"kv", "cas-register", "register"};
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++) {
        differential d = {.engine = "overwritten",
                          .object = objects[i],
                          .seed = 21 + i,
                          .histories = 40000,
                          .decided = 1,
                          .shape = shape_of_one_key};
        differential_run(&d);
        d.shape = shape_distinct;
        differential_run(&d);
    }
}

static verdict decide_kv(const char *operations) { return decide_text("overwritten", "kv", operations); }

static void reads_of_one_value(void **unused) {
    (void)unused;
    assert_int_equal(decide_kv("put(k,1) [0,1]; put(k,2) [2,3]; get(k) -> 1 [4,5]"), VERDICT_VIOLATION);
    assert_int_equal(decide_kv("put(k,1) [0,1]; put(k,2) [2,9]; get(k) -> 1 [4,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("put(k,1) [0,9]; put(k,2) [2,3]; get(k) -> 1 [4,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("put(k,1) [0,1]; put(k,2) [2,-]; get(k) -> 1 [4,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("get(k) -> 1 [0,1]; put(k,1) [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_kv("get(k) -> 1 [0,1]; put(k,2) [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_kv("put(k,1) [0,1]; put(k,2) [2,3]; cas(k,1,3) -> true [4,5]"), VERDICT_VIOLATION);
    assert_int_equal(decide_kv("put(k,1) [0,1]; put(k,2) [2,3]; cas(k,1,3) -> false [4,5]"), VERDICT_UNDECIDED);
    /* what does not change the value hides nothing */
    assert_int_equal(decide_kv("put(k,1) [0,1]; cas(k,1,1) -> true [2,3]; get(k) -> 1 [4,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("put(k,1) [0,1]; cas(k,2,3) -> false [2,3]; get(k) -> 1 [4,5]"), VERDICT_UNDECIDED);
}

static void absent_keys(void **unused) {
    (void)unused;
    assert_int_equal(decide_kv("put(k,1) [0,1]; get(k) -> none [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_kv("put(k,1) [0,3]; get(k) -> none [2,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("delete(k) [0,-]; put(k,1) [1,2]; get(k) -> none [3,4]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("delete(k) [0,1]; put(k,1) [2,3]; get(k) -> none [4,5]"), VERDICT_VIOLATION);
}

static void appends(void **unused) {
    (void)unused;
    assert_int_equal(decide_kv("put(k,1) [0,1]; append(k,2) [2,3]; get(k) -> 12 [4,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("append(k,2) [0,1]; put(k,1) [2,3]; get(k) -> 12 [4,5]"), VERDICT_VIOLATION);
    assert_int_equal(decide_kv("append(k,2) [0,-]; put(k,1) [2,3]; get(k) -> 12 [4,5]"), VERDICT_UNDECIDED);
    assert_int_equal(decide_kv("append(k,2) [0,1]; append(k,3) [2,3]; get(k) -> 2 [4,5]"), VERDICT_VIOLATION);
}

/* More updates of one text than are looked at one by one. */
static void often_the_same(void **unused) {
    (void)unused;
    text many = {0};
    for (unsigned i = 0; i < 500; i++) text_printf(&many, "put(k,1) [%u,%u]; ", 4 * i, 4 * i + 1);
    text_printf(&many, "put(k,2) [%u,%u]; get(k) -> 1 [%u,%u]", 3000, 3001, 3002, 3003);
    assert_int_equal(decide_kv(text_str(&many)), VERDICT_VIOLATION);
    text_printf(&many, "; put(k,1) [%u,-]", 2999);
    assert_int_equal(decide_kv(text_str(&many)), VERDICT_UNDECIDED);
    text_free(&many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_the_oracle), cmocka_unit_test(reads_of_one_value),
        cmocka_unit_test(absent_keys),        cmocka_unit_test(appends),
        cmocka_unit_test(often_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
