/* What was explored and what was found, for other programs: JSON, JUnit, SARIF, GitHub. */
#include "explore/outside/names.h"
#include "report/annotation.h"
#include "report/escape.h"
#include "report/exploration.h"
#include "report/write.h"

#include <inttypes.h>
#include <string.h>

static const char *verdict_word(const exploration *r) {
    switch (exploration_exit_code(r)) {
    case EXIT_LINEARIZABLE: return "linearizable";
    case EXIT_VIOLATION: return "violation";
    default: return "undecided";
    }
}

static void json_text(text *out, const char *s) {
    if (s) text_json(out, s, strlen(s));
    else text_add(out, "null");
}

/* ---- JSON ---- */

/* By the names they have on the command line. */
static void add_options(const run_request *r, text *out) {
    const char *before = ",\"options\":{";
    for (unsigned i = 0; i < run_options_n; i++) {
        if (!run_options[i].name) continue;
        text_printf(out, "%s\"%s\":", before, run_options[i].name);
        run_option_json(&run_options[i], r, out);
        before = ",";
    }
    text_char(out, '}');
}

/* Those in force. */
static void add_limits(const coverage *c, text *out) {
    const char *before = "";
    text_add(out, ",\"limits\":{");
    for (unsigned i = 0; i < coverage_limits_n; i++) {
        uint64_t n = coverage_get(c, &coverage_limits[i]);
        if (!n) continue;
        text_printf(out, "%s\"%s\":%" PRIu64, before, coverage_limits[i].name, n);
        before = ",";
    }
    text_char(out, '}');
}

/* A result as the native format has it. */
static void json_result(const char *wire, text *out) {
    switch (wire ? wire[0] : 'n') {
    case 'n': text_add(out, "null"); break;
    case 'e': text_add(out, "\"empty\""); break;
    case 'f': text_add(out, "\"full\""); break;
    case 'b': text_add(out, wire[1] == '1' ? "true" : "false"); break;
    case 'i': text_add(out, wire + 1); break;
    default: json_text(out, wire + 1);
    }
}

/* The next operation in the order of calls behind one that was called at `after`; NULL: there is none. */
static const executed_operation *called_next(const execution *x, int64_t after) {
    const executed_operation *next = NULL;
    for (uint32_t i = 0; i < x->ops; i++)
        if ((int64_t)x->op[i].call_at > after && (!next || x->op[i].call_at < next->call_at)) next = &x->op[i];
    return next;
}

/* Lines of the native format, docs/FORMATS.md. */
static void add_history(const execution *x, text *out) {
    const char *before = "";
    text_add(out, ",\"history\":[");
    for (const executed_operation *op = called_next(x, -1); op; op = called_next(x, op->call_at)) {
        text_printf(out, "%s{\"client\":%u,\"op\":", before, op->thread);
        json_text(out, op->method);
        text_add(out, ",\"args\":[");
        for (unsigned a = 0; a < op->nargs; a++) {
            if (a) text_char(out, ',');
            text_int(out, op->arg[a]);
        }
        text_printf(out, "],\"call\":%u,\"ret\":", op->call_at);
        if (op->result) text_printf(out, "%u", op->return_at);
        else text_add(out, "null");
        text_add(out, ",\"res\":");
        json_result(op->result, out);
        text_char(out, '}');
        before = ",";
    }
    text_char(out, ']');
}

/* Numbers of operations of the history, in the order of calls. */
static void add_core(const exploration *r, text *out) {
    const bool any = r->why && r->why->judged && r->why->j.verdict == VERDICT_VIOLATION;
    text_add(out, ",\"core\":");
    if (!any) text_add(out, "null");
    for (uint32_t i = 0; any && i < r->why->j.core.n; i++)
        text_printf(out, "%c%u", i ? ',' : '[', r->why->j.core.op[i]);
    if (any) text_add(out, r->why->j.core.n ? "]" : "[]");
}

