/* The report people read. */
#include "report/write.h"

#include <assert.h>
#include <string.h>

static void counts(const report *r, text *out) {
    assert(r->operations != UNKNOWN_COUNT && r->pending <= r->operations);
    text_printf(out, "%u operation%s, %u pending", r->operations, r->operations == 1 ? "" : "s", r->pending);
    if (r->sample) text_printf(out, ", of one of %u keys or values", r->sample);
}

static void linearizable_line(const report *r, text *out) {
    text_add(out, ": ");
    counts(r, out);
    if (r->measured) text_add(out, "; the smallest k");
    text_add(out, r->witness_checked ? "; witness checked" : "; witness not checked");
    if (r->task.size) text_printf(out, "; %s", text_str(&r->task));
}

static void violation_line(const report *r, text *out) {
    const char *article = strchr("aeiou", r->criterion[0]) ? "an" : "a";
    text_printf(out, ": not %s %s %s: ", article, r->criterion, r->object ? r->object : "object");
    counts(r, out);
    if (r->has_core) text_printf(out, "; core of %u", r->core_n);
}

static void undecided_line(const report *r, text *out) {
    text_printf(out, ": %s", text_str(&r->reason));
    if (r->operations == UNKNOWN_COUNT) return;
    text_add(out, "; ");
    counts(r, out);
    if (r->prefix != UNKNOWN_COUNT) text_printf(out, "; longest %s beginning found: %u", r->criterion, r->prefix);
}

void report_line(const report *r, const colours *c, text *out) {
    if (r->error.code) {
        text_printf(out, "%s%s%s: %s\n", c->bad, report_outcome(r), c->off, r->error.what);
        return;
    }
    const char *found = r->verdict == VERDICT_LINEARIZABLE ? r->criterion : verdict_text(r->verdict);
    text_printf(out, "%s%s%s", colours_verdict(c, r->verdict), found, c->off);
    switch (r->verdict) {
    case VERDICT_LINEARIZABLE: linearizable_line(r, out); break;
    case VERDICT_VIOLATION: violation_line(r, out); break;
    case VERDICT_UNDECIDED: undecided_line(r, out); break;
    }
    text_char(out, '\n');
}

static void paragraph(const text *t, text *out) {
    if (!t->size) return;
    text_char(out, '\n');
    text_bytes(out, t->at, t->size);
    if (t->at[t->size - 1] != '\n') text_char(out, '\n');
}

static void core_line(const report *r, text *out) {
    assert(r->core_n <= r->operations);
    text_printf(out, "\ncore: %u of %u operations", r->core_n, r->operations);
    if (r->core_minimal) text_add(out, "; nothing more can be left out");
    else text_add(out, "; not reduced to the end: the budget was spent");
    if (r->core_checked_by) text_printf(out, "; decided again by %s", r->core_checked_by);
    else text_add(out, "; too big to be decided a second time");
    text_char(out, '\n');
}

static void tally_line(const char *what, const uint32_t *times, uint32_t n, text *out) {
    text_printf(out, "  %s", what);
    for (uint32_t i = 0; i < n; i++)
        if (times[i]) text_printf(out, "  %u: %u", i, times[i]);
    text_char(out, '\n');
}

static void measure_paragraph(const report *r, text *out) {
    if (r->measure_low > 0) {
        text_printf(out, "\nNot quasi(%u):\n", r->measure_low - 1);
        paragraph(&r->diagram, out);
        paragraph(&r->sentences, out);
    }
    text_add(out, "\nin the witness, by number:\n");
    tally_line("elements ahead of what a removal took: ", r->ahead, r->ahead_n, out);
    tally_line("times an element was overtaken:        ", r->overtaken, r->overtaken_n, out);
}

void report_full(const report *r, const colours *c, bool verbose, text *out) {
    report_line(r, c, out);
    if (r->error.code) return;
    if (r->verdict == VERDICT_VIOLATION) {
        paragraph(&r->diagram, out);
        paragraph(&r->sentences, out);
        if (r->has_core && !r->sentences.size) core_line(r, out); /* the sentences end by saying the same */
    }
    if (r->verdict == VERDICT_LINEARIZABLE) paragraph(&r->together, out);
    if (r->measured && r->bounded) measure_paragraph(r, out);
    text_printf(out, "%s", c->dim);
    if (r->engine) text_printf(out, "engine %s, ", r->engine);
    text_printf(out, "%.3f s", r->seconds);
    if (verbose) {
        text_printf(out, " deciding, %.3f s reading, %.3f s evidence, %u part%s, %llu steps", r->read_seconds,
                    r->evidence_seconds, r->parts, r->parts == 1 ? "" : "s", (unsigned long long)r->steps);
    }
    text_printf(out, "%s\n", c->off);
}

void report_summary(const report *const *r, uint32_t n, const colours *c, text *out) {
    uint32_t count[3] = {0}, errors = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (r[i]->error.code) errors++;
        else count[r[i]->verdict]++;
    }
    bool relaxed = n && r[0]->relaxed;
    text_printf(out, "\n%10s %14s %11s %11s %8s\n", "files", relaxed ? "right" : "linearizable", "violation",
                "undecided", "errors");
    text_printf(out, "%10u %s%14u%s %s%11u%s %s%11u%s %s%8u%s\n", n, count[0] ? c->good : "", count[0], c->off,
                count[1] ? c->bad : "", count[1], c->off, count[2] ? c->doubt : "", count[2], c->off,
                errors ? c->bad : "", errors, c->off);
}
