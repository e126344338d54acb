/* Sessions and hunts with a program under test that answers as it is told: this very program, when the explorer starts
 * it. The threads it is asked to run say what it does. */
#include "explore/outside/hunt.h"

#include "support/cmocka.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the program under test ---- */

static const char *const declared = "item\t0\tenq\t1\ttest.c\t7\nitem\t0\tdeq\t0\ttest.c\t8\nmain\t0\n";

static const char *const too_many = "item\t0\tenq\t4\ttest.c\t7\n";

static void answer(int out, const char *lines) {
    if (write(out, lines, strlen(lines)) < 0) _exit(1);
}

static void answer_run(int out, const run_request *r) {
    const char *t = r->threads ? r->threads : "";
    char line[256];
    if (strstr(t, "crash")) abort();
    if (strstr(t, "leave")) _exit(3);
    if (!strcmp(t, "nonsense") || !strcmp(t, "below") || !strcmp(t, "refuse")) {
        answer(out, *t == 'n'   ? "result\t0\t-1\t0\t99\t\t0\t0\n"
                    : *t == 'b' ? "result\t0\t-7\t0\t0\t\t0\t0\n"
                                : "error\t65\tno such thing\n");
        return;
    }
    bool fails = strstr(t, "bad") != NULL;
    answer(out, "note\ta note\nstage\tdpor\t0\t1\t5\t50\t0\t0\t0\t0.1\ncounts\t5\t50\t2\t0\t0.1\t0\n");
    snprintf(line, sizeof line, "result\t%d\t%d\t0\t%d\t%s\t5\t1\n", !fails, fails ? -1 : 2,
             fails ? FAILURE_ASSERTION : 0, fails ? "broken" : "");
    answer(out, line);
    if (fails) answer(out, "schedule\t0*3 1\n");
    snprintf(line, sizeof line, "history\t%s,%d\n", r->reuse, (int)r->steps);
    if (r->histories) answer(out, line);
}

static int be_explored(const char *words, bool many) {
    int in, out;
    talk_reader from;
    talk_line l;
    if (sscanf(words, "in=%d out=%d", &in, &out) != 2) return 1;
    talk_reader_init(&from, in);
    for (talk_event e; (e = talk_next(&from, -1, &l)) != TALK_CLOSED;) {
        run_request r;
        error wrong = {0};
        if (e == TALK_TIMEOUT) continue;
        if (!strcmp(l.field[0], "items")) answer(out, many ? too_many : declared);
        else if (!run_request_take(&r, &l, &wrong)) answer(out, "error\t70\tnot a request\n");
        else if (!strcmp(l.field[0], "run")) answer_run(out, &r);
        answer(out, "end\n");
    }
    talk_reader_free(&from);
    return 0;
}

/* ---- sessions ---- */

static char self[4096];
static char *arguments[] = {self, NULL};

static session *start(void) {
    error e = {0};
    session *s = session_open(self, arguments, &e);
    assert_non_null(s);
    return s;
}

static bool run(session *s, const char *threads, run_answer *a, error *e) {
    run_request r = run_request_standard;
    r.threads = threads;
    r.seconds = 20;
    *e = (error){0};
    return session_run(s, &r, NULL, NULL, a, e);
}

