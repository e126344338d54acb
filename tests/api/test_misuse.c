/* Misuse of the functions of the library, one after the other: each returns, what it returns or its handle says what
 * was and in which call, and with PLUMB_ABORT_ON_MISUSE=1 the program aborts there. What is allowed though it looks
 * like misuse is here, too, so that every exported function is (tests/house/test_exports.sh). */
#include "support/cmocka.h"

#include <plumbline/monitor.h>
#include <plumbline/remote.h>
#include <plumbline/segments.h>
#include <plumbline/verify.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const plumb_value none; /* PLUMB_NONE */
static const plumb_value odd = {.kind = 77};
static const plumb_value hole = {.kind = PLUMB_TUPLE, .size = 2};

static void says(const char *error, const char *call) {
    if (!error || !strstr(error, call)) fail_msg("\"%s\" does not name %s", error ? error : "(null)", call);
}

/* ---- histories ---- */

static void add_right(plumb_history *h) {
    assert_true(plumb_history_call(h, 1, "enq", &none, 1));
    assert_true(plumb_history_return(h, 1, none));
}

/* The error stays, and the check says it. */
static void history_says(plumb_history *h, const char *call) {
    says(plumb_history_error(h), call);
    assert_false(plumb_history_call(h, 2, "enq", &none, 1));
    says(plumb_history_error(h), call);
    plumb_result *r = plumb_check(h, "queue", NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    says(plumb_result_reason(r), call);
    plumb_result_free(r);
    plumb_history_free(h);
}

static void bad_history(const char *call, bool (*misuse)(plumb_history *h)) {
    plumb_history *h = plumb_history_new();
    add_right(h);
    assert_false(misuse(h));
    history_says(h, call);
}

static bool no_method(plumb_history *h) { return plumb_history_call(h, 2, NULL, NULL, 0); }
static bool no_arguments(plumb_history *h) { return plumb_history_call(h, 2, "enq", NULL, 1); }
static bool no_value(plumb_history *h) { return plumb_history_call(h, 2, "enq", &odd, 1); }
static bool no_items(plumb_history *h) { return plumb_history_call(h, 2, "enq", &hole, 1); }
static bool no_name(plumb_history *h) { return plumb_history_operation(h, 2, NULL, NULL, 0, 0, 1, none); }
static bool no_result(plumb_history *h) { return plumb_history_return(h, 2, odd); }

static bool second_call(plumb_history *h) {
    return plumb_history_call(h, 2, "enq", &none, 1) && plumb_history_call(h, 2, "enq", &none, 1);
}
static bool return_alone(plumb_history *h) { return plumb_history_return(h, 2, none); }
static bool fail_alone(plumb_history *h) { return plumb_history_fail(h, 2); }
static bool info_alone(plumb_history *h) { return plumb_history_info(h, 2); }

static void history_call_while_open(void) { bad_history("plumb_history_call", second_call); }
static void history_return_without_call(void) { bad_history("plumb_history_return", return_alone); }
static void history_fail_without_call(void) { bad_history("plumb_history_fail", fail_alone); }
static void history_info_without_call(void) { bad_history("plumb_history_info", info_alone); }
static void history_operation_that_ends_before_it_begins(void) {
    plumb_history *h = plumb_history_new();
    assert_false(plumb_history_operation(h, 1, "enq", &none, 1, 5, 4, none));
    history_says(h, "plumb_history_operation");
}

static void history_call_without_method(void) { bad_history("plumb_history_call", no_method); }
static void history_call_without_arguments(void) { bad_history("plumb_history_call", no_arguments); }
static void history_call_of_no_value(void) { bad_history("plumb_history_call", no_value); }
static void history_call_of_a_hole(void) { bad_history("plumb_history_call", no_items); }
static void history_operation_without_method(void) { bad_history("plumb_history_operation", no_name); }
static void history_return_of_no_value(void) { bad_history("plumb_history_return", no_result); }

static void history_null_call(void) { assert_false(plumb_history_call(NULL, 1, "enq", &none, 1)); }
static void history_null_return(void) { assert_false(plumb_history_return(NULL, 1, none)); }
static void history_null_fail(void) { assert_false(plumb_history_fail(NULL, 1)); }
static void history_null_info(void) { assert_false(plumb_history_info(NULL, 1)); }
static void history_null_operation(void) {
    assert_false(plumb_history_operation(NULL, 1, "enq", &none, 1, 0, 1, none));
}
static void history_null_error(void) { says(plumb_history_error(NULL), "plumb_history_error"); }

static void history_read_of_nothing(void) {
    plumb_history *h = plumb_history_read(NULL, NULL);
    history_says(h, "plumb_history_read");
}

static void history_read_without_size(void) {
    plumb_read_options o = {.format = "jsonl"};
    plumb_history *h = plumb_history_read("examples/histories/queue-right.jsonl", &o);
    history_says(h, "plumb_history_read");
}

static void history_goes_on(void) {
    plumb_history *h = plumb_history_new();
    add_right(h);
    plumb_result_free(plumb_check(h, "queue", NULL));
    assert_false(plumb_history_info(h, 1));
    history_says(h, "plumb_history_info");
}

/* ---- checks ---- */

static void check_of_nothing(void) {
    plumb_result *r = plumb_check(NULL, "queue", NULL);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    says(plumb_result_reason(r), "plumb_check");
    plumb_result_free(r);
}

static void check_without_size(void) {
    plumb_check_options o = {.seconds = 1};
    plumb_history *h = plumb_history_new();
    add_right(h);
    plumb_result *r = plumb_check(h, "queue", &o);
    assert_int_equal(plumb_result_verdict(r), PLUMB_ERROR);
    says(plumb_result_reason(r), "plumb_check");
    plumb_result_free(r);
    plumb_history_free(h);
}

static void result_null_verdict(void) { assert_int_equal(plumb_result_verdict(NULL), PLUMB_ERROR); }
static void result_null_reason(void) { says(plumb_result_reason(NULL), "plumb_result_reason"); }
static void result_null_explanation(void) { assert_string_equal(plumb_result_explanation(NULL), ""); }
static void result_null_object(void) { assert_string_equal(plumb_result_object(NULL), ""); }
static void result_null_engine(void) { assert_string_equal(plumb_result_engine(NULL), ""); }
static void result_null_json(void) { assert_string_equal(plumb_result_json(NULL), ""); }
static void result_null_core(void) { assert_null(plumb_result_core(NULL, NULL)); }
static void result_null_witness(void) { assert_null(plumb_result_witness(NULL, NULL)); }

/* ---- monitors ---- */

static void monitor_says(plumb_monitor *m, const char *call) {
    assert_int_equal(plumb_monitor_settle(m), PLUMB_ERROR);
    says(plumb_monitor_reason(m), call);
    plumb_monitor_free(m);
}

static void monitor_of_nothing(void) { monitor_says(plumb_monitor_new(NULL, NULL), "plumb_monitor_new"); }
static void monitor_without_size(void) {
    plumb_monitor_options o = {.max_lag = 3};
    monitor_says(plumb_monitor_new("queue", &o), "plumb_monitor_new");
}
static void monitor_call_without_method(void) {
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_call(m, 1, NULL, NULL, 0), PLUMB_ERROR);
    monitor_says(m, "plumb_monitor_call");
}
static void monitor_return_of_no_value(void) {
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    plumb_monitor_call(m, 1, "deq", NULL, 0);
    assert_int_equal(plumb_monitor_return(m, 1, odd), PLUMB_ERROR);
    monitor_says(m, "plumb_monitor_return");
}
static void monitor_call_while_open(void) {
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    plumb_monitor_call(m, 1, "deq", NULL, 0);
    assert_int_equal(plumb_monitor_call(m, 1, "deq", NULL, 0), PLUMB_ERROR);
    monitor_says(m, "plumb_monitor_call");
}
static void monitor_call_of_no_such_method(void) {
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_call(m, 1, "dequeu", NULL, 0), PLUMB_ERROR);
    monitor_says(m, "plumb_monitor_call");
}
static void monitor_return_without_call(void) {
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_return(m, 1, none), PLUMB_ERROR);
    monitor_says(m, "plumb_monitor_return");
}
static void monitor_fail_without_call(void) {
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_fail(m, 1), PLUMB_ERROR);
    monitor_says(m, "plumb_monitor_fail");
}
static void monitor_info_without_call(void) {
    plumb_monitor *m = plumb_monitor_new("queue", NULL);
    assert_int_equal(plumb_monitor_info(m, 1), PLUMB_ERROR);
    monitor_says(m, "plumb_monitor_info");
}
static void monitor_null_call(void) { assert_int_equal(plumb_monitor_call(NULL, 1, "deq", NULL, 0), PLUMB_ERROR); }
static void monitor_null_return(void) { assert_int_equal(plumb_monitor_return(NULL, 1, none), PLUMB_ERROR); }
static void monitor_null_fail(void) { assert_int_equal(plumb_monitor_fail(NULL, 1), PLUMB_ERROR); }
static void monitor_null_info(void) { assert_int_equal(plumb_monitor_info(NULL, 1), PLUMB_ERROR); }
static void monitor_null_settle(void) { assert_int_equal(plumb_monitor_settle(NULL), PLUMB_ERROR); }
static void monitor_null_reason(void) { says(plumb_monitor_reason(NULL), "plumb_monitor_reason"); }
static void monitor_null_bad_event(void) { assert_true(plumb_monitor_bad_event(NULL) == UINT64_MAX); }
static void monitor_null_pattern(void) { assert_int_equal(plumb_monitor_pattern(NULL, NULL, 0), 0); }
static void monitor_null_events(void) { assert_int_equal(plumb_monitor_events(NULL), 0); }
static void monitor_null_lag(void) { assert_int_equal(plumb_monitor_lag(NULL), 0); }
static void monitor_null_memory(void) { assert_int_equal(plumb_monitor_memory(NULL), 0); }

