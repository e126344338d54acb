/* The public monitor: verdicts, evidence, misuse. */
#include "support/cmocka.h"

#include <plumbline/monitor.h>

#include <string.h>

static plumb_value integer(int64_t i) { return (plumb_value){.kind = PLUMB_INT, .as.integer = i}; }
static plumb_value none(void) { return (plumb_value){.kind = PLUMB_NONE}; }

static void put(plumb_monitor *m, int64_t client, int64_t i) {
    plumb_value v = integer(i);
    assert_int_equal(plumb_monitor_call(m, client, "enq", &v, 1), PLUMB_LINEARIZABLE);
    assert_int_equal(plumb_monitor_return(m, client, none()), PLUMB_LINEARIZABLE);
}

static void a_violation_at_its_event(void **unused) {
    (void)unused;
    uint64_t number[8];
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    put(m, 1, 1);
    put(m, 1, 2);
    assert_int_equal(plumb_monitor_call(m, 2, "deq", NULL, 0), PLUMB_LINEARIZABLE);
    assert_int_equal(plumb_monitor_lag(m), 1);
    assert_int_equal(plumb_monitor_return(m, 2, integer(2)), PLUMB_VIOLATION);
    assert_int_equal(plumb_monitor_bad_event(m), 5);
    assert_int_equal(plumb_monitor_pattern(m, number, 8), 3);
    assert_int_equal(number[2], 2);
    assert_true(*plumb_monitor_reason(m));
    assert_int_equal(plumb_monitor_call(m, 2, "deq", NULL, 0), PLUMB_VIOLATION);
    plumb_monitor_free(m);
}

static void an_open_remove_may_have_it(void **unused) {
    (void)unused;
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    put(m, 1, 1);
    put(m, 1, 2);
    plumb_monitor_call(m, 3, "deq", NULL, 0);
    plumb_monitor_call(m, 2, "deq", NULL, 0);
    assert_int_equal(plumb_monitor_return(m, 2, integer(2)), PLUMB_LINEARIZABLE);
    assert_int_equal(plumb_monitor_fail(m, 3), PLUMB_VIOLATION);
    plumb_monitor_free(m);
}

static void batches_are_settled(void **unused) {
    (void)unused;
    plumb_value one = integer(1);
    plumb_monitor *m = plumb_monitor_new("stack", NULL);
    plumb_monitor_call(m, 1, "push", &one, 1);
    plumb_monitor_return(m, 1, none());
    plumb_monitor_call(m, 1, "pop", NULL, 0);
    plumb_monitor_return(m, 1, (plumb_value){.kind = PLUMB_EMPTY});
    assert_int_equal(plumb_monitor_settle(m), PLUMB_VIOLATION);
    assert_int_equal(plumb_monitor_bad_event(m), 3);
    plumb_monitor_free(m);
}

static void misuse(void **unused) {
    (void)unused;
    plumb_monitor *m = plumb_monitor_new("no such object", NULL);
    assert_int_equal(plumb_monitor_call(m, 1, "enq", NULL, 0), PLUMB_ERROR);
    plumb_monitor_free(m);
    m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_return(m, 1, none()), PLUMB_ERROR);
    assert_non_null(strstr(plumb_monitor_reason(m), "no open call"));
    plumb_monitor_free(m);
    m = plumb_monitor_new("no such object", NULL);
    assert_int_equal(plumb_monitor_settle(m), PLUMB_ERROR);
    plumb_monitor_free(m);
}

/* Options are looked at as far as the caller's structure reaches. */
#define UNTIL(field) (offsetof(plumb_monitor_options, field) + sizeof(((plumb_monitor_options *)0)->field))

static plumb_verdict reads_first(plumb_monitor *m, int64_t v) {
    plumb_monitor_call(m, 1, "read", NULL, 0);
    plumb_monitor_return(m, 1, integer(v));
    plumb_verdict found = plumb_monitor_settle(m);
    plumb_monitor_free(m);
    return found;
}

static void initial_values(void **unused) {
    (void)unused;
    plumb_monitor_options o = {.struct_size = sizeof o, .init = "7"};
    assert_int_equal(reads_first(plumb_monitor_new("register", &o), 7), PLUMB_LINEARIZABLE);
    assert_int_equal(reads_first(plumb_monitor_new("register", &o), 8), PLUMB_VIOLATION);
    o.struct_size = UNTIL(init);
    assert_int_equal(reads_first(plumb_monitor_new("register", &o), 7), PLUMB_LINEARIZABLE);
    o.struct_size = UNTIL(init) - 1;
    assert_int_equal(reads_first(plumb_monitor_new("register", &o), 7), PLUMB_VIOLATION);
    assert_int_equal(reads_first(plumb_monitor_new("register", NULL), 7), PLUMB_VIOLATION);
}

