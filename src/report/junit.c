/* JUnit XML: a violation is a failure with its explanation, no answer is an error. */
#include "report/escape.h"
#include "report/write.h"

#include <assert.h>
#include <string.h>

static double total_seconds(const report *r) { return r->read_seconds + r->seconds + r->evidence_seconds; }

static void first_line(const report *r, text *out) {
    static const colours plain = {"", "", "", "", ""};
    text line = {0};
    report_line(r, &plain, &line);
    assert(line.size && line.at[line.size - 1] == '\n');
    line.at[--line.size] = 0;
    escape_xml_string(out, text_str(&line));
    text_free(&line);
}

static void outcome_element(const report *r, const char *element, text *out) {
    text_printf(out, "\n    <%s type=\"%s\" message=\"", element, report_outcome(r));
    first_line(r, out);
    text_add(out, "\">");
    escape_xml_string(out, text_str(&r->diagram));
    escape_xml_string(out, text_str(&r->sentences));
    text_printf(out, "</%s>\n  ", element);
}

static void testcase(const report *r, text *out) {
    text_add(out, "  <testcase classname=\"plumb.check\" name=\"");
    escape_xml_string(out, r->file);
    text_printf(out, "\" time=\"%.6f\">", total_seconds(r));
    if (r->error.code || r->verdict == VERDICT_UNDECIDED) outcome_element(r, "error", out);
    else if (r->verdict == VERDICT_VIOLATION) outcome_element(r, "failure", out);
    text_add(out, "</testcase>\n");
}

void report_junit(const report *const *r, uint32_t n, text *out) {
    uint32_t failures = 0, errors = 0;
    double seconds = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (r[i]->error.code || r[i]->verdict == VERDICT_UNDECIDED) errors++;
        else if (r[i]->verdict == VERDICT_VIOLATION) failures++;
        seconds += total_seconds(r[i]);
    }
    assert(failures + errors <= n);
    text_printf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuite name=\"plumb check\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"0\" time=\"%.6f\">\n",
        n, failures, errors, seconds);
    for (uint32_t i = 0; i < n; i++) testcase(r[i], out);
    text_add(out, "</testsuite>\n");
}
