/* What Prometheus is told. */
#include "support/cmocka.h"

#include "runtime/metrics.h"

#include <plumbline/verify.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static text print(const metrics *m) {
    text out = {0};
    metrics_print(m, &out);
    return out;
}

static void assert_has_line(const text *page, const char *line) {
    const char *at = strstr(text_str(page), line);
    if (!at) fail_msg("no line %s in\n%s", line, text_str(page));
    assert_true(at == page->at || at[-1] == '\n');
    assert_int_equal(at[strlen(line)], '\n');
}

static void every_number_has_its_line(void **unused) {
    (void)unused;
    text page = print(&(metrics){.object = "queue",
                                 .source = "run",
                                 .verdict = VERDICT_VIOLATION,
                                 .checked = 1,
                                 .dark = 2,
                                 .skipped = 3,
                                 .grey = 4,
                                 .excused = 5,
                                 .dark_periods = 6,
                                 .violations = 7,
                                 .open = 8,
                                 .lag = 9,
                                 .memory = 10,
                                 .started = 11,
                                 .rate = 12.5});
    assert_has_line(&page, "plumb_verdict{object=\"queue\",source=\"run\",verdict=\"linearizable\"} 0");
    assert_has_line(&page, "plumb_verdict{object=\"queue\",source=\"run\",verdict=\"violation\"} 1");
    assert_has_line(&page, "plumb_verdict{object=\"queue\",source=\"run\",verdict=\"undecided\"} 0");
    assert_has_line(&page, "plumb_operations_checked_total{object=\"queue\",source=\"run\"} 1");
    assert_has_line(&page, "plumb_operations_unjudged_total{object=\"queue\",source=\"run\",why=\"dark\"} 2");
    assert_has_line(&page, "plumb_operations_unjudged_total{object=\"queue\",source=\"run\",why=\"skipped\"} 3");
    assert_has_line(&page, "plumb_operations_unjudged_total{object=\"queue\",source=\"run\",why=\"grey\"} 4");
    assert_has_line(&page, "plumb_operations_excused_total{object=\"queue\",source=\"run\"} 5");
    assert_has_line(&page, "plumb_dark_periods_total{object=\"queue\",source=\"run\"} 6");
    assert_has_line(&page, "plumb_violations_total{object=\"queue\",source=\"run\"} 7");
    assert_has_line(&page, "plumb_operations_open{object=\"queue\",source=\"run\"} 8");
    assert_has_line(&page, "plumb_lag{object=\"queue\",source=\"run\"} 9");
    assert_has_line(&page, "plumb_memory_bytes{object=\"queue\",source=\"run\"} 10");
    assert_has_line(&page, "plumb_start_time_seconds{object=\"queue\",source=\"run\"} 11.000");
    assert_has_line(&page, "plumb_operations_per_second{object=\"queue\",source=\"run\"} 12.500");
    text_free(&page);
}

/* Each series once, after one HELP and one TYPE line of its name: a scraper refuses the whole page otherwise. */
static void families_are_whole(void **unused) {
    (void)unused;
    text page = print(&(metrics){.object = "o", .source = "s"});
    char family[128] = "";
    unsigned families = 0;
    for (char *line = strtok(page.at, "\n"); line; line = strtok(NULL, "\n")) {
        char name[128];
        if (sscanf(line, "# HELP %127s", name) == 1) {
            strcpy(family, name);
            families++;
        } else if (sscanf(line, "# TYPE %127s", name) == 1) {
            assert_string_equal(name, family);
        } else {
            assert_int_equal(strncmp(line, family, strlen(family)), 0);
            assert_int_equal(line[strlen(family)], '{');
        }
    }
    assert_int_equal(families, 12);
    text_free(&page);
}

static void labels_are_escaped(void **unused) {
    (void)unused;
    text page = print(&(metrics){.object = "a\"b", .source = "c\\d\ne"});
    assert_has_line(&page, "plumb_lag{object=\"a\\\"b\",source=\"c\\\\d\\ne\"} 0");
    text_free(&page);
}

static void the_rate_is_of_the_last_second(void **unused) {
    (void)unused;
    metrics_rate r = {0};
    assert_true(metrics_rate_now(&r, 100, 10.0) == 0);
    assert_true(metrics_rate_now(&r, 600, 10.5) == 0); /* too early to say */
    assert_true(metrics_rate_now(&r, 1100, 12.0) == 500);
    assert_true(metrics_rate_now(&r, 1100, 12.9) == 500);
    assert_true(metrics_rate_now(&r, 1100, 13.0) == 0); /* nothing happens any more */
}

static void a_verifier_prints_its_own(void **unused) {
    (void)unused;
    plumb_recorder *r =
        plumb_record_open(&(plumb_record_options){.struct_size = sizeof(plumb_record_options), .object = "queue"});
    plumb_log *l = plumb_record_join(r);
    plumb_verifier *v = plumb_verify_start(r, NULL);
    for (int i = 0; i < 10; i++) {
        plumb_call_int(l, plumb_record_method(r, "enq"), i);
        plumb_ret_none(l);
    }
    plumb_record_leave(l);
    assert_int_equal(plumb_verify_stop(v), PLUMB_LINEARIZABLE);
    char small[8], page[8192];
    size_t size = plumb_verify_metrics(v, "here", page, sizeof page);
    assert_int_equal(strlen(page), size);
    assert_non_null(strstr(page, "plumb_operations_checked_total{object=\"queue\",source=\"here\"} 10\n"));
    assert_non_null(strstr(page, "verdict=\"linearizable\"} 1\n"));
    assert_non_null(strstr(page, "plumb_lag{object=\"queue\",source=\"here\"} 0\n"));
    assert_int_equal(plumb_verify_metrics(v, "here", small, sizeof small), size);
    assert_string_equal(small, "# HELP ");
    assert_int_equal(plumb_verify_metrics(v, "here", NULL, 0), size);
    plumb_verify_free(v);
    plumb_record_close(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_has_its_line), cmocka_unit_test(families_are_whole),
        cmocka_unit_test(labels_are_escaped),        cmocka_unit_test(the_rate_is_of_the_last_second),
        cmocka_unit_test(a_verifier_prints_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