/* ---- recorders ---- */

static plumb_recorder *queue_recorder(void) {
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue"};
    return plumb_record_open(&o);
}

static void record_says(plumb_recorder *r, plumb_log *l, const char *call) {
    says(plumb_record_error(r), call);
    plumb_record_leave(l);
    plumb_record_close(r);
}

static void record_without_size(void) {
    plumb_record_options o = {.object = "queue"};
    record_says(plumb_record_open(&o), NULL, "plumb_record_open");
}
static void record_call_of_no_method(void) {
    plumb_recorder *r = queue_recorder();
    plumb_log *l = plumb_record_join(r);
    plumb_call(l, -1, NULL, 0);
    plumb_ret(l, none);
    record_says(r, l, "plumb_call");
}
static void record_call_of_no_value(void) {
    plumb_recorder *r = queue_recorder();
    plumb_log *l = plumb_record_join(r);
    plumb_call(l, 0, &odd, 1);
    plumb_ret_fail(l);
    record_says(r, l, "plumb_call");
}
static void record_return_of_no_value(void) {
    plumb_recorder *r = queue_recorder();
    plumb_log *l = plumb_record_join(r);
    plumb_call(l, 1, NULL, 0);
    plumb_ret(l, hole);
    record_says(r, l, "plumb_ret");
}
static void record_return_without_call(void) {
    plumb_recorder *r = queue_recorder();
    plumb_log *l = plumb_record_join(r);
    plumb_ret_word_slowly(l, PLUMB_WORD_NONE);
    record_says(r, l, "plumb_ret");
}
static void record_method_without_name(void) {
    plumb_recorder *r = queue_recorder();
    assert_int_equal(plumb_record_method(r, NULL), -1);
    record_says(r, NULL, "plumb_record_method");
}
static void record_null_error(void) { says(plumb_record_error(NULL), "plumb_record_error"); }
static void record_null_method(void) { assert_int_equal(plumb_record_method(NULL, "enq"), -1); }
static void record_null_join(void) { assert_null(plumb_record_join(NULL)); }
static void record_null_here(void) { assert_null(plumb_record_here(NULL)); }
static void record_null_look(void) { plumb_record_look(NULL, NULL); }
static void record_null_sync(void) { plumb_record_sync(NULL); }

