/* Answers come from a program under test, or from another machine: whatever the lines are, they are read or refused. */
#include "explore/outside/answer.h"
#include "support/cmocka.h"

#include <string.h>

static bool reads(const char *lines, run_answer *out, error *e) {
    char *copy = strdup(lines);
    *e = (error){0};
    const bool good = run_answer_read(copy, out, e);
    free(copy);
    return good;
}

static void refused(const char *lines, int code) {
    run_answer a;
    error e;
    assert_false(reads(lines, &a, &e));
    assert_int_equal(e.code, code);
    run_answer_free(&a);
}

static void an_answer_comes_back(void **unused) {
    run_answer a = {.result = {.executions = 7, .preemptions = 2, .seconds = 0.5}, .notes = strdup("one\ntwo\n")};
    run_answer back;
    text out = {0};
    error e;
    (void)unused;
    a.work = strdup("@1 2");
    run_answer_send(&a, &out);
    assert_true(reads(text_str(&out), &back, &e));
    assert_int_equal(back.result.executions, 7);
    assert_int_equal(back.result.preemptions, 2);
    assert_string_equal(back.notes, "one\ntwo\n");
    assert_string_equal(back.work, "@1 2");
    run_answer_free(&a);
    run_answer_free(&back);
    text_free(&out);
}

static void what_is_not_whole_is_refused(void **unused) {
    (void)unused;
    refused("", EXIT_BAD_INPUT);
    refused("counts\t1\n", EXIT_BAD_INPUT);
    refused("end", EXIT_BAD_INPUT);
    refused("result\t0\t-1\t0\t99\nend\n", EXIT_INTERNAL);
}

/* An error is one, whatever its code: none would be taken for an answer. */
static void an_error_has_a_code(void **unused) {
    (void)unused;
    refused("error\t65\twhy\nend\n", EXIT_BAD_INPUT);
    refused("error\nend\n", EXIT_INTERNAL);
    refused("error\t0\twhy\nend\n", EXIT_INTERNAL);
    refused("error\t4294967296\twhy\nend\n", EXIT_INTERNAL);
    refused("error\t-3\twhy\nend\n", EXIT_INTERNAL);
}

static void words_may_come_twice(void **unused) {
    run_answer a;
    error e;
    (void)unused;
    assert_true(reads("work\ta\nwork\tb\nschedule\tc\nschedule\td\nend\n", &a, &e));
    assert_string_equal(a.work, "b");
    assert_string_equal(a.schedule, "d");
    run_answer_free(&a);
}

TEST_MAIN(TEST(an_answer_comes_back), TEST(what_is_not_whole_is_refused), TEST(an_error_has_a_code),
          TEST(words_may_come_twice))
