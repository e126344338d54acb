/* Histories through the front door: every kind of value, every end of a call, files and their options, misuse. */
#include "support/cmocka.h"

#include <plumbline/plumbline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void is_judged(plumb_history *h, const char *object, plumb_verdict expected) {
    plumb_result *r = plumb_check(h, object, NULL);
    if (plumb_result_verdict(r) != expected) fail_msg("verdict %d: %s", plumb_result_verdict(r), plumb_result_json(r));
    plumb_result_free(r);
}

/* A register returns what was written, and nothing else: so values that differ outside differ inside. */
static void values_are_told_apart(void **unused) {
    (void)unused;
    const plumb_value items[] = {plumb_int(1), plumb_int(2)}, turned[] = {plumb_int(2), plumb_int(1)};
    const plumb_value all[] = {plumb_none(),           plumb_bool(true),      plumb_bool(false),
                               plumb_int(0),           plumb_int(1),          plumb_int(INT64_MIN),
                               plumb_bytes("", 0),     plumb_bytes("a", 1),   plumb_bytes("ab", 2),
                               plumb_bytes("a\0b", 3), plumb_tuple(items, 0), plumb_tuple(items, 1),
                               plumb_tuple(items, 2),  plumb_tuple(turned, 2)};
    const unsigned n = sizeof all / sizeof *all;
    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < n; k++) {
            plumb_history *h = plumb_history_new();
            assert_true(plumb_history_call(h, 1, "write", &all[i], 1));
            assert_true(plumb_history_return(h, 1, plumb_none()));
            assert_true(plumb_history_call(h, 1, "read", NULL, 0));
            assert_true(plumb_history_return(h, 1, all[k]));
            is_judged(h, "register", i == k ? PLUMB_LINEARIZABLE : PLUMB_VIOLATION);
            plumb_history_free(h);
        }
    }
}

/* True is what a set says of an element that is in it. */
static void true_and_false(void **unused) {
    (void)unused;
    for (unsigned k = 0; k < 2; k++) {
        plumb_history *h = plumb_history_new();
        plumb_value one = plumb_int(1);
        assert_true(plumb_history_call(h, 1, "add", &one, 1) && plumb_history_return(h, 1, plumb_bool(true)));
        assert_true(plumb_history_call(h, 1, "contains", &one, 1) && plumb_history_return(h, 1, plumb_bool(k)));
        is_judged(h, "set", k ? PLUMB_LINEARIZABLE : PLUMB_VIOLATION);
        plumb_history_free(h);
    }
}

/* Full and empty are what containers say. */
static void full_and_empty(void **unused) {
    (void)unused;
    for (unsigned k = 0; k < 4; k++) {
        plumb_history *h = plumb_history_new();
        plumb_value one = plumb_int(1), got = k % 2 ? plumb_full() : plumb_none();
        assert_true(plumb_history_call(h, 1, "enq", &one, 1) && plumb_history_return(h, 1, plumb_none()));
        assert_true(plumb_history_call(h, 1, "enq", &one, 1) && plumb_history_return(h, 1, got));
        assert_true(plumb_history_call(h, 1, "deq", NULL, 0) && plumb_history_return(h, 1, one));
        assert_true(plumb_history_call(h, 1, "deq", NULL, 0) &&
                    plumb_history_return(h, 1, k / 2 ? plumb_empty() : one));
        is_judged(h, "queue(capacity=1)", k == 3 ? PLUMB_LINEARIZABLE : PLUMB_VIOLATION);
        plumb_history_free(h);
    }
}

static void begin(plumb_history *h, int64_t client, const char *method, int64_t v) {
    plumb_value arg = plumb_int(v);
    assert_true(plumb_history_call(h, client, method, &arg, 1));
}

static void read_returns(plumb_history *h, int64_t client, plumb_value v) {
    assert_true(plumb_history_call(h, client, "read", NULL, 0));
    assert_true(plumb_history_return(h, client, v));
}