static void check_declarations(void **unused) {
    (void)unused;
    session *s = start();
    declarations d;
    error e = {0};
    assert_true(session_declarations(s, &d, &e));
    assert_int_equal(d.items, 2);
    assert_string_equal(d.item[0].words, "enq");
    assert_int_equal(d.item[0].nargs, 1);
    assert_int_equal(d.item[1].line, 8);
    declarations_free(&d);
    session_close(s);
    char *many[] = {self, "many", NULL};
    s = session_open(self, many, &e);
    assert_false(session_declarations(s, &d, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    declarations_free(&d);
    session_close(s);
}

static void check_answers(void **unused) {
    (void)unused;
    session *s = start();
    run_answer a;
    error e;
    assert_true(run(s, "enq(1) | deq", &a, &e));
    assert_true(a.result.complete && !a.died && !a.schedule);
    assert_int_equal(a.result.executions, 5);
    assert_int_equal(a.result.stages, 1);
    assert_string_equal(a.result.stage[0].strategy, "dpor");
    assert_string_equal(a.notes, "a note\n");
    run_answer_free(&a);
    assert_true(run(s, "bad | deq", &a, &e));
    assert_int_equal(a.result.failure, FAILURE_ASSERTION);
    assert_string_equal(a.result.message, "broken");
    assert_string_equal(a.schedule, "0*3 1");
    run_answer_free(&a);
    assert_false(run(s, "refuse", &a, &e));
    assert_int_equal(e.code, 65);
    run_answer_free(&a);
    session_close(s);
}

/* Results that there are not are errors, not verdicts; and the next question is answered. */
static void check_nonsense(void **unused) {
    (void)unused;
    session *s = start();
    run_answer a;
    error e;
    assert_false(run(s, "nonsense", &a, &e));
    assert_int_equal(e.code, EXIT_INTERNAL);
    run_answer_free(&a);
    assert_false(run(s, "below", &a, &e));
    assert_int_equal(e.code, EXIT_INTERNAL);
    run_answer_free(&a);
    assert_true(run(s, "deq", &a, &e));
    assert_int_equal(a.result.failure, FAILURE_NONE);
    run_answer_free(&a);
    session_close(s);
}

/* A program that dies is an answer; it is started anew. */
static void check_deaths(void **unused) {
    (void)unused;
    session *s = start();
    run_answer a;
    error e;
    assert_true(run(s, "crash", &a, &e));
    assert_true(a.died && strstr(a.result.message, "signal 6"));
    run_answer_free(&a);
    assert_true(run(s, "leave", &a, &e));
    assert_true(a.died && strstr(a.result.message, "exit code 3"));
    run_answer_free(&a);
    assert_true(run(s, "deq", &a, &e));
    assert_false(a.died);
    run_answer_free(&a);
    session_close(s);
}

static void keep_history(void *context, const char *seen) { snprintf(context, 64, "%s", seen); }

static void check_histories(void **unused) {
    (void)unused;
    session *s = start();
    char seen[64] = "";
    run_request r = run_request_standard;
    run_answer a;
    error e = {0};
    r.threads = "deq";
    r.reuse = "never";
    r.steps = 123;
    r.history = keep_history;
    r.context = seen;
    assert_true(session_run(s, &r, NULL, NULL, &a, &e));
    assert_string_equal(seen, "never,123");
    run_answer_free(&a);
    session_close(s);
}

/* ---- hunts ---- */

static void check_hunt(const char *const *threads, unsigned n, unsigned jobs, hunt *h) {
    hunt_options o = {.binary = self,
                      .argv = arguments,
                      .how = run_request_standard,
                      .threads = threads,
                      .threads_n = n,
                      .jobs = jobs,
                      .seconds = 30};
    error e = {0};
    assert_true(hunt_run(&o, h, &e));
    assert_int_equal(h->programs, h->complete + h->bounded + h->begun);
}

static void check_hunts(void **unused) {
    (void)unused;
    static const char *const good[] = {"a", "b", "c", "d", "e"}, *const bad[] = {"a", "x bad y | z", "c"};
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        hunt h;
        check_hunt(good, 5, jobs, &h);
        assert_true(!h.failed && h.all_programs && !h.stopped);
        assert_int_equal(h.programs, 5);
        assert_int_equal(h.complete, 5);
        assert_int_equal(h.executions, 25);
        assert_string_equal(h.notes.at, "a note\n"); /* once */
        hunt_free(&h);
        check_hunt(bad, 3, jobs, &h);
        assert_true(h.failed && !h.all_programs);
        assert_string_equal(h.failure.threads, "bad"); /* the smallest part that still fails */
        assert_int_equal(h.shrunk_from, 4);
        hunt_free(&h);
    }
}

static void check_hunt_of_main(void **unused) {
    (void)unused;
    hunt h;
    check_hunt(NULL, 0, 2, &h);
    assert_int_equal(h.programs, 1);
    assert_int_equal(h.complete, 1);
    hunt_free(&h);
}

int main(int argc, char **argv) {
    const char *explored = getenv("PLUMB_EXPLORE");
    (void)argv;
    if (explored) return be_explored(explored, argc > 1);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) return 1;
    self[n] = 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(check_declarations), cmocka_unit_test(check_answers),
                                       cmocka_unit_test(check_nonsense),     cmocka_unit_test(check_deaths),
                                       cmocka_unit_test(check_histories),    cmocka_unit_test(check_hunts),
                                       cmocka_unit_test(check_hunt_of_main)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
