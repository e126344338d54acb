/* Reports: the JSON line, JUnit, exit codes and their order, colour rules. */
#include "report/write.h"

#include "base/mem.h"
#include "support/cmocka.h"

#include <stdlib.h>
#include <string.h>

static void json_of_bad_input_has_an_error_and_no_verdict(void **unused) {
    (void)unused;
    report *r = report_new("a \"b\"\n");
    error_set(&r->error, EXIT_BAD_INPUT, "x:1: what");
    text out = {0};
    report_json(r, &out);
    assert_non_null(strstr(out.at, "\"file\":\"a \\\"b\\\"\\n\""));
    assert_non_null(strstr(out.at, "\"verdict\":null"));
    assert_non_null(strstr(out.at, "\"operations\":null"));
    assert_non_null(strstr(out.at, "\"error\":{\"code\":65,\"message\":\"x:1: what\"}"));
    assert_ptr_equal(strchr(out.at, '\n'), out.at + out.size - 1);
    text_free(&out);
    report_free(r);
}

static report *violation_report(void) {
    report *r = report_new("f");
    r->verdict = VERDICT_VIOLATION;
    r->operations = 9;
    r->object = mem_string("queue");
    r->has_core = true;
    r->core_n = 2;
    r->core = MEM_ARRAY(uint32_t, 2);
    r->core[0] = 3;
    r->core[1] = 7;
    r->core_checked_by = "oracle";
    text_add(&r->sentences, "First < second.\nSecond.\n");
    return r;
}

static void json_of_a_violation_has_core_and_explanation(void **unused) {
    (void)unused;
    report *r = violation_report();
    text out = {0};
    report_json(r, &out);
    assert_non_null(strstr(out.at, "\"core\":[3,7],\"witness\":null"));
    assert_non_null(strstr(out.at, "\"explanation\":[\"First < second.\",\"Second.\"]"));
    assert_non_null(strstr(out.at, "\"core_cut\":null"));
    text_free(&out);
    report_free(r);
}

static void junit_escapes_and_counts(void **unused) {
    (void)unused;
    report *bad = violation_report(), *doubt = report_new("a<b>&\"\x01\xff");
    const report *all[] = {bad, doubt};
    text_add(&doubt->reason, "time budget spent");
    text out = {0};
    report_junit(all, 2, &out);
    assert_non_null(strstr(out.at, "tests=\"2\" failures=\"1\" errors=\"1\""));
    assert_non_null(strstr(out.at, "name=\"a&lt;b&gt;&amp;&quot;??\""));
    assert_non_null(strstr(out.at, "First &lt; second."));
    text_free(&out);
    report_free(bad);
    report_free(doubt);
}

static void the_worst_exit_code_counts(void **unused) {
    (void)unused;
    static const int order[] = {EXIT_LINEARIZABLE, EXIT_UNDECIDED, EXIT_VIOLATION, EXIT_CANNOT_OPEN,
                                EXIT_BAD_INPUT,    EXIT_USAGE,     EXIT_INTERNAL,  EXIT_INTERRUPTED};
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++) assert_int_equal(exit_code_worse(order[a], order[b]), order[a > b ? a : b]);
}

static bool coloured(colour_wish wish) { return *colours_choose(wish, -1)->bad != 0; }

static void colours_follow_the_environment(void **unused) {
    (void)unused;
    unsetenv("NO_COLOR");
    unsetenv("CLICOLOR_FORCE");
    unsetenv("CLICOLOR");
    assert_false(coloured(COLOUR_AUTO));
    assert_true(coloured(COLOUR_ALWAYS));
    setenv("CLICOLOR_FORCE", "1", 1);
    assert_true(coloured(COLOUR_AUTO));
    assert_false(coloured(COLOUR_NEVER));
    setenv("NO_COLOR", "", 1);
    assert_true(coloured(COLOUR_AUTO));
    setenv("NO_COLOR", "1", 1);
    assert_false(coloured(COLOUR_AUTO));
    assert_true(coloured(COLOUR_ALWAYS));
    unsetenv("NO_COLOR");
    setenv("CLICOLOR_FORCE", "0", 1);
    assert_false(coloured(COLOUR_AUTO));
}

static void an_undecided_line_says_why_and_how_far(void **unused) {
    (void)unused;
    report *r = report_new("f");
    text out = {0};
    r->operations = 10;
    r->pending = 1;
    r->prefix = 4;
    text_add(&r->reason, "time budget spent");
    report_line(r, colours_choose(COLOUR_NEVER, -1), &out);
    assert_string_equal(
        out.at, "undecided: time budget spent; 10 operations, 1 pending; longest linearizable beginning found: 4\n");
    text_free(&out);
    report_free(r);
}

TEST_MAIN(TEST(json_of_bad_input_has_an_error_and_no_verdict), TEST(json_of_a_violation_has_core_and_explanation),
          TEST(junit_escapes_and_counts), TEST(the_worst_exit_code_counts), TEST(colours_follow_the_environment),
          TEST(an_undecided_line_says_why_and_how_far))