/* A call that failed had no effect; one that is open, or of unknown end, may have one at any time. */
static void calls_end_in_different_ways(void **unused) {
    (void)unused;
    static const plumb_verdict expected[] = {PLUMB_VIOLATION, PLUMB_LINEARIZABLE, PLUMB_LINEARIZABLE};
    for (unsigned how = 0; how < 3; how++) {
        plumb_history *h = plumb_history_new();
        begin(h, 1, "write", 5);
        if (how == 0) assert_true(plumb_history_fail(h, 1));
        if (how == 1) assert_true(plumb_history_info(h, 1));
        read_returns(h, 2, plumb_none());
        read_returns(h, 2, plumb_int(5));
        is_judged(h, "register", expected[how]);
        plumb_history_free(h);
    }
}

/* The order of the calls is the order of time, and clients are told apart. */
static void events_are_in_order(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    begin(h, 1, "write", 1);
    begin(h, -2, "write", 2);
    assert_true(plumb_history_return(h, -2, plumb_none()));
    assert_true(plumb_history_return(h, 1, plumb_none()));
    read_returns(h, 3, plumb_int(1));
    is_judged(h, "register", PLUMB_LINEARIZABLE);
    plumb_history_free(h);
    h = plumb_history_new();
    begin(h, 1, "write", 1);
    assert_true(plumb_history_return(h, 1, plumb_none()));
    begin(h, 2, "write", 2);
    assert_true(plumb_history_return(h, 2, plumb_none()));
    read_returns(h, 3, plumb_int(1));
    is_judged(h, "register", PLUMB_VIOLATION);
    plumb_history_free(h);
}

static void refused(plumb_history *h, bool accepted, const char *expected) {
    assert_false(accepted);
    assert_non_null(plumb_history_error(h));
    if (strcmp(plumb_history_error(h), expected) != 0) fail_msg("'%s' is not '%s'", plumb_history_error(h), expected);
    assert_false(plumb_history_call(h, 8, "read", NULL, 0)); /* an error stays */
    assert_false(plumb_history_return(h, 1, plumb_none()));
    assert_false(plumb_history_fail(h, 1));
    assert_false(plumb_history_info(h, 1));
    assert_string_equal(plumb_history_error(h), expected);
    is_judged(h, "register", PLUMB_ERROR);
    plumb_history_free(h);
}

/* Messages name the event by its number. */
static void misuse_names_the_event(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    assert_null(plumb_history_error(h));
    begin(h, 1, "write", 1);
    bool good = plumb_history_call(h, 1, "read", NULL, 0);
    refused(h, good,
            "plumb_history_call: history:2: client 1 calls again while its call of line 1 is open; expected its "
            "return first");
    h = plumb_history_new();
    begin(h, 1, "write", 1);
    good = plumb_history_return(h, 2, plumb_none());
    assert_non_null(strstr(plumb_history_error(h), "history:2: "));
    refused(h, good, plumb_history_error(h));
    h = plumb_history_new();
    good = plumb_history_fail(h, 2);
    assert_non_null(strstr(plumb_history_error(h), "history:1: "));
    refused(h, good, plumb_history_error(h));
    h = plumb_history_new();
    good = plumb_history_info(h, 2);
    assert_non_null(strstr(plumb_history_error(h), "history:1: "));
    refused(h, good, plumb_history_error(h));
}

static void a_checked_history_is_complete(void **unused) {
    (void)unused;
    plumb_history *h = plumb_history_new();
    read_returns(h, 1, plumb_none());
    is_judged(h, "register", PLUMB_LINEARIZABLE);
    assert_null(plumb_history_error(h));
    is_judged(h, NULL, PLUMB_LINEARIZABLE);
    assert_false(plumb_history_operation(h, 1, "read", NULL, 0, 0, 1, plumb_none()));
    assert_string_equal(plumb_history_error(h),
                        "plumb_history_operation: history is complete: nothing can be added to it");
    plumb_history_free(h);
    plumb_history_free(NULL);
    plumb_history_free(plumb_history_new());
}

static plumb_history *read_with(const char *path, plumb_read_options how) { return plumb_history_read(path, &how); }

