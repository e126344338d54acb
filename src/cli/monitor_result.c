#include "base/mem.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/monitor_run.h"
#include "evidence/certificate.h"
#include "evidence/explain.h"
#include "monitor/monitor_evidence.h"
#include "report/html.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIAGRAM_COLUMNS = 100 };

static uint32_t line_of_violation(monitor_run *w) { return w->found_n ? w->found_line[0] : event_feed_line(w->feed); }

static void add_counts(const monitor_status *s, text *out) {
    text_printf(out, "%" PRIu64 " events, %" PRIu64 " operations, %" PRIu64 " open", s->events, s->operations, s->open);
    if (s->open) text_printf(out, ", lag %" PRIu64, s->lag);
    if (s->given_up) text_printf(out, ", %" PRIu64 " given up", s->given_up);
    if (s->failed) text_printf(out, ", %" PRIu64 " failed", s->failed);
    if (s->sampled < s->operations) text_printf(out, ", %" PRIu64 " sampled", s->sampled);
}

/* Of what a verdict speaks when not all was judged. */
static void add_share(const monitor_run *w, text *out) {
    if (w->sample > 1) text_printf(out, " of the sampled 1/%u", w->sample);
}

static void add_json_violations(monitor_run *w, const monitor *m, text *out) {
    uint32_t n;
    const monitor_violation *v = monitor_violations(m, &n);
    const char *why;
    text_printf(out, ",\"unjudged\":%" PRIu64 ",\"violations\":[", monitor_unjudged(m, &why));
    for (uint32_t i = 0; i < n; i++) {
        text_printf(out, "%s{\"event\":%" PRIu64 ",\"line\":%u,\"reason\":", i ? "," : "", v[i].event,
                    w->found_line[i]);
        text_json(out, v[i].reason, strlen(v[i].reason));
        text_add(out, ",\"pattern\":[");
        for (uint32_t k = 0; k < v[i].pattern_n; k++)
            text_printf(out, "%s%" PRIu64, k ? "," : "", v[i].pattern[k].number);
        text_add(out, "]}");
    }
    text_char(out, ']');
}

/* All but the first, which is told at length. */
static void add_other_violations(monitor_run *w, const monitor *m, text *out) {
    uint32_t n;
    const monitor_violation *v = monitor_violations(m, &n);
    for (uint32_t i = 1; i < n; i++) {
        text_add(out, "violation: ");
        text_printable(out, input_name(w->in));
        text_printf(out, ":%u: event %" PRIu64 ": %s\n", w->found_line[i], v[i].event, v[i].reason);
    }
    const char *why;
    uint64_t unjudged = monitor_unjudged(m, &why);
    if (n)
        text_printf(out, "%u violation%s; %" PRIu64 " operation%s not judged\n", n, n == 1 ? "" : "s", unjudged,
                    unjudged == 1 ? " was" : "s were");
}

static void write_page(monitor_run *w, const history *h, const object *o, const judgement *found) {
    picture p = picture_of(w->path, h, o, found);
    html_write(w->settings->html, &p, &w->e);
}

/* Events that say when they were; all of them, or none. */
static bool told_times(const event_feed *f, const history *h, int64_t *call, int64_t *ret) {
    for (uint32_t i = 0; i < h->n; i++) {
        ret[i] = 0;
        if (!event_feed_time(f, (moment)h->call_time.wide[i], &call[i])) return false;
        if (!history_pending(h, i) && !event_feed_time(f, (moment)h->ret_time.wide[i], &ret[i])) return false;
    }
    return true;
}

/* Operations that were read whole keep the times of the file; so do events, while they are not too long ago.
 * Others have the numbers of their events. */
static void keep_times(const monitor_run *w, history *h) {
    const history *whole = w->whole && history_has_times(w->whole) ? w->whole : NULL;
    int64_t *call = MEM_ARRAY(int64_t, h->n), *ret = MEM_ARRAY(int64_t, h->n);
    for (uint32_t i = 0; i < h->n && whole; i++) {
        assert(h->number[i] < whole->n);
        call[i] = history_call_time(whole, h->number[i]);
        ret[i] = history_pending(whole, h->number[i]) ? 0 : history_ret_time(whole, h->number[i]);
    }
    if (!whole && !told_times(w->feed, h, call, ret)) {
        free(call);
        free(ret);
        return;
    }
    free(h->call_time.wide);
    free(h->ret_time.wide);
    h->call_time.wide = call;
    h->ret_time.wide = ret;
    h->clock = CLOCK_SHOWN;
}

