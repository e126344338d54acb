/* Misuse of a recorder or a guard: an error that stays, one message that names the call, calls that return, no verdict.
 * */
#include "support/cmocka.h"

#include "runtime/record/recorder.h"

#include <plumbline/guard.h>
#include <plumbline/monitor.h>
#include <plumbline/remote.h>
#include <plumbline/segments.h>
#include <plumbline/verify.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[64];

static plumb_recorder *open_queue(void) {
    snprintf(file, sizeof file, "/tmp/plumb-misuse-%d.plumblog", (int)getpid());
    plumb_record_options o = {.struct_size = sizeof o, .object = "queue", .path = file};
    plumb_recorder *r = plumb_record_open(&o);
    assert_null(plumb_record_error(r));
    return r;
}

static void assert_not_judged(plumb_recorder *r, plumb_verifier *v, const char *what) {
    assert_non_null(strstr(plumb_record_error(r), what));
    assert_int_equal(plumb_verify_stop(v), PLUMB_UNDECIDED);
    assert_non_null(strstr(plumb_verify_reason(v), what));
    plumb_verify_free(v);
    plumb_record_close(r);
    plumb_history *h = plumb_history_read(file, NULL);
    assert_non_null(strstr(plumb_history_error(h), what));
    plumb_history_free(h);
    unlink(file);
}

static void call_in_some_way(plumb_log *l, int which, unsigned way) {
    plumb_value three[4] = {plumb_int(1), plumb_int(2), plumb_int(3), plumb_int(4)};
    switch (way) {
    case 0: plumb_call_none(l, which); break;
    case 1: plumb_call(l, which, NULL, 0); break;
    case 2: plumb_call(l, which, three, 3); break;
    default: plumb_call_int(l, which, INT64_MAX); break;
    }
}

static void methods_that_there_are_not(void **unused) {
    (void)unused;
    static const int which[] = {-1, 2, 31, 32, 1000000};
    for (unsigned i = 0; i < 4 * sizeof which / sizeof *which; i++) {
        plumb_recorder *r = open_queue();
        plumb_verifier *v = plumb_verify_start(r, NULL);
        plumb_log *l = plumb_record_join(r);
        for (int n = 0; n < 3; n++) {
            plumb_call_int(l, 0, n);
            plumb_ret_none(l);
            call_in_some_way(l, which[i / 4], i % 4);
            plumb_ret_int(l, 99);
        }
        plumb_record_leave(l);
        assert_not_judged(r, v, "plumb_call: the object has no method");
    }
}

static const int64_t wide[] = {INT64_MAX,
                               INT64_MIN,
                               INT64_C(0x1000000000000000),
                               INT64_C(0x1000000000000001),
                               INT64_C(0x3000000000000001),
                               INT64_C(0x5555555555555555),
                               INT64_C(-0x1000000000000001),
                               INT64_C(-0x2000000000000000) + 64,
                               INT64_C(-0x2000000000000001),
                               INT64_C(-0x7000000000000000)};
enum { WIDE = sizeof wide / sizeof *wide };
static const int64_t wordless = INT64_C(-0x2000000000000000) + 63;

/* Words of integers that do not fit into one: recorded as they are, and no two alike. */
static void words_of_wide_integers(void **unused) {
    (void)unused;
    plumb_recorder *r = open_queue();
    plumb_verifier *v = plumb_verify_start(r, NULL);
    plumb_log *l = plumb_record_join(r);
    for (unsigned i = 0; i < WIDE; i++) {
        assert_false(plumb_word_is_plain(PLUMB_WORD_INT(wide[i])));
        assert_true(wide_word_int(PLUMB_WORD_INT(wide[i])) == wide[i]);
        plumb_call_word(l, 0, PLUMB_WORD_INT(wide[i]));
        plumb_ret_none(l);
    }
    for (unsigned i = 0; i < WIDE; i++) {
        plumb_call_none(l, 1);
        plumb_ret_word(l, PLUMB_WORD_INT(wide[i]));
    }
    plumb_record_leave(l);
    assert_null(plumb_record_error(r));
    assert_int_equal(plumb_verify_stop(v), PLUMB_LINEARIZABLE);
    plumb_verify_free(v);
    plumb_record_close(r);
    plumb_history *h = plumb_history_read(file, NULL);
    plumb_result *judged = plumb_check(h, NULL, NULL);
    assert_int_equal(plumb_result_verdict(judged), PLUMB_LINEARIZABLE);
    plumb_result_free(judged);
    plumb_history_free(h);
    unlink(file);
}