/* ---- verifiers, guards, segments ---- */

static void verify_of_nothing(void) {
    plumb_verifier *v = plumb_verify_start(NULL, NULL);
    assert_int_equal(plumb_verify_stop(v), PLUMB_ERROR);
    says(plumb_verify_reason(v), "plumb_verify_start");
    plumb_verify_free(v);
}
static void verify_without_size(void) {
    plumb_recorder *r = queue_recorder();
    plumb_verify_options o = {.pause = 1};
    plumb_verifier *v = plumb_verify_start(r, &o);
    says(plumb_verify_reason(v), "plumb_verify_start");
    plumb_verify_free(v);
    plumb_record_close(r);
}
static void verify_null_look(void) { plumb_verify_look(NULL, NULL); }
static void verify_null_fd(void) { assert_int_equal(plumb_verify_fd(NULL), -1); }
static void verify_null_metrics(void) { assert_int_equal(plumb_verify_metrics(NULL, "", NULL, 0), 0); }
static void verify_null_stop(void) { assert_int_equal(plumb_verify_stop(NULL), PLUMB_ERROR); }
static void verify_null_reason(void) { says(plumb_verify_reason(NULL), "plumb_verify_reason"); }

static void guard_without_size(void) {
    plumb_guard_options o = {.object = "queue"};
    plumb_guard *g = plumb_guard_open(&o);
    says(plumb_guard_error(g), "plumb_guard_open");
    assert_null(plumb_guard_join(g));
    plumb_guard_close(g);
}

