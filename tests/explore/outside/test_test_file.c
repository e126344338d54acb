/* Schedules that are saved can be loaded; files that are none are refused with the line. */
#include "explore/outside/test_file.h"

#include "base/scratch.h"
#include "base/whole_file.h"
#include "support/cmocka.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static text path;

static int set_up(void **unused) {
    (void)unused;
    error e = {0};
    return scratch_file("plumb-schedule", &path, &e) ? 0 : -1;
}

static int tear_down(void **unused) {
    (void)unused;
    unlink(path.at);
    text_free(&path);
    return 0;
}

static void assert_word(const char *a, const char *b) {
    assert_int_equal(!a, !b);
    if (a) assert_string_equal(a, b);
}

static void check_round_trip(const saved_schedule *s) {
    saved_schedule again;
    error e = {0};
    assert_true(schedule_save(path.at, s, &e));
    assert_true(schedule_load(path.at, &again, &e));
    assert_word(again.sources, s->sources);
    assert_word(again.flags, s->flags);
    assert_word(again.arguments, s->arguments);
    assert_word(again.object, s->object);
    assert_word(again.init, s->init);
    assert_word(again.threads, s->threads);
    assert_word(again.options, s->options);
    assert_word(again.choices, s->choices);
    saved_schedule_free(&again);
}

static void round_trips(void **unused) {
    (void)unused;
    char sources[] = "a.c b.c", flags[] = "-DX: 1", object[] = "queue", init[] = "0", threads[] = "enq(1) : deq | deq",
         options[] = "reuse=newest", arguments[] = "-n 5", choices[] = "@12,34 0*3 1";
    check_round_trip(&(saved_schedule){sources, flags, arguments, object, init, threads, options, choices});
    check_round_trip(&(saved_schedule){.sources = sources, .choices = choices});
}

static void check_refused(const char *content, const char *why) {
    saved_schedule s;
    error e = {0};
    assert_true(whole_file_write(path.at, content, strlen(content), &e));
    assert_false(schedule_load(path.at, &s, &e));
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    assert_non_null(strstr(e.what, why));
}

static void refusals(void **unused) {
    (void)unused;
    check_refused("", "ends too early");
    check_refused("plumb schedule 2\n", ":1: not a schedule");
    check_refused("plumb schedule 1\nsources: a.c\n", "expected lines sources and choices");
    check_refused("plumb schedule 1\nchoices: 0\n", "expected lines sources and choices");
    check_refused("plumb schedule 1\nsources: a.c\ncolour: red\n", ":3: unknown line");
    check_refused("plumb schedule 1\nsources: a.c\nsources: b.c\nchoices: 0\n", ":3: said twice");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trips), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