static void words_of_wide_integers_are_guarded(void **unused) {
    (void)unused;
    plumb_guard_options o = {.struct_size = sizeof o, .object = "queue"};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *me = plumb_guard_join(g);
    for (unsigned i = 0; i < WIDE; i++) {
        plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(wide[i]));
        assert_int_equal(plumb_guard_ret_word(me, PLUMB_WORD_NONE), PLUMB_VERIFIED);
    }
    for (unsigned i = 0; i < 2; i++) { /* the second is not the one that comes next */
        plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
        plumb_answer a = plumb_guard_ret_word(me, PLUMB_WORD_INT(wide[2 * i]));
        assert_int_equal(a, i ? PLUMB_REFUSED : PLUMB_VERIFIED);
    }
    plumb_guard_leave(me);
    plumb_guard_close(g);
}

/* The few that have no word: bits are not lost in silence, and the functions for integers take them. */
static void integers_without_a_word(void **unused) {
    (void)unused;
    assert_true(PLUMB_WORD_INT(-7) == (plumb_word)-56);
    assert_true(PLUMB_WORD_INT(wordless) == PLUMB_WORD_TOO_WIDE && PLUMB_WORD_INT(wordless + 1) != PLUMB_WORD_TOO_WIDE);
    for (int result = 0; result < 2; result++) {
        plumb_recorder *r = open_queue();
        plumb_verifier *v = plumb_verify_start(r, NULL);
        plumb_log *l = plumb_record_join(r);
        plumb_call_int(l, 0, wordless);
        plumb_ret_none(l);
        plumb_call_none(l, 1);
        plumb_ret_int(l, wordless);
        assert_null(plumb_record_error(r));
        if (result) plumb_call_none(l, 1);
        else plumb_call_word(l, 0, PLUMB_WORD_INT(wordless));
        plumb_ret_word(l, result ? PLUMB_WORD_INT(wordless) : PLUMB_WORD_NONE);
        plumb_record_leave(l);
        assert_not_judged(r, v, "an integer that no word stands for");
    }
}

static void too_many_arguments(void **unused) {
    (void)unused;
    plumb_recorder *r = open_queue();
    plumb_verifier *v = plumb_verify_start(r, NULL);
    plumb_log *l = plumb_record_join(r);
    plumb_value four[4] = {plumb_int(1), plumb_int(2), plumb_int(3), plumb_int(4)};
    plumb_call(l, 0, four, 4);
    plumb_ret_none(l);
    plumb_record_leave(l);
    assert_not_judged(r, v, "plumb_call: 4 arguments");
}

/* As it happens when a handler of a signal uses the log of the thread that it interrupts. */
static void returns_without_calls(void **unused) {
    (void)unused;
    plumb_recorder *r = open_queue();
    plumb_verifier *v = plumb_verify_start(r, NULL);
    plumb_log *l = plumb_record_join(r);
    plumb_call_int(l, 0, 1);
    plumb_call_int(l, 0, 2); /* the handler's */
    plumb_ret_none(l);
    assert_null(plumb_record_error(r));
    plumb_ret_none(l);
    plumb_record_leave(l);
    assert_not_judged(r, v, "plumb_ret: no call is open");
}