static void add_interleaving(const exploration *r, text *out) {
    names *n = names_new(r->debug, r->x);
    text_add(out, ",\"interleaving\":[");
    for (uint32_t i = 0; i < r->x->steps; i++) {
        code_place c = r->debug ? debug_info_line(r->debug, r->x->step[i].step.pc) : (code_place){0};
        text phrase = {0};
        step_phrase(r->x, n, i, &phrase);
        text_printf(out, "%s{\"thread\":%u,\"step\":", i ? "," : "", r->x->step[i].thread);
        json_text(out, text_str(&phrase));
        text_add(out, ",\"file\":");
        json_text(out, c.file);
        text_printf(out, ",\"line\":%u}", c.line);
        text_free(&phrase);
    }
    text_char(out, ']');
    names_free(n);
}

/* What else the text says, one string a line; "races" are those about data races. */
static void add_notes(const exploration *r, const char *key, const char *about, text *out) {
    static const colours plain = {"", "", "", "", ""};
    static const char note[] = "note: ";
    const char *before = "";
    text all = {0};
    exploration_notes(r, &plain, &all);
    text_printf(out, ",\"%s\":[", key);
    for (const char *p = text_str(&all); *p;) {
        size_t n = strcspn(p, "\n"), skip = strncmp(p, note, sizeof note - 1) ? 0 : sizeof note - 1;
        if (!strncmp(p + skip, about, strlen(about))) {
            text_add(out, before);
            text_json(out, p + skip, n - skip);
            before = ",";
        }
        p += n + (p[n] == '\n');
    }
    text_char(out, ']');
    text_free(&all);
}

static void add_failing_execution(const exploration *r, text *out) {
    if (!r->x) {
        text_add(out, ",\"history\":null,\"core\":null,\"interleaving\":null");
        return;
    }
    add_history(r->x, out);
    add_core(r, out);
    add_interleaving(r, out);
}

static void outcomes_of(const outcome_list *l, const char *model, const char *before, text *out) {
    for (uint32_t i = 0; i < l->n; i++) {
        const told_outcome *o = &l->at[i];
        text_printf(out, "%s{\"model\":", i ? "," : before);
        json_text(out, model);
        text_add(out, ",\"text\":");
        json_text(out, o->what);
        text_printf(out, ",\"executions\":%" PRIu64 ",\"schedule\":", o->executions);
        json_text(out, o->schedule);
        text_char(out, '}');
    }
}

void exploration_outcomes_json(const exploration *r, text *out) {
    outcomes_of(&r->hunt->outcomes, r->how ? r->how->model : "sc", "", out);
    if (r->second) outcomes_of(&r->second->outcomes, r->second_how->model, r->hunt->outcomes.n ? "," : "", out);
}

static void answer_of(const exploration *r, const hunt *h, const char *model, text *out) {
    text answer = {0};
    exploration_answer(r, h, &answer);
    text_add(out, "{\"model\":");
    json_text(out, model);
    text_add(out, ",\"answer\":");
    json_text(out, text_str(&answer));
    text_char(out, '}');
    text_free(&answer);
}

/* Of a litmus test that did not fail. */
static void add_condition(const exploration *r, text *out) {
    if (!r->litmus || r->hunt->failed) return;
    text_printf(out, ",\"condition\":{\"quantifier\":\"%s\",\"text\":", litmus_quantifier(r->litmus));
    json_text(out, text_str(&r->litmus->condition));
    text_add(out, ",\"answers\":[");
    answer_of(r, r->hunt, r->how ? r->how->model : "sc", out);
    if (r->second) text_char(out, ',');
    if (r->second) answer_of(r, r->second, r->second_how->model, out);
    text_add(out, "]}");
}

/* Under the model that the code asked for besides; null: it was not explored, or not asked for. */
static void add_second(const exploration *r, text *out) {
    text covered = {0};
    exploration_second(r, &covered);
    text_add(out, ",\"second\":");
    if (!covered.size) text_add(out, "null");
    else {
        text_add(out, "{\"model\":");
        json_text(out, r->second_how->model);
        text_add(out, ",\"covered\":");
        json_text(out, text_str(&covered));
        text_printf(out, ",\"executions\":%" PRIu64 "}", r->second ? r->second->executions : 0);
    }
    text_free(&covered);
}