/* What is said of these operations is true of these: others that are forgotten may have put in what they take out. */
static void say_remembered(const monitor *m, const history *h, text *out) {
    monitor_status s;
    monitor_look(m, &s);
    if (s.operations > h->n)
        text_printf(out, "Of %s alone; %" PRIu64 " more %s not shown and may be forgotten:\n",
                    h->n == 1 ? "this operation" : "these operations", s.operations - h->n,
                    s.operations - h->n == 1 ? "is" : "are");
}

/* The few operations that show it, decided again as `plumb check` decides histories: in words, and as a page when
 * that was asked for. */
static void show_evidence(monitor_run *w, const monitor *m, bool in_words, text *out) {
    const object *o = monitor_object(m);
    history *h = monitor_evidence(m);
    judgement found = {0};
    error e = {0};
    budget b;
    budget_init(&b, 10, 0);
    if (h) keep_times(w, h);
    if (h) event_feed_name_clients(w->feed, h);
    bool shown = h && judge(h, o, &(judge_options){0}, &b, NULL, &found, &e) && found.verdict == VERDICT_VIOLATION;
    if (shown && in_words) {
        text_char(out, '\n');
        explain_diagram(h, o, &found.core, DIAGRAM_COLUMNS, out);
        say_remembered(m, h, out);
        explain_sentences(h, o, &found.core, out);
    } else if (in_words) {
        text_add(out, "\nthe operations that would show it by themselves are forgotten or too many\n");
    }
    if (shown && w->settings->witness) certificate_write(w->settings->witness, h, o, &found, &w->e);
    if (shown && w->settings->html) write_page(w, h, o, &found);
    else if (w->settings->html)
        fprintf(stderr, "plumb: no page: the operations that would show it are forgotten or too many\n");
    judgement_free(&found);
    history_free(h);
}

/* Operations that failed did not happen: what is left of them is nothing. */
static bool judged_nothing(const monitor *m) {
    monitor_status s;
    monitor_look(m, &s);
    assert(s.failed <= s.operations);
    return s.failed == s.operations;
}

/* At the end of the input: no violation found is not the same as linearizable for every monitor. Nor is it when the end
 * was not reached: what was not judged may be anything. */
static verdict final_verdict(monitor_run *w) {
    monitor *m = event_feed_monitor(w->feed);
    assert(m); /* there was an event */
    bool open_end = *monitor_doubt(m) || interrupted || judged_nothing(m);
    return monitor_verdict(m) == VERDICT_LINEARIZABLE && open_end ? VERDICT_UNDECIDED : monitor_verdict(m);
}

static void add_reason(monitor_run *w, text *out) {
    monitor *m = event_feed_monitor(w->feed);
    if (monitor_verdict(m) != VERDICT_LINEARIZABLE) text_add(out, monitor_reason(m));
    else if (interrupted) text_add(out, "interrupted");
    else if (judged_nothing(m)) text_add(out, "nothing was judged (all operations failed)");
    else text_printf(out, "no violation found; %s", monitor_doubt(m));
}

static void add_json(monitor_run *w, const monitor *m, const monitor_status *s, text *out) {
    uint32_t n;
    text_add(out, "{\"schema\":\"plumb.monitor/1\",\"file\":");
    text_json(out, w->path, strlen(w->path));
    text_printf(out, ",\"object\":");
    text_json(out, monitor_object(m)->name, strlen(monitor_object(m)->name));
    text_add(out, ",\"criterion\":\"");
    criterion_print(&monitor_object(m)->criterion, out);
    text_printf(out,
                "\",\"monitor\":\"%s\",\"verdict\":\"%s\",\"events\":%" PRIu64 ",\"operations\":%" PRIu64
                ",\"open\":%" PRIu64 ",\"given_up\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"lag\":%" PRIu64
                ",\"live\":%" PRIu64 ",\"memory\":%zu,\"seconds\":%.3f",
                monitor_name(m), verdict_text(final_verdict(w)), s->events, s->operations, s->open, s->given_up,
                s->failed, s->lag, s->live, s->memory, clock_seconds() - w->started);
    if (monitor_verdict(m) != VERDICT_LINEARIZABLE) {
        text_printf(out, ",\"event\":%" PRIu64 ",\"line\":%u,\"reason\":", monitor_bad_event(m), line_of_violation(w));
        text_json(out, monitor_reason(m), strlen(monitor_reason(m)));
    } else if (final_verdict(w) == VERDICT_UNDECIDED) {
        text reason = {0};
        add_reason(w, &reason);
        text_add(out, ",\"reason\":");
        text_json(out, reason.at, reason.size);
        text_free(&reason);
    }
    if (w->sample > 1) text_printf(out, ",\"sample\":\"1/%u\",\"sampled\":%" PRIu64, w->sample, s->sampled);
    if (w->settings->go_on) add_json_violations(w, m, out);
    const monitored *op = monitor_pattern(m, &n);
    text_add(out, ",\"pattern\":[");
    for (uint32_t i = 0; i < n; i++) text_printf(out, "%s%" PRIu64, i ? "," : "", op[i].number);
    text_add(out, "]}\n");
}

