/* Logs of a recorder as a format that can be written: values that are no words, blocks at the ends of chunks, and what
 * a log cannot hold. What recorders themselves write is tested with them. */
#include "support/cmocka.h"

#include "format/plumb_log.h"
#include "history/builder.h"
#include "support/read_text.h"

#include <stdlib.h>
#include <string.h>

static value long_string(values *v, size_t n, char c) {
    char *p = malloc(n + 1);
    memset(p, c, n);
    value s = value_bytes(v, p, n);
    free(p);
    return s;
}

static value nested(values *v, unsigned depth) {
    value at = value_int(v, 7);
    for (unsigned i = 0; i < depth; i++) at = value_tuple(v, &at, 1);
    return at;
}

static bool add(builder *b, value client, const value *arg, size_t nargs, value res, int64_t call) {
    call_record c = {.client = client,
                     .method = builder_method(b, "op", 2, 1),
                     .key = VALUE_NONE,
                     .arg = arg,
                     .nargs = nargs,
                     .line = 1};
    return builder_operation(b, &c, call, call + 1, res);
}

static void expect_round_trip(builder *b) {
    error e = {0};
    text log = {0}, before = {0}, after = {0};
    history *h = builder_finish(b), *back;
    assert_true(write_text("plumb-log", h, &log, &e));
    back = read_bytes(NULL, log.at, log.size, false, &e);
    assert_string_equal(e.what, "");
    print_history(h, true, &before);
    print_history(back, true, &after);
    assert_string_equal(text_str(&before), text_str(&after));
    text_free(&log);
    text_free(&before);
    text_free(&after);
    history_free(h);
    history_free(back);
    builder_free(b);
}

/* Arguments and results of all sizes: every way a block can meet the end of a chunk comes up. */
static void blocks_and_chunks(void **unused) {
    (void)unused;
    error e = {0};
    builder *b = builder_new("log", &e);
    values *v = builder_values(b);
    for (uint32_t i = 0; i < 4000; i++) {
        value arg[3] = {value_int(v, i), long_string(v, i * 37 % 1100, 'a'), value_int(v, INT64_MAX - i)};
        value res = i % 5 == 0 ? long_string(v, i * 91 % 3000, 'b') : i % 5 == 1 ? nested(v, i % 30) : VALUE_TRUE;
        assert_true(add(b, value_int(v, i % 3), arg, i % 4, res, 2 * (int64_t)i));
    }
    assert_true(add(b, value_int(v, 0), (value[]){long_string(v, 30000, 'c')}, 1, long_string(v, 32000, 'd'), 9000));
    expect_round_trip(b);
}

static void expect_refusal(builder *b, const char *want) {
    error e = {0};
    text log = {0};
    history *h = builder_finish(b);
    assert_false(write_text("plumb-log", h, &log, &e));
    assert_int_equal(e.code, 65);
    assert_string_equal(e.what, want);
    text_free(&log);
    history_free(h);
    builder_free(b);
}

static void what_does_not_fit(void **unused) {
    (void)unused;
    error e = {0};
    builder *b = builder_new("log", &e);
    value long_one = long_string(builder_values(b), 40000, 'a');
    add(b, value_int(NULL, 0), &long_one, 1, VALUE_NONE, 0);
    expect_refusal(b, "operation 0 (op) cannot be written as plumb-log: its values are too long");
    b = builder_new("log", &e);
    value deep = nested(builder_values(b), 40);
    add(b, value_int(NULL, 0), &deep, 1, VALUE_NONE, 0);
    expect_refusal(b, "operation 0 (op) cannot be written as plumb-log: a value is nested too deep");
    b = builder_new("log", &e);
    for (int i = 0; i <= LOG_MAX_SLOTS; i++) add(b, value_int(NULL, i), NULL, 0, VALUE_NONE, i);
    expect_refusal(b, "more than 4096 clients cannot be written as plumb-log");
    b = builder_new("log", &e);
    call_record keyed = {
        .client = value_int(NULL, 0), .method = builder_method(b, "get", 3, 1), .key = value_int(NULL, 1), .line = 1};
    assert_true(builder_operation(b, &keyed, 0, 1, VALUE_NONE));
    expect_refusal(b, "operation 0 (get) cannot be written as plumb-log: it has a key beside its arguments; expected a "
                      "keyed object (perhaps --object kv)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_chunks),
        cmocka_unit_test(what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