void exploration_json(const exploration *r, text *out) {
    const hunt *h = r->hunt;
    const campaign_result *f = &h->failure.answer.result;
    text covered = {0};
    exploration_coverage(r, &covered);
    text_add(out, "{\"schema\":\"plumb.exploration/1\",\"test\":");
    json_text(out, r->name);
    text_add(out, ",\"object\":");
    json_text(out, r->object);
    text_add(out, ",\"criterion\":");
    json_text(out, r->measured.asked ? "quasi" : r->criterion ? r->criterion : "linearizable");
    if (r->measured.asked) text_printf(out, ",\"k\":%u", r->measured.k);
    if (r->specification.size) text_printf(out, ",\"serial_orders\":%" PRIu64, r->serial_orders);
    text_printf(out, ",\"verdict\":\"%s\",\"failure\":", verdict_word(r));
    json_text(out, h->failed ? failure_name(f->failure) : NULL);
    text_add(out, ",\"message\":");
    text message = {0};
    if (h->failed) message_words(r->x, r->debug, f->message, &message);
    json_text(out, h->failed ? text_str(&message) : NULL);
    text_free(&message);
    text_add(out, ",\"threads\":");
    json_text(out, h->failed ? h->failure.threads : NULL);
    text_add(out, ",\"schedule\":");
    json_text(out, r->schedule);
    text_printf(out, ",\"progress\":%s",
                exploration_claim(r) == CLAIM_NONE ? "null"
                : exploration_contradicts(r)       ? "\"contradicted\""
                                                   : "\"not contradicted\"");
    add_failing_execution(r, out);
    add_notes(r, "races", "data race", out);
    add_notes(r, "notes", "", out);
    if (r->how) add_options(r->how, out);
    text_add(out, ",\"covered\":");
    json_text(out, text_str(&covered));
    add_limits(&h->limits, out);
    add_second(r, out);
    add_condition(r, out);
    if (h->outcomes.n || (r->second && r->second->outcomes.n)) {
        text_add(out, ",\"outcomes\":[");
        exploration_outcomes_json(r, out);
        text_char(out, ']');
    }
    text_printf(out,
                ",\"programs\":%" PRIu64 ",\"complete\":%" PRIu64 ",\"bounded\":%" PRIu64
                ",\"preemptions\":%d,\"executions\":%" PRIu64 ",\"steps\":%" PRIu64 ",\"histories\":%" PRIu64
                ",\"states\":%" PRIu64 ",\"seconds\":%.6f}\n",
                h->programs, h->complete, h->bounded, h->preemptions, h->executions, h->steps, h->histories, h->states,
                h->seconds);
    text_free(&covered);
}

/* ---- JUnit ---- */

void exploration_junit(const exploration *r, text *out) {
    static const colours plain = {"", "", "", "", ""};
    text all = {0};
    int code = exploration_exit_code(r);
    exploration_text(r, &(interleaving_wishes){.lines = 40, .columns = 100, .colours = &plain}, &all);
    text_printf(out,
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"plumb explore\" tests=\"1\" "
                "failures=\"%d\" errors=\"%d\" skipped=\"0\" "
                "time=\"%.6f\">\n  <testcase classname=\"plumb.explore\" name=\"",
                code == EXIT_VIOLATION, code == EXIT_UNDECIDED, r->hunt->seconds);
    escape_xml_string(out, r->name);
    text_printf(out, "\" time=\"%.6f\">", r->hunt->seconds);
    if (code) {
        const char *element = code == EXIT_VIOLATION ? "failure" : "error";
        text_printf(out, "\n    <%s type=\"%s\">", element, verdict_word(r));
        escape_xml_string(out, text_str(&all));
        text_printf(out, "</%s>\n  ", element);
    }
    text_add(out, "</testcase>\n</testsuite>\n");
    text_free(&all);
}