/* Events are counted, calls and returns alike; what is open is the lag of a monitor that decides at once. */
static void numbers(void **unused) {
    (void)unused;
    uint64_t number[3] = {77, 77, 77};
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_events(m), 0);
    put(m, 1, 1);
    put(m, 1, 2);
    assert_int_equal(plumb_monitor_events(m), 4);
    assert_int_equal(plumb_monitor_bad_event(m), UINT64_MAX);
    assert_int_equal(plumb_monitor_pattern(m, number, 3), 0);
    assert_int_equal(number[0], 77);
    assert_true(plumb_monitor_memory(m) > 0);
    assert_string_equal(plumb_monitor_reason(m), "");
    plumb_monitor_call(m, 3, "deq", NULL, 0);
    assert_int_equal(plumb_monitor_info(m, 3), PLUMB_LINEARIZABLE); /* may have taken 1, now or later */
    plumb_monitor_call(m, 2, "deq", NULL, 0);
    assert_int_equal(plumb_monitor_return(m, 2, integer(2)), PLUMB_LINEARIZABLE);
    plumb_monitor_free(m);
    m = plumb_monitor_new("queue", NULL);
    put(m, 1, 1);
    put(m, 1, 2);
    plumb_monitor_call(m, 2, "deq", NULL, 0);
    plumb_monitor_return(m, 2, integer(2));
    assert_int_equal(plumb_monitor_pattern(m, number, 2), 3); /* as many as there is room for */
    assert_int_equal(number[0], 0);
    assert_int_equal(number[1], 1);
    assert_int_equal(number[2], 77);
    assert_int_equal(plumb_monitor_fail(m, 2), PLUMB_VIOLATION);
    assert_int_equal(plumb_monitor_info(m, 2), PLUMB_VIOLATION);
    assert_int_equal(plumb_monitor_return(m, 2, integer(2)), PLUMB_VIOLATION);
    assert_int_equal(plumb_monitor_call(m, 5, "deq", NULL, 0), PLUMB_VIOLATION);
    assert_int_equal(plumb_monitor_settle(m), PLUMB_VIOLATION);
    assert_int_equal(plumb_monitor_events(m), 6); /* what comes after a violation is not looked at */
    plumb_monitor_free(m);
    plumb_monitor_free(NULL);
}

static void misuse_is_told(void **unused) {
    (void)unused;
    plumb_monitor *m = plumb_monitor_new(NULL, NULL);
    assert_int_equal(plumb_monitor_settle(m), PLUMB_ERROR);
    assert_string_equal(plumb_monitor_reason(m), "plumb_monitor_new: no object; expected its name");
    assert_int_equal(plumb_monitor_events(m), 0);
    assert_int_equal(plumb_monitor_bad_event(m), UINT64_MAX);
    assert_int_equal(plumb_monitor_pattern(m, NULL, 0), 0);
    assert_int_equal(plumb_monitor_return(m, 1, none()), PLUMB_ERROR);
    assert_int_equal(plumb_monitor_fail(m, 1), PLUMB_ERROR);
    assert_int_equal(plumb_monitor_info(m, 1), PLUMB_ERROR);
    plumb_monitor_free(m);
    m = plumb_monitor_new("queue", NULL);
    put(m, 1, 1);
    assert_int_equal(plumb_monitor_fail(m, 4), PLUMB_ERROR);
    assert_non_null(strstr(plumb_monitor_reason(m), "monitor:3: "));
    plumb_monitor_free(m);
    m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_info(m, 4), PLUMB_ERROR);
    assert_non_null(strstr(plumb_monitor_reason(m), "monitor:1: "));
    plumb_monitor_free(m);
    m = plumb_monitor_new("queue", NULL);
    plumb_value many[5] = {integer(1), integer(2), integer(3), integer(4), integer(5)};
    plumb_monitor_call(m, 1, "enq", many, 5);
    plumb_monitor_free(m);
}

/* Without a call, or when all calls failed, there is no verdict; it comes with the first operation. */
static void nothing_is_no_verdict(void **unused) {
    (void)unused;
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_settle(m), PLUMB_UNDECIDED);
    assert_non_null(strstr(plumb_monitor_reason(m), "nothing was judged"));
    plumb_monitor_call(m, 1, "deq", NULL, 0);
    assert_int_equal(plumb_monitor_fail(m, 1), PLUMB_LINEARIZABLE);
    assert_int_equal(plumb_monitor_settle(m), PLUMB_UNDECIDED);
    put(m, 1, 1);
    assert_int_equal(plumb_monitor_settle(m), PLUMB_LINEARIZABLE);
    assert_string_equal(plumb_monitor_reason(m), "");
    plumb_monitor_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_no_verdict),
        cmocka_unit_test(initial_values),
        cmocka_unit_test(numbers),
        cmocka_unit_test(misuse_is_told),
        cmocka_unit_test(a_violation_at_its_event),
        cmocka_unit_test(an_open_remove_may_have_it),
        cmocka_unit_test(batches_are_settled),
        cmocka_unit_test(misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