static void bad_guard(const char *call, void (*misuse)(plumb_member *me)) {
    plumb_guard_options o = {.struct_size = sizeof o, .object = "queue"};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *me = plumb_guard_join(g);
    misuse(me);
    says(plumb_guard_error(g), call);
    plumb_guard_leave(me);
    plumb_guard_close(g);
}

static void witness_of_nothing(plumb_member *me) { assert_false(plumb_guard_witness(me, NULL)); }
static void certificate_of_nothing(plumb_member *me) { assert_false(plumb_guard_certificate(me, NULL)); }
static void call_of_no_method(plumb_member *me) {
    plumb_guard_call(me, 9, NULL, 0);
    assert_int_equal(plumb_guard_ret(me, none), PLUMB_UNVERIFIED);
    says(plumb_guard_reason(me), "plumb_call");
}
static void word_of_no_method(plumb_member *me) {
    plumb_guard_call_word(me, 9, 0, PLUMB_WORD_NONE);
    assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_NONE), PLUMB_UNVERIFIED);
}
static void fail_without_call(plumb_member *me) { assert_int_equal(plumb_guard_fail(me), PLUMB_UNVERIFIED); }
static void unknown_without_call(plumb_member *me) { assert_int_equal(plumb_guard_unknown(me), PLUMB_UNVERIFIED); }

static void guard_witness_without_path(void) { bad_guard("plumb_guard_witness", witness_of_nothing); }
static void guard_certificate_without_path(void) { bad_guard("plumb_guard_certificate", certificate_of_nothing); }
static void guard_call_of_no_method(void) { bad_guard("plumb_call", call_of_no_method); }
static void guard_word_of_no_method(void) { bad_guard("plumb_call", word_of_no_method); }
static void guard_fail_without_call(void) { bad_guard("plumb_ret", fail_without_call); }
static void guard_unknown_without_call(void) { bad_guard("plumb_ret", unknown_without_call); }
static void guard_null_error(void) { says(plumb_guard_error(NULL), "plumb_guard_error"); }
static void guard_null_method(void) { assert_int_equal(plumb_guard_method(NULL, "enq"), -1); }
static void guard_null_join(void) { assert_null(plumb_guard_join(NULL)); }
static void guard_null_here(void) { assert_null(plumb_guard_here(NULL)); }
static void guard_null_look(void) { plumb_guard_look(NULL, NULL); }

