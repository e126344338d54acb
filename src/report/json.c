/* One JSON object, one line. Fields are only ever added; what they mean is in plumb-check(1). */
#include "report/write.h"

#include <assert.h>
#include <string.h>

static void name(const char *field, text *out) { text_printf(out, ",\"%s\":", field); }

static void json_text(const char *field, const char *s, text *out) {
    name(field, out);
    if (s) text_json(out, s, strlen(s));
    else text_add(out, "null");
}

static void json_count(const char *field, uint32_t n, text *out) {
    name(field, out);
    if (n == UNKNOWN_COUNT) text_add(out, "null");
    else text_int(out, n);
}

static void json_bool(const char *field, bool known, bool b, text *out) {
    name(field, out);
    text_add(out, !known ? "null" : b ? "true" : "false");
}

static void json_seconds(const char *field, double seconds, text *out) {
    name(field, out);
    text_printf(out, "%.6f", seconds);
}

static void json_numbers(const char *field, bool known, const uint32_t *number, uint32_t n, text *out) {
    name(field, out);
    if (!known) {
        text_add(out, "null");
        return;
    }
    text_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        assert(number[i] != UNKNOWN_COUNT);
        if (i) text_char(out, ',');
        text_int(out, number[i]);
    }
    text_char(out, ']');
}

/* Stamps may be equal: this names the event itself. */
static void json_cut(const report *r, text *out) {
    name("core_cut_event", out);
    if (r->core_cut == RANK_NEVER) text_add(out, "null");
    else
        text_printf(out, "{\"operation\":%u,\"event\":\"%s\"}", r->core_cut_operation,
                    r->core_cut_returns ? "return" : "call");
}

static void json_steps(const report *r, text *out) {
    if (!r->begins) return;
    name("steps", out);
    text_char(out, '[');
    for (uint32_t k = 0; k < r->witness_n; k++) {
        text_printf(out, "%s{\"op\":%u,\"begins\":%u,\"ends\":", k ? "," : "", r->witness[k], r->begins[k]);
        if (r->ends[k] == STEP_NEVER) text_add(out, "null}");
        else text_printf(out, "%u}", r->ends[k]);
    }
    text_char(out, ']');
}

static void json_lines(const char *field, bool known, const text *t, text *out) {
    name(field, out);
    if (!known) {
        text_add(out, "null");
        return;
    }
    text_char(out, '[');
    bool first = true;
    for (const char *line = text_str(t); *line;) {
        size_t n = strcspn(line, "\n");
        if (n) {
            if (!first) text_char(out, ',');
            text_json(out, line, n);
            first = false;
        }
        line += n + (line[n] == '\n');
    }
    text_char(out, ']');
}

static void json_measure(const report *r, text *out) {
    if (!r->measured) return;
    name("measure", out);
    assert(!r->bounded || r->measure_low <= r->measure_high);
    text_printf(out, "{\"bounded\":%s", r->bounded ? "true" : "false");
    json_count("smallest", r->bounded && r->measure_low == r->measure_high ? r->measure_low : UNKNOWN_COUNT, out);
    json_count("low", r->bounded ? r->measure_low : UNKNOWN_COUNT, out);
    json_count("high", r->bounded ? r->measure_high : UNKNOWN_COUNT, out);
    json_numbers("forced_by", r->bounded && r->measure_low, r->forced, r->forced_n, out);
    json_numbers("ahead", r->bounded, r->ahead, r->ahead_n, out);
    json_numbers("overtaken", r->bounded, r->overtaken, r->overtaken_n, out);
    text_char(out, '}');
}

static void json_error(const report *r, text *out) {
    name("error", out);
    if (!r->error.code) {
        text_add(out, "null");
        return;
    }
    text_printf(out, "{\"code\":%d,\"message\":", r->error.code);
    text_json(out, r->error.what, strlen(r->error.what));
    text_char(out, '}');
}

void report_json(const report *r, text *out) {
    bool judged = r->error.code == 0;
    assert(r->file && r->criterion);
    assert(!judged || r->verdict != VERDICT_UNDECIDED || r->reason.size); /* undecided has a reason */
    assert(!r->has_core || r->core_n);                                    /* a core has operations */
    text_add(out, "{\"schema\":\"" REPORT_SCHEMA "\"");
    json_text("file", r->file, out);
    json_text("object", r->object, out);
    json_text("engine", r->engine, out);
    json_text("criterion", r->criterion, out);
    json_count("operations", r->operations, out);
    json_count("pending", r->operations == UNKNOWN_COUNT ? UNKNOWN_COUNT : r->pending, out);
    if (r->sample) text_printf(out, ",\"sample\":\"1/%u\"", r->sample);
    bool holds = r->verdict == VERDICT_LINEARIZABLE && strcmp(r->criterion, "linearizable") != 0;
    json_text("verdict", !judged ? NULL : holds ? "holds" : verdict_text(r->verdict), out);
    json_text("reason", judged && r->verdict == VERDICT_UNDECIDED ? text_str(&r->reason) : NULL, out);
    json_seconds("seconds", r->seconds, out);
    json_numbers("core", r->has_core, r->core, r->core_n, out);
    json_numbers("witness", r->has_witness, r->witness, r->witness_n, out);
    json_steps(r, out);
    if (r->task.size) json_text("task", text_str(&r->task), out);
    json_text("format", r->format, out);
    json_count("parts", judged && r->parts ? r->parts : UNKNOWN_COUNT, out);
    json_text("core_checked_by", r->core_checked_by, out);
    json_bool("core_minimal", r->has_core, r->core_minimal, out);
    json_count("core_cut", r->core_cut, out);
    json_cut(r, out);
    json_lines("explanation", r->has_core, &r->sentences, out);
    json_bool("witness_checked", judged && r->verdict == VERDICT_LINEARIZABLE, r->witness_checked, out);
    json_count("prefix", r->prefix, out);
    json_seconds("read_seconds", r->read_seconds, out);
    json_seconds("evidence_seconds", r->evidence_seconds, out);
    if (r->digest) text_printf(out, ",\"history\":\"%016llx\"", (unsigned long long)r->digest);
    json_measure(r, out);
    json_error(r, out);
    text_add(out, "}\n");
}
