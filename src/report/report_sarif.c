/* Verdicts for editors and continuous integration: SARIF, and GitHub's annotations. A violation is an error at the line
 * of the last operation of its core, no answer is a warning, input that could not be judged an error. */
#include "report/annotation.h"
#include "report/write.h"

#include <stdlib.h>
#include <string.h>

static bool has_result(const report *r) { return r->error.code || r->verdict != VERDICT_LINEARIZABLE; }

static const char *rule(const report *r) {
    if (r->error.code) return "no-verdict";
    return r->verdict == VERDICT_VIOLATION ? "not-linearizable" : "undecided";
}

static const char *level(const report *r) {
    return !r->error.code && r->verdict == VERDICT_UNDECIDED ? "warning" : "error";
}

/* Messages about bad input begin with file:line. */
static uint32_t line_in_message(const report *r) {
    size_t n = strlen(r->file);
    if (strncmp(r->error.what, r->file, n) != 0 || r->error.what[n] != ':') return 0;
    return (uint32_t)strtoul(r->error.what + n + 1, NULL, 10);
}

static uint32_t line_of(const report *r) {
    if (r->error.code) return line_in_message(r);
    return r->core_line && r->core_n ? r->core_line[r->core_n - 1] : 0;
}

static void message(const report *r, text *out) {
    static const colours plain = {"", "", "", "", ""};
    if (r->error.code) {
        text_add(out, r->error.what);
        return;
    }
    report_line(r, &plain, out);
    text_bytes(out, r->sentences.at, r->sentences.size);
    while (out->size && out->at[out->size - 1] == '\n') out->at[--out->size] = 0;
}

static void related(const report *r, text *out) {
    if (!r->core_line) return;
    text_add(out, ",\"relatedLocations\":[");
    for (uint32_t i = 0; i < r->core_n; i++) {
        text_printf(out, "%s{\"id\":%u,", i ? "," : "", r->core[i]);
        sarif_location(r->file, r->core_line[i], out);
        text_printf(out, ",\"message\":{\"text\":\"operation #%u\"}}", r->core[i]);
    }
    text_char(out, ']');
}

static void sarif_result(const report *r, text *out) {
    text said = {0};
    message(r, &said);
    text_printf(out, "{\"ruleId\":\"%s\",\"level\":\"%s\",\"message\":{\"text\":", rule(r), level(r));
    text_json(out, text_str(&said), said.size);
    text_add(out, "},\"locations\":[{");
    sarif_location(r->file, line_of(r), out);
    text_add(out, "}]");
    related(r, out);
    text_char(out, '}');
    text_free(&said);
}

void report_sarif(const report *const *r, uint32_t n, text *out) {
    const char *before = "";
    sarif_begin("{\"id\":\"not-linearizable\"},{\"id\":\"undecided\"},{\"id\":\"no-verdict\"}", out);
    for (uint32_t i = 0; i < n; i++) {
        if (!has_result(r[i])) continue;
        text_add(out, before);
        sarif_result(r[i], out);
        before = ",";
    }
    sarif_end(out);
}

void report_github(const report *r, text *out) {
    text said = {0};
    if (!has_result(r)) return;
    message(r, &said);
    github_annotation(level(r), "plumb check", r->file, line_of(r), text_str(&said), out);
    text_free(&said);
}
