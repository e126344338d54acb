/* The front door: what a user of the library can do, and what it answers to misuse. */
#include "support/cmocka.h"

#include <plumbline/plumbline.h>
#include <string.h>

static void add(plumb_history *h, int64_t client, int64_t v) {
    plumb_value arg = plumb_int(v);
    assert_true(plumb_history_call(h, client, "enq", &arg, 1));
    assert_true(plumb_history_return(h, client, plumb_none()));
}

static void take(plumb_history *h, int64_t client, int64_t v) {
    assert_true(plumb_history_call(h, client, "deq", NULL, 0));
    assert_true(plumb_history_return(h, client, plumb_int(v)));
}

static void linearizable_gives_a_witness(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    add(h, 1, 5);
    take(h, 2, 5);
    plumb_result *r = plumb_check(h, "queue", NULL);
    size_t n;
    assert_int_equal(plumb_result_verdict(r), PLUMB_LINEARIZABLE);
    const uint32_t *order = plumb_result_witness(r, &n);
    assert_int_equal(n, 2);
    assert_int_equal(order[0], 0);
    assert_int_equal(order[1], 1);
    assert_string_equal(plumb_result_reason(r), "");
    assert_null(plumb_result_core(r, &n));
    assert_non_null(strstr(plumb_result_json(r), "\"verdict\":\"linearizable\""));
    plumb_result_free(r);
    plumb_history_free(h);
}

static void violation_gives_a_core_and_an_explanation(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    add(h, 1, 1);
    add(h, 1, 2);
    add(h, 3, 9);
    take(h, 2, 2);
    plumb_result *r = plumb_check(h, NULL, NULL);
    size_t n;
    assert_int_equal(plumb_result_verdict(r), PLUMB_VIOLATION);
    assert_string_equal(plumb_result_object(r), "queue");
    const uint32_t *core = plumb_result_core(r, &n);
    assert_int_equal(n, 3);
    assert_int_equal(core[0], 0);
    assert_int_equal(core[1], 1);
    assert_int_equal(core[2], 3);
    assert_non_null(strstr(plumb_result_explanation(r), "deq() -> 2"));
    plumb_result_free(r);
    plumb_history_free(h);
}

static plumb_verdict under(plumb_history *h, const char *criterion) {
    plumb_check_options options = {.struct_size = sizeof options, .criterion = criterion};
    plumb_result *r = plumb_check(h, "queue", &options);
    plumb_verdict v = plumb_result_verdict(r);
    if (v == PLUMB_LINEARIZABLE) assert_non_null(strstr(plumb_result_json(r), criterion));
    plumb_result_free(r);
    return v;
}

/* One history, asked for one criterion after the other. */
static void criteria(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    add(h, 1, 1);
    add(h, 1, 2);
    take(h, 2, 2);
    take(h, 2, 1);
    assert_int_equal(under(h, "linearizable"), PLUMB_VIOLATION);
    assert_int_equal(under(h, "quasi(1)"), PLUMB_LINEARIZABLE);
    assert_int_equal(under(h, "quasi(0)"), PLUMB_VIOLATION);
    assert_int_equal(under(h, "literal(1)"), PLUMB_LINEARIZABLE);
    assert_int_equal(under(h, "sloppy"), PLUMB_ERROR);
    plumb_history_free(h);
}

static void stamps_and_pending_operations(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    plumb_value seven = plumb_int(7);
    assert_true(plumb_history_operation(h, 1, "write", &seven, 1, 0, INT64_MAX, plumb_none()));
    assert_true(plumb_history_operation(h, 2, "read", NULL, 0, 10, 20, plumb_int(7)));
    plumb_result *r = plumb_check(h, "register", NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_LINEARIZABLE);
    plumb_result_free(r);
    plumb_history_free(h);
}

static void misuse_is_an_error_not_a_verdict(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    assert_false(plumb_history_return(h, 1, plumb_int(1)));
    assert_non_null(plumb_history_error(h));
    plumb_result *r = plumb_check(h, "queue", NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    assert_string_equal(plumb_result_reason(r), plumb_history_error(h));
    plumb_result_free(r);
    plumb_history_free(h);
}

static void a_history_is_bound_to_one_object(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    add(h, 1, 5);
    plumb_result *first = plumb_check(h, "queue", NULL), *second = plumb_check(h, "stack", NULL),
                 *third = plumb_check(h, NULL, NULL);
    assert_int_equal(plumb_result_verdict(first), PLUMB_LINEARIZABLE);
    assert_int_equal(plumb_result_verdict(second), PLUMB_ERROR);
    assert_int_equal(plumb_result_verdict(third), PLUMB_LINEARIZABLE);
    assert_false(plumb_history_call(h, 1, "deq", NULL, 0));
    plumb_result_free(first);
    plumb_result_free(second);
    plumb_result_free(third);
    plumb_history_free(h);
}

static void files_are_read_and_missing_ones_reported(void **unused) {
    (void)unused;
    plumb_read_options how = {.struct_size = sizeof how, .format = "plumb-jsonl"};
    plumb_history *h = plumb_history_read("examples/histories/queue-wrong.jsonl", &how);
    assert_null(plumb_history_error(h));
    plumb_result *r =
        plumb_check(h, NULL, &(plumb_check_options){.struct_size = sizeof(plumb_check_options), .engine = "search"});
    assert_int_equal(plumb_result_verdict(r), PLUMB_VIOLATION);
    assert_string_equal(plumb_result_engine(r), "search");
    plumb_result_free(r);
    plumb_history_free(h);
    h = plumb_history_read("no/such/file", NULL);
    r = plumb_check(h, "queue", NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    assert_non_null(strstr(plumb_result_reason(r), "no/such/file"));
    plumb_result_free(r);
    plumb_history_free(h);
}

/* Options of an older caller, whose structure ends early, are not read beyond its end. */
static void short_option_structures_are_respected(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    add(h, 1, 5);
    plumb_check_options o = {.struct_size = offsetof(plumb_check_options, engine), .engine = "no such engine"};
    plumb_result *r = plumb_check(h, "queue", &o);
    assert_int_equal(plumb_result_verdict(r), PLUMB_LINEARIZABLE);
    plumb_result_free(r);
    plumb_history_free(h);
}

TEST_MAIN(TEST(criteria), TEST(linearizable_gives_a_witness), TEST(violation_gives_a_core_and_an_explanation),
          TEST(stamps_and_pending_operations), TEST(misuse_is_an_error_not_a_verdict),
          TEST(a_history_is_bound_to_one_object), TEST(files_are_read_and_missing_ones_reported),
          TEST(short_option_structures_are_respected))