static void a_guard_that_is_misused(void **unused) {
    (void)unused;
    plumb_guard_options o = {.struct_size = sizeof o, .object = "queue", .threads = 1};
    plumb_guard *g = plumb_guard_open(&o);
    plumb_member *me = plumb_guard_join(g);
    plumb_value v = plumb_int(7);
    assert_null(plumb_guard_join(g));
    plumb_guard_call(NULL, 0, &v, 1);
    assert_int_equal(plumb_guard_ret(NULL, plumb_none()), PLUMB_UNVERIFIED);
    plumb_guard_call_word(NULL, 0, 1, PLUMB_WORD_INT(7));
    assert_int_equal(plumb_guard_ret_word(NULL, PLUMB_WORD_NONE), PLUMB_UNVERIFIED);
    assert_int_equal(plumb_guard_fail(NULL), PLUMB_UNVERIFIED);
    assert_int_equal(plumb_guard_unknown(NULL), PLUMB_UNVERIFIED);
    assert_true(strlen(plumb_guard_reason(NULL)) > 0);
    plumb_guard_leave(NULL);
    plumb_guard_call(me, 0, &v, 1);
    assert_int_equal(plumb_guard_ret(me, plumb_none()), PLUMB_VERIFIED);
    plumb_guard_call(me, 1, NULL, 0);
    assert_int_equal(plumb_guard_ret(me, plumb_int(8)), PLUMB_UNVERIFIED); /* the thread without a place put it in */
    assert_null(plumb_guard_error(g));
    plumb_guard_call(me, plumb_guard_method(g, "dequeu"), NULL, 0);
    assert_int_equal(plumb_guard_ret(me, plumb_int(99)), PLUMB_UNVERIFIED);
    assert_non_null(strstr(plumb_guard_reason(me), "no method -1"));
    assert_non_null(strstr(plumb_guard_error(g), "no method -1"));
    plumb_guard_call(me, 0, &v, 1);
    assert_int_equal(plumb_guard_ret(me, plumb_none()), PLUMB_UNVERIFIED);
    plumb_guard_leave(me);
    plumb_guard_close(g);
}

static void sizes_that_were_forgotten(void **unused) {
    (void)unused;
    plumb_recorder *r = plumb_record_open(&(plumb_record_options){.object = "queue"});
    assert_non_null(strstr(plumb_record_error(r), "plumb_record_open: struct_size"));
    plumb_record_close(r);
    plumb_guard *g = plumb_guard_open(&(plumb_guard_options){.object = "queue"});
    assert_non_null(strstr(plumb_guard_error(g), "plumb_guard_open: struct_size"));
    assert_null(plumb_guard_join(g));
    plumb_guard_close(g);
    r = plumb_record_open(&(plumb_record_options){.struct_size = sizeof(plumb_record_options), .object = "queue"});
    plumb_verifier *v = plumb_verify_start(r, &(plumb_verify_options){0});
    assert_int_equal(plumb_verify_stop(v), PLUMB_ERROR);
    assert_non_null(strstr(plumb_verify_reason(v), "plumb_verify_start: struct_size"));
    plumb_verify_free(v);
    plumb_segments *s = plumb_record_segments(r, &(plumb_segments_options){.folder = "/tmp/x"});
    assert_false(plumb_segments_stop(s));
    assert_non_null(strstr(plumb_segments_reason(s), "plumb_record_segments: struct_size"));
    plumb_segments_free(s);
    plumb_record_close(r);
    plumb_monitor *m = plumb_monitor_new("queue", &(plumb_monitor_options){0});
    assert_int_equal(plumb_monitor_settle(m), PLUMB_ERROR);
    assert_non_null(strstr(plumb_monitor_reason(m), "plumb_monitor_new: struct_size"));
    plumb_monitor_free(m);
    plumb_remote *p = plumb_remote_open(&(plumb_remote_options){.object = "queue"});
    assert_non_null(strstr(plumb_remote_error(p), "plumb_remote_open: struct_size"));
    plumb_remote_close(p);
    plumb_history *h = plumb_history_read("/nonexistent", &(plumb_read_options){0});
    assert_non_null(strstr(plumb_history_error(h), "plumb_history_read: struct_size"));
    plumb_history_free(h);
    h = plumb_history_new();
    plumb_result *found = plumb_check(h, "queue", &(plumb_check_options){0});
    assert_int_equal(plumb_result_verdict(found), PLUMB_ERROR);
    assert_non_null(strstr(plumb_result_reason(found), "plumb_check: struct_size"));
    plumb_result_free(found);
    plumb_history_free(h);
}

static void aborts_when_asked(void **unused) {
    (void)unused;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        setenv("PLUMB_ABORT_ON_MISUSE", "1", 1);
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        plumb_record_open(&(plumb_record_options){.object = "queue"});
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_that_there_are_not),
        cmocka_unit_test(words_of_wide_integers),
        cmocka_unit_test(words_of_wide_integers_are_guarded),
        cmocka_unit_test(integers_without_a_word),
        cmocka_unit_test(too_many_arguments),
        cmocka_unit_test(returns_without_calls),
        cmocka_unit_test(a_guard_that_is_misused),
        cmocka_unit_test(sizes_that_were_forgotten),
        cmocka_unit_test(aborts_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
