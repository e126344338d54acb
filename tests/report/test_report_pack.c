/* A report that travelled prints what the first one prints, whatever it holds; one that was cut off is none. */
#include "report/report_pack.h"
#include "base/mem.h"
#include "report/write.h"
#include "support/cmocka.h"

#include <string.h>

static uint32_t *numbers(uint32_t n) {
    uint32_t *out = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) out[i] = i * 3;
    return out;
}

static report *violation(void) {
    report *r = report_new("runs/a b.jsonl");
    r->format = "plumb-jsonl";
    r->object = mem_string("queue");
    r->engine = "queue-linear";
    r->operations = 12;
    r->pending = 3;
    r->digest = 0x123456789abcdef0;
    r->parts = 2;
    r->verdict = VERDICT_VIOLATION;
    r->seconds = 0.125;
    r->has_core = true;
    r->core = numbers(4);
    r->core_n = 4;
    r->core_cut = 7;
    r->core_cut_operation = 3;
    r->core_cut_returns = true;
    r->core_minimal = true;
    r->core_checked_by = "oracle";
    text_add(&r->diagram, "a drawing\nof two lines\n");
    text_add(&r->sentences, "1 was removed before it was added\n");
    text_add(&r->talk, "talk\n");
    return r;
}

static report *witnessed(void) {
    report *r = report_new("x");
    r->verdict = VERDICT_LINEARIZABLE;
    r->operations = r->witness_n = 5;
    r->has_witness = r->witness_checked = true;
    r->witness = numbers(5);
    r->begins = numbers(5);
    r->ends = numbers(5);
    text_add(&r->together, "together");
    return r;
}

static report *measured(void) {
    report *r = report_new("y");
    r->verdict = VERDICT_UNDECIDED;
    text_add(&r->reason, "out of time");
    r->measured = r->bounded = true;
    r->measure_low = 2;
    r->measure_high = 5;
    r->forced = numbers(3);
    r->forced_n = 3;
    r->ahead = numbers(2);
    r->ahead_n = 2;
    r->overtaken = numbers(1);
    r->overtaken_n = 1;
    r->prefix = 9;
    return r;
}

static report *wrong(void) {
    report *r = report_new("z");
    error_set(&r->error, EXIT_BAD_INPUT, "z:1: expected something else");
    return r;
}

static void print(const report *r, text *out) {
    const report *all[] = {r};
    report_json(r, out);
    report_junit(all, 1, out);
    if (!r->error.code) report_full(r, colours_choose(COLOUR_NEVER, 1), true, out);
}

static void comes_back(report *r) {
    text packed = {0}, first = {0}, second = {0};
    report_pack(r, &packed);
    wire_reader from = {.p = (const unsigned char *)packed.at, .left = packed.size};
    report *back = report_unpack(&from);
    assert_non_null(back);
    print(r, &first);
    print(back, &second);
    assert_string_equal(text_str(&first), text_str(&second));
    assert_int_equal(report_exit_code(r), report_exit_code(back));
    for (size_t cut = 0; cut < packed.size; cut++) {
        from = (wire_reader){.p = (const unsigned char *)packed.at, .left = cut};
        assert_null(report_unpack(&from));
    }
    report_free(back);
    report_free(r);
    text_free(&packed);
    text_free(&first);
    text_free(&second);
}

static void reports_come_back(void **unused) {
    (void)unused;
    comes_back(violation());
    comes_back(witnessed());
    comes_back(measured());
    comes_back(wrong());
}

/* What a machine sends that is not ours. */
static report *sent(report *r) {
    text packed = {0};
    report_pack(r, &packed);
    wire_reader from = {.p = (const unsigned char *)packed.at, .left = packed.size};
    report *back = report_unpack(&from);
    text_free(&packed);
    report_free(r);
    return back;
}

static void what_does_not_fit_together_is_refused(void **unused) {
    (void)unused;
    report *r = violation();
    free(r->core);
    r->core = NULL;
    assert_null(sent(r));
    r = violation();
    r->core[1] = UNKNOWN_COUNT;
    assert_null(sent(r));
    r = violation();
    r->pending = r->operations + 1;
    assert_null(sent(r));
    r = violation();
    r->operations = UNKNOWN_COUNT;
    assert_null(sent(r));
    r = witnessed();
    free(r->ends);
    r->ends = NULL;
    assert_null(sent(r));
    r = measured();
    text_clear(&r->reason);
    assert_null(sent(r));
    r = measured();
    r->measure_low = 6;
    assert_null(sent(r));
    r = measured();
    free(r->ahead);
    r->ahead = NULL;
    assert_null(sent(r));
}

static void it_can_be_printed(void **unused) {
    (void)unused;
    text out = {0};
    report *r = violation();
    text_add(&r->diagram, "\033[2J\xc2\x9b\r");
    text_add(&r->sentences, "\xe2\x80\xaex\xff");
    r->seconds = -1.0 / 0.0;
    r = sent(r);
    assert_non_null(r);
    report_full(r, colours_choose(COLOUR_NEVER, 1), true, &out);
    report_json(r, &out);
    assert_null(strpbrk(text_str(&out), "\033\r\xff"));
    assert_null(strstr(text_str(&out), "\xc2\x9b"));
    assert_null(strstr(text_str(&out), "\xe2\x80\xae"));
    assert_null(strstr(text_str(&out), "inf"));
    report_free(r);
    r = wrong();
    r->error.code = 256; /* which would be 0 as an exit status */
    r = sent(r);
    assert_int_equal(r->error.code, EXIT_INTERNAL);
    report_free(r);
    text_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports_come_back),
                                       cmocka_unit_test(what_does_not_fit_together_is_refused),
                                       cmocka_unit_test(it_can_be_printed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