/* Options are looked at as far as the caller's structure reaches. */
static void options_of_files(void **unused) {
    (void)unused;
    static const char queue[] = "examples/histories/queue-wrong.jsonl";
    plumb_history *h = plumb_history_read(queue, NULL);
    assert_null(plumb_history_error(h));
    is_judged(h, NULL, PLUMB_VIOLATION);
    plumb_history_free(h);
    h = read_with(queue, (plumb_read_options){.struct_size = sizeof(plumb_read_options), .format = "no such"});
    assert_string_equal(plumb_history_error(h), "unknown format 'no such'");
    is_judged(h, NULL, PLUMB_ERROR);
    plumb_history_free(h);
    h = read_with(queue,
                  (plumb_read_options){.struct_size = offsetof(plumb_read_options, format), .format = "no such"});
    assert_null(plumb_history_error(h));
    plumb_history_free(h);
    h = read_with(queue,
                  (plumb_read_options){.struct_size = offsetof(plumb_read_options, observe), .format = "no such"});
    assert_non_null(plumb_history_error(h));
    plumb_history_free(h);
    h = read_with(queue, (plumb_read_options){.struct_size = sizeof(plumb_read_options), .format = "jepsen-edn"});
    assert_non_null(plumb_history_error(h));
    plumb_history_free(h);
    h = read_with(queue, (plumb_read_options){.struct_size = sizeof(plumb_read_options)});
    is_judged(h, NULL, PLUMB_VIOLATION); /* the format is found by the contents */
    plumb_history_free(h);
    assert_true(strlen(plumb_version()) >= 5);
}

static plumb_verdict of_edn(const char *content, plumb_read_options how) {
    char path[] = "/tmp/plumb-api-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    close(fd);
    how.format = "jepsen-edn";
    plumb_history *h = plumb_history_read(path, &how);
    plumb_result *r = plumb_check(h, how.independent ? "kv" : "cas-register", NULL);
    plumb_verdict v = plumb_result_verdict(r);
    plumb_result_free(r);
    plumb_history_free(h);
    unlink(path);
    return v;
}

/* A failed compare-and-set is an observation when that is asked for. */
static void failures_may_be_observations(void **unused) {
    (void)unused;
    static const char wrong[] =
        "{:process 0, :type :invoke, :f :write, :value 1}\n{:process 0, :type :ok, :f :write, :value 1}\n"
        "{:process 0, :type :invoke, :f :cas, :value [1 2]}\n{:process 0, :type :fail, :f :cas, :value [1 2]}\n";
    const size_t whole = sizeof(plumb_read_options), until_observe = offsetof(plumb_read_options, observe);
    assert_int_equal(of_edn(wrong, (plumb_read_options){.struct_size = whole}), PLUMB_LINEARIZABLE);
    assert_int_equal(of_edn(wrong, (plumb_read_options){.struct_size = whole, .observe = "cas"}), PLUMB_VIOLATION);
    assert_int_equal(of_edn(wrong, (plumb_read_options){.struct_size = until_observe, .observe = "cas"}),
                     PLUMB_LINEARIZABLE);
}

/* The time that reading took is part of the time that has passed. */
static void reading_takes_time(void **unused) {
    (void)unused;
    struct timespec from, to;
    double said = -1;
    clock_gettime(CLOCK_MONOTONIC, &from);
    plumb_history *h = plumb_history_read("examples/histories/queue-wrong.jsonl", NULL);
    clock_gettime(CLOCK_MONOTONIC, &to);
    plumb_result *r = plumb_check(h, NULL, NULL);
    const char *at = strstr(plumb_result_json(r), "\"read_seconds\":");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"read_seconds\":%lf", &said), 1);
    double passed = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    assert_true(said > 0 && said <= passed + 1e-6);
    assert_non_null(strstr(plumb_result_json(r), "\"format\":\"plumb-jsonl\""));
    plumb_result_free(r);
    plumb_history_free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_told_apart),
        cmocka_unit_test(full_and_empty),
        cmocka_unit_test(true_and_false),
        cmocka_unit_test(calls_end_in_different_ways),
        cmocka_unit_test(events_are_in_order),
        cmocka_unit_test(misuse_names_the_event),
        cmocka_unit_test(a_checked_history_is_complete),
        cmocka_unit_test(options_of_files),
        cmocka_unit_test(failures_may_be_observations),
        cmocka_unit_test(reading_takes_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
