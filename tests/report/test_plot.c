/* Figures: points where they belong, every number counted once. */
#include "report/plot.h"

#include "support/cmocka.h"

#include <stdio.h>
#include <string.h>

static unsigned count(const text *t, const char *what) {
    unsigned n = 0;
    for (const char *at = strstr(t->at, what); at; at = strstr(at + 1, what)) n++;
    return n;
}

static void growth_has_a_line_for_each_series(void **unused) {
    (void)unused;
    plot_series s[2] = {{.name = "a<b", .x = {10, 100, 1000}, .y = {0.01, 0.1, 1}, .n = 3},
                        {.name = "b", .x = {10, 1000}, .y = {1, 1}, .n = 2}};
    text out = {0};
    plot_growth("title & more", "operations", "seconds", s, 2, &out);
    assert_int_equal(count(&out, "<polyline"), 2);
    assert_int_equal(count(&out, "<circle"), 5);
    /* a power of ten is a third of the way */
    assert_non_null(strstr(out.at, "points=\"70.0,370.0 320.0,205.0 570.0,40.0 \""));
    assert_non_null(strstr(out.at, "a&lt;b"));
    assert_non_null(strstr(out.at, "title &amp; more"));
    text_free(&out);
}

static void distribution_counts_every_number(void **unused) {
    (void)unused;
    const uint32_t times[] = {5, 2, 1, 2, 0, 0};
    text out = {0};
    plot_distribution("displacement", "places", times, 6, &out);
    assert_non_null(strstr(out.at, "<title>0: 5, 50.00 %</title>"));
    assert_non_null(strstr(out.at, "<title>1: 2, 20.00 %</title>"));
    assert_non_null(strstr(out.at, "<title>3: 2, 20.00 %</title>"));
    assert_non_null(strstr(out.at, "median 0<"));
    assert_non_null(strstr(out.at, "maximum 3<"));
    assert_non_null(strstr(out.at, "10 in all"));
    text_free(&out);
}

static void far_numbers_share_bars(void **unused) {
    (void)unused;
    uint32_t times[1000];
    for (uint32_t i = 0; i < 1000; i++) times[i] = 1;
    text out = {0};
    plot_distribution("t", "x", times, 1000, &out);
    assert_true(count(&out, "<rect") <= 62);
    assert_non_null(strstr(out.at, "<title>0 to 16: 17, 1.70 %</title>"));
    assert_non_null(strstr(out.at, "99 % 989<"));
    text_free(&out);
}

static void nothing_is_a_figure_as_well(void **unused) {
    (void)unused;
    text out = {0};
    plot_distribution("t", "x", NULL, 0, &out);
    assert_non_null(strstr(out.at, "</svg>"));
    text_free(&out);
}

static void boxes_stand_in_groups(void **unused) {
    (void)unused;
    const plot_box box[] = {{"5 s", "a", 10, 20, 30, 40, 100, 1000, false},
                            {"5 s", "b<", 1, 1, 1, 1, 1, 0, false},
                            {"100 s", "a", 100, 100, 100, 200, 1000, 0, false}};
    text out = {0};
    plot_boxes("t", "x", "y", true, box, 3, &out);
    assert_int_equal(count(&out, "<rect"), 1 + 3);
    assert_int_equal(count(&out, "class=\"published-mark\""), 1);
    assert_non_null(strstr(out.at, "<title>5 s, a: 30; published 1000</title>"));
    assert_non_null(strstr(out.at, "<title>5 s, b&lt;: 1</title>"));
    assert_non_null(strstr(out.at, ">100 s</text>"));
    assert_non_null(strstr(out.at, "M153.3 260.0V150.0")); /* from 10 to 100 of 1 to 1000, a third of the way up each */
    text_free(&out);
}

static void bars_begin_at_zero(void **unused) {
    (void)unused;
    const plot_box bar[] = {{.group = "g", .name = "a", .bar = true},
                            {.group = "g", .name = "b", .median = 20, .bar = true}};
    text out = {0};
    plot_boxes("t", "x", "y", false, bar, 2, &out);
    assert_non_null(strstr(out.at, "height=\"314.3\"")); /* 20 of 21 */
    assert_non_null(strstr(out.at, "<title>g, a: 0</title>"));
    assert_non_null(strstr(out.at, ">5</text>")); /* levels are round numbers */
    assert_non_null(strstr(out.at, ">20</text>"));
    text_free(&out);
}

TEST_MAIN(TEST(growth_has_a_line_for_each_series), TEST(distribution_counts_every_number), TEST(far_numbers_share_bars),
          TEST(nothing_is_a_figure_as_well), TEST(boxes_stand_in_groups), TEST(bars_begin_at_zero))