static void segments_say(plumb_segments *s) {
    assert_false(plumb_segments_stop(s));
    says(plumb_segments_reason(s), "plumb_record_segments");
    plumb_segments_free(s);
}
static void segments_of_nothing(void) { segments_say(plumb_record_segments(NULL, NULL)); }
static void segments_of_no_guard(void) { segments_say(plumb_guard_segments(NULL, NULL)); }
static void segments_without_size(void) {
    plumb_recorder *r = queue_recorder();
    plumb_segments_options o = {.folder = "/tmp"};
    segments_say(plumb_record_segments(r, &o));
    plumb_record_close(r);
}
static void segments_null_look(void) { plumb_segments_look(NULL, NULL); }
static void segments_null_stop(void) { assert_false(plumb_segments_stop(NULL)); }
static void segments_null_reason(void) { says(plumb_segments_reason(NULL), "plumb_segments_reason"); }

/* ---- message passing ---- */

static void remote_without_size(void) {
    plumb_remote_options o = {.object = "queue"};
    plumb_remote *r = plumb_remote_open(&o);
    says(plumb_remote_error(r), "plumb_remote_open");
    plumb_remote_close(r);
}
static void remote_null_error(void) { says(plumb_remote_error(NULL), "plumb_remote_error"); }
static void remote_null_call(void) { assert_false(plumb_remote_call(NULL, "enq", NULL, 0)); }
static void remote_null_ret(void) { assert_false(plumb_remote_ret(NULL, none)); }
static void remote_null_ret_fail(void) { assert_false(plumb_remote_ret_fail(NULL)); }
static void remote_null_ret_unknown(void) { assert_false(plumb_remote_ret_unknown(NULL)); }

/* ---- all of them ---- */

typedef struct misuse_case {
    const char *name;
    void (*run)(void);
} misuse_case;