static void add_place(monitor_run *w, const monitor *m, text *out) {
    text_printable(out, input_name(w->in));
    text_printf(out, ":%u: event %" PRIu64 ": ", line_of_violation(w), monitor_bad_event(m));
}

/* Stopped by a signal: what was judged until then, and no word about the rest. */
static void add_so_far(const monitor_run *w, monitor *m, const monitor_status *s, text *out) {
    if (*monitor_doubt(m)) text_add(out, "no violation");
    else criterion_print(&monitor_object(m)->criterion, out);
    add_share(w, out);
    text_printf(out, " so far: %" PRIu64 " operation%s judged; interrupted; ", s->operations,
                s->operations == 1 ? "" : "s");
    add_counts(s, out);
    text_char(out, '\n');
}

static void add_text(monitor_run *w, const monitor *m, const monitor_status *s, text *out) {
    verdict v = final_verdict(w);
    if (interrupted && v == VERDICT_UNDECIDED && monitor_verdict(m) == VERDICT_LINEARIZABLE) {
        add_so_far(w, event_feed_monitor(w->feed), s, out);
        return;
    }
    assert(v != VERDICT_VIOLATION || monitor_bad_event(m) <= s->events);
    if (v == VERDICT_LINEARIZABLE) criterion_print(&monitor_object(m)->criterion, out);
    else text_add(out, verdict_text(v));
    add_share(w, out);
    text_add(out, ": ");
    if (monitor_verdict(m) != VERDICT_LINEARIZABLE) add_place(w, m, out);
    if (v != VERDICT_LINEARIZABLE) {
        add_reason(w, out);
        text_add(out, "; ");
    }
    add_counts(s, out);
    text_char(out, '\n');
}

/* Not a single event: nothing was judged, and that is no verdict. */
static int print_nothing(monitor_run *w) {
    static const char nothing[] = "nothing was judged (the history has no operations)",
                      cut_short[] = "interrupted; nothing was judged";
    const char *why = interrupted ? cut_short : nothing;
    text out = {0};
    if (w->settings->json) {
        text_add(&out, "{\"schema\":\"plumb.monitor/1\",\"file\":");
        text_json(&out, w->path, strlen(w->path));
        text_printf(&out, ",\"verdict\":\"undecided\",\"events\":0,\"operations\":0,\"reason\":\"%s\"}\n", why);
    } else {
        text_printf(&out, "undecided: %s", why);
        if (interrupted && builder_has_operations(w->b))
            text_add(&out, ": whole operations are judged when the input ends");
        text_char(&out, '\n');
    }
    int printed = print_text(&out);
    return printed ? printed : interrupted ? EXIT_INTERRUPTED : EXIT_UNDECIDED;
}

int monitor_print_result(monitor_run *w) {
    static const int codes[] = {EXIT_LINEARIZABLE, EXIT_VIOLATION, EXIT_UNDECIDED};
    text out = {0};
    monitor_status s = {0};
    const monitor *m = event_feed_monitor(w->feed);
    if (!m) return print_nothing(w);
    monitor_look(m, &s);
    if (!s.events) return print_nothing(w);
    if (w->settings->json) add_json(w, m, &s, &out);
    else add_text(w, m, &s, &out);
    bool in_words = !w->settings->json && !w->settings->quiet;
    bool in_files = w->settings->html || w->settings->witness;
    if (final_verdict(w) == VERDICT_VIOLATION && (in_words || in_files)) show_evidence(w, m, in_words, &out);
    if (final_verdict(w) == VERDICT_VIOLATION) alarm_news_set(w->news, monitor_object(m)->name, monitor_reason(m));
    if (w->settings->go_on && !w->settings->json) add_other_violations(w, m, &out);
    int code = codes[final_verdict(w)];
    int printed = print_text(&out);
    if (printed) return printed;
    if (w->e.code) return complain(&w->e); /* the page could not be written */
    return code != EXIT_VIOLATION && interrupted ? EXIT_INTERRUPTED : code;
}
