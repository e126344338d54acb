/* The set engine against the oracle, and on histories decided by hand. */
#include "support/cmocka.h"

#include "support/engine_trial.h"

static void against_the_oracle(void **unused) {
    (void)unused;
    differential d = {.engine = "set-linear", .object = "set", .seed = 3, .histories = 80000, .decided = 40, .cut_is_early = true};
    differential_run(&d);
}

static void by_hand(void **unused) {
    (void)unused;
    const char *g = "set-linear";
    assert_int_equal(decide_text(g, "set", "add(1) -> true [0,1]; contains(1) -> false [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_text(g, "set", "add(1) -> true [0,2]; contains(1) -> false [1,3]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(g, "set", "add(1) -> true [0,1]; add(1) -> true [2,3]"), VERDICT_VIOLATION);
    assert_int_equal(decide_text(g, "set", "add(1) -> true [0,1]; remove(1) [2,-]; add(1) -> true [3,4]"), VERDICT_LINEARIZABLE);
    assert_int_equal(decide_text(g, "set", "add(1) [0,-]; remove(1) -> true [1,2]; remove(1) -> true [3,4]"), VERDICT_VIOLATION);
}

/* The waiting flip that returns first has to be used: with the other one the second remove finds no add. */
static void deadlines_matter(void **unused) {
    (void)unused;
    const char *shown = "add(1) -> true [0,9]; add(1) -> true [1,4]; remove(1) -> true [2,3]; remove(1) -> true [5,10]";
    assert_int_equal(decide_text("set-linear", "set", shown), VERDICT_LINEARIZABLE);
}

static void needs_results(void **unused) {
    (void)unused;
    assert_false(accepts_text("set-linear", "set", "add(1) [0,1]"));
    assert_true(accepts_text("set-linear", "set", "add(1) -> true [0,1]; add(1) [2,-]"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_the_oracle),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(deadlines_matter),
        cmocka_unit_test(needs_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