#define CASE(f) \
    { #f, f }
static const misuse_case cases[] = {
    CASE(history_call_without_method),
    CASE(history_call_without_arguments),
    CASE(history_call_of_no_value),
    CASE(history_call_of_a_hole),
    CASE(history_operation_without_method),
    CASE(history_return_of_no_value),
    CASE(history_call_while_open),
    CASE(history_return_without_call),
    CASE(history_fail_without_call),
    CASE(history_info_without_call),
    CASE(history_operation_that_ends_before_it_begins),
    CASE(history_null_call),
    CASE(history_null_return),
    CASE(history_null_fail),
    CASE(history_null_info),
    CASE(history_null_operation),
    CASE(history_null_error),
    CASE(history_read_of_nothing),
    CASE(history_read_without_size),
    CASE(history_goes_on),
    CASE(check_of_nothing),
    CASE(check_without_size),
    CASE(result_null_verdict),
    CASE(result_null_reason),
    CASE(result_null_explanation),
    CASE(result_null_object),
    CASE(result_null_engine),
    CASE(result_null_json),
    CASE(result_null_core),
    CASE(result_null_witness),
    CASE(monitor_of_nothing),
    CASE(monitor_without_size),
    CASE(monitor_call_without_method),
    CASE(monitor_return_of_no_value),
    CASE(monitor_call_while_open),
    CASE(monitor_call_of_no_such_method),
    CASE(monitor_return_without_call),
    CASE(monitor_fail_without_call),
    CASE(monitor_info_without_call),
    CASE(monitor_null_call),
    CASE(monitor_null_return),
    CASE(monitor_null_fail),
    CASE(monitor_null_info),
    CASE(monitor_null_settle),
    CASE(monitor_null_reason),
    CASE(monitor_null_bad_event),
    CASE(monitor_null_pattern),
    CASE(monitor_null_events),
    CASE(monitor_null_lag),
    CASE(monitor_null_memory),
    CASE(record_without_size),
    CASE(record_call_of_no_method),
    CASE(record_call_of_no_value),
    CASE(record_return_of_no_value),
    CASE(record_return_without_call),
    CASE(record_method_without_name),
    CASE(record_null_error),
    CASE(record_null_method),
    CASE(record_null_join),
    CASE(record_null_here),
    CASE(record_null_look),
    CASE(record_null_sync),
    CASE(verify_of_nothing),
    CASE(verify_without_size),
    CASE(verify_null_look),
    CASE(verify_null_fd),
    CASE(verify_null_metrics),
    CASE(verify_null_stop),
    CASE(verify_null_reason),
    CASE(guard_without_size),
    CASE(guard_witness_without_path),
    CASE(guard_certificate_without_path),
    CASE(guard_call_of_no_method),
    CASE(guard_word_of_no_method),
    CASE(guard_fail_without_call),
    CASE(guard_unknown_without_call),
    CASE(guard_null_error),
    CASE(guard_null_method),
    CASE(guard_null_join),
    CASE(guard_null_here),
    CASE(guard_null_look),
    CASE(segments_of_nothing),
    CASE(segments_of_no_guard),
    CASE(segments_without_size),
    CASE(segments_null_look),
    CASE(segments_null_stop),
    CASE(segments_null_reason),
    CASE(remote_without_size),
    CASE(remote_null_error),
    CASE(remote_null_call),
    CASE(remote_null_ret),
    CASE(remote_null_ret_fail),
    CASE(remote_null_ret_unknown),
};
enum { CASES = sizeof cases / sizeof *cases };

static void every_misuse_is_told(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < CASES; i++) cases[i].run();
}

/* In a process of its own, which ends there. */
static bool aborts(const misuse_case *c) {
    pid_t child = fork();
    if (!child) {
        int quiet = open("/dev/null", O_WRONLY);
        dup2(quiet, STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        setenv("PLUMB_ABORT_ON_MISUSE", "1", 1);
        c->run();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void every_misuse_aborts_when_asked(void **unused) {
    (void)unused;
    for (unsigned i = 0; i < CASES; i++)
        if (!aborts(&cases[i])) fail_msg("%s does not abort", cases[i].name);
}

/* A NULL that stands for a thread without a place or a log, and freeing nothing. */
static void some_nulls_are_allowed(void **unused) {
    (void)unused;
    setenv("PLUMB_ABORT_ON_MISUSE", "1", 1);
    plumb_history_free(NULL);
    plumb_result_free(NULL);
    plumb_monitor_free(NULL);
    plumb_verify_free(NULL);
    plumb_segments_free(NULL);
    plumb_guard_close(NULL);
    plumb_guard_leave(NULL);
    plumb_record_close(NULL);
    plumb_record_leave(NULL);
    plumb_remote_close(NULL);
    plumb_call(NULL, 0, NULL, 0);
    plumb_call_word_slowly(NULL, 0, 0, PLUMB_WORD_NONE);
    plumb_ret(NULL, none);
    plumb_ret_unknown(NULL);
    plumb_ret_word_slowly(NULL, PLUMB_WORD_NONE);
    assert_int_equal(plumb_tag(NULL), 0);
    plumb_guard_call(NULL, 0, NULL, 0);
    plumb_guard_call_word(NULL, 0, 0, PLUMB_WORD_NONE);
    assert_int_equal(plumb_guard_ret(NULL, none), PLUMB_UNVERIFIED);
    assert_int_equal(plumb_guard_digest(NULL), 0);
    plumb_guard_number(NULL);
    assert_true(*plumb_version());
    unsetenv("PLUMB_ABORT_ON_MISUSE");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_misuse_is_told),
        cmocka_unit_test(every_misuse_aborts_when_asked),
        cmocka_unit_test(some_nulls_are_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