/* ---- SARIF 2.1.0 ---- */

static void sarif_place(const exploration *r, uint32_t i, text *out) {
    code_place c = r->debug ? debug_info_line(r->debug, r->x->step[i].step.pc) : (code_place){0};
    sarif_location(c.file ? c.file : r->name, c.line, out);
}

static void sarif_thread(const exploration *r, const names *n, unsigned thread, text *out) {
    bool any = false;
    text_printf(out, "{\"id\":\"thread %u\",\"locations\":[", thread);
    for (uint32_t i = 0; i < r->x->steps; i++) {
        text phrase = {0};
        if (r->x->step[i].thread != thread) continue;
        step_phrase(r->x, n, i, &phrase);
        text_printf(out, "%s{\"executionOrder\":%u,\"location\":{", any ? "," : "", i + 1);
        sarif_place(r, i, out);
        text_add(out, ",\"message\":{\"text\":");
        json_text(out, text_str(&phrase));
        text_add(out, "}}}");
        text_free(&phrase);
        any = true;
    }
    text_add(out, "]}");
}

static unsigned thread_count(const execution *x) {
    unsigned n = 0;
    for (uint32_t i = 0; i < x->steps; i++)
        if (x->step[i].thread >= n) n = x->step[i].thread + 1;
    return n;
}

static bool thread_steps(const execution *x, unsigned thread) {
    for (uint32_t i = 0; i < x->steps; i++)
        if (x->step[i].thread == thread) return true;
    return false;
}

static void sarif_result(const exploration *r, text *out) {
    const campaign_result *f = &r->hunt->failure.answer.result;
    text message = {0};
    text_printf(&message, "%s", failure_name(f->failure));
    if (r->why && r->why->sentences.size) text_printf(&message, "\n%s", r->why->sentences.at);
    else if (f->message[0]) {
        text_add(&message, ": ");
        message_words(r->x, r->debug, f->message, &message);
    }
    text_printf(out, "{\"ruleId\":\"%s\",\"level\":\"error\",\"message\":{\"text\":",
                f->failure == FAILURE_VIOLATION ? "not-linearizable" : "failure");
    json_text(out, text_str(&message));
    text_add(out, "}");
    if (r->x && r->x->steps) {
        names *n = names_new(r->debug, r->x);
        text_add(out, ",\"locations\":[{");
        sarif_place(r, r->x->steps - 1, out);
        text_add(out, "}],\"codeFlows\":[{\"threadFlows\":[");
        const char *between = "";
        for (unsigned t = 0, threads = thread_count(r->x); t < threads; t++) {
            if (!thread_steps(r->x, t)) continue; /* a flow has at least one place */
            text_add(out, between);
            sarif_thread(r, n, t, out);
            between = ",";
        }
        text_add(out, "]}]");
        names_free(n);
    }
    text_add(out, "}");
    text_free(&message);
}

void exploration_sarif(const exploration *r, text *out) {
    sarif_begin("{\"id\":\"not-linearizable\"},{\"id\":\"failure\"}", out);
    if (r->hunt->failed) sarif_result(r, out);
    sarif_end(out);
}

/* ---- GitHub ---- */

void exploration_github(const exploration *r, text *out) {
    if (!r->hunt->failed) return;
    code_place c = r->debug && r->x && r->x->steps ? debug_info_line(r->debug, r->x->step[r->x->steps - 1].step.pc)
                                                   : (code_place){0};
    const campaign_result *f = &r->hunt->failure.answer.result;
    text said = {0}, why = {0};
    if (r->why && r->why->sentences.size) text_add(&why, r->why->sentences.at);
    else message_words(r->x, r->debug, f->message, &why);
    text_printf(&said, "%s%s%s", failure_name(f->failure), why.size ? ": " : "", text_str(&why));
    github_annotation("error", "plumb explore", c.file ? c.file : r->name, c.line, text_str(&said), out);
    text_free(&said);
    text_free(&why);
}
