/* plumb monitor: is what is happening linearizable? Event by event, while it is written, in bounded memory. */
#include "base/mem.h"
#include "cli/alarm.h"
#include "cli/attach.h"
#include "cli/monitor_parts.h"
#include "cli/replicas.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/initial_option.h"
#include "cli/interrupt.h"
#include "cli/metrics_server.h"
#include "evidence/certificate.h"
#include "evidence/explain.h"
#include "format/format.h"
#include "monitor/event_feed.h"
#include "monitor/monitor_evidence.h"
#include "report/html.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DIAGRAM_COLUMNS = 100, LOOK_EVERY = 1024 };

typedef struct monitor_settings {
    const char *object, *init, *criterion, *format, *engine;
    int removal;
    bool independent, json, quiet, general, go_on, trust;
    const char *sample;
    const char *checkpoint, *html;
    const char *attach, *witness, *replicas, *replicas_key;
    const char *metrics, *save, *hook;
    uint64_t max_lag, every, clients;
    double idle;
    transport_settings cluster;
    const char *subject, *name;
    uint64_t from, parts;
} monitor_settings;

static const monitor_settings standard_settings = {.parts = 1};
enum { EVERY = 1000000, EVERY_LIVE = 50000, REPLICAS_IDLE = 10 /* seconds */ };

#define PROMPT_SECONDS 0.02
#define ROW(...) OPTION_ROW(monitor_settings, __VA_ARGS__)

static const option options[] = {
    ROW(object, OBJECT_OPTION, .letter = 'o', .standard = "what the file says"),
    ROW(init, INIT_OPTION),
    ROW(criterion, CRITERION_OPTION,
        .more = "linearizable; of containers, quasi(K) and out-of-order(K); of objects whose operations take effect "
                "together, set-linearizable (set), "
                "interval-linearizable (interval)."),
    ROW(format, FORMAT_OPTION, .standard = "by the first lines", .help = "the format of the input",
        .more = "Event formats (violin, jepsen-log, jepsen-edn) are judged while they are written; others are read to "
                "their end first."),
    ROW(independent, INDEPENDENT_OPTION),
    ROW(max_lag, "max-lag", COUNT, .argument = "N", .min = 1, .standard = "no limit",
        .help = "an operation open for more than N events is pending for ever",
        .more = "A client that hangs keeps everything since its call in memory. Its operation may still have had its "
                "effect; only its "
                "return, should it come, is not looked at any more."),
    ROW(go_on, "go-on", FLAG, .help = "after a violation, forget what it involved and judge what comes",
        .more = "All violations are listed. After each, operations are counted and not judged until the object's state "
                "is known again: for a container when a remove finds it empty, for other objects when an operation "
                "tells it."),
    ROW(sample, "sample", TEXT, .argument = "1/N", .standard = "1/1",
        .help = "judge one of N keys (kv, set) or values (queue, stack, multiset, priority queue)",
        .more = "Chosen by a hash. A violation that is reported is one; one that is about other keys or values is not "
                "seen."),
    ROW(checkpoint, "checkpoint", TEXT, .letter = 'c', .argument = "FILE", .complete = "file",
        .help = "write the state to FILE every so often, and take up from it",
        .more = "Started again with the same input from its beginning, a monitor that was killed skips what it had "
                "judged."),
    ROW(trust, "trust", FLAG, .help = "take up from a checkpoint that you did not write",
        .more = "A checkpoint is the memory of a monitor, and is taken as it is: one that was made up can make this "
                "command do anything. Those that this user wrote are known by a key in $XDG_STATE_HOME/plumb."),
    ROW(every, "every", COUNT, .argument = "N", .min = 1, .standard = "1000000; with --cluster 50000",
        .help = "events from one checkpoint to the next"),
    ROW(engine, "engine", TEXT, .letter = 'e', .argument = "E", .standard = "by the object",
        .help = "watch with this engine: saturate, frontier",
        .more = "saturate finds violations by unit propagation and forgets what can matter no more; settings as for "
                "`plumb check`, saturate(cap=100). "
                "Where it is not known to find every violation the verdict at the end is undecided."),
    ROW(removal, REMOVAL_OPTION),
    ROW(attach, "attach", TEXT, .letter = 'a', .argument = "FILE|shm:NAME", .complete = "file",
        .help = "watch a running program that records with plumbline/record.h",
        .more = "FILE is what the program records into, or shm:NAME. Ends when the program has ended, or at the first "
                "violation. What was "
                "not recorded, because the program was too fast, is counted and not judged."),
    ROW(witness, "witness", TEXT, .argument = "FILE", .complete = "file",
        .help = "write a certificate of a violation to FILE"),
    ROW(save, "save", TEXT, .argument = "FOLDER", .complete = "file",
        .help = "write certificate and page of a violation to FOLDER",
        .more = "violation-1.certificate and violation-1.html, with the next number when they are there already. "
                "FOLDER is made when there is none."),
    ROW(hook, "hook", TEXT, .argument = "COMMAND", .help = "after a violation, run COMMAND by the shell",
        .more = "Its environment holds PLUMB_OBJECT, PLUMB_REASON and, of the files that were written, "
                "PLUMB_CERTIFICATE and PLUMB_PAGE. The monitor waits for it."),
    ROW(metrics, "metrics", TEXT, .argument = "ADDRESS", .help = "answer GET /metrics at ADDRESS, for Prometheus",
        .more = ":PORT (of this machine alone), 127.0.0.1:PORT or 0.0.0.0:PORT; port 0: one that is free. The first "
                "line on standard error says where. docs/RUNTIME.md lists what is counted."),
    ROW(replicas, "replicas", TEXT, .argument = "ADDRESSES",
        .help = "watch processes that announce with plumbline/remote.h",
        .more =
            "127.0.0.1:PORT,127.0.0.1:PORT,127.0.0.1:PORT, the replicas (see *plumb-replica*(1)). Ends at the first "
            "violation, when all clients have left, "
            "or when nothing was heard for a while. Undecided when a majority of the replicas does not answer."),
    ROW(replicas_key, "replicas-key", TEXT, .argument = "FILE", .complete = "file",
        .help = "with --replicas: the key that they and their clients share"),
    ROW(clients, "clients", COUNT, .argument = "N", .min = 1, .standard = "1",
        .help = "with --replicas: so many clients come before all can have left"),
    ROW(idle, "idle", SECONDS, .argument = "T", .standard = "10; with --cluster never",
        .help = "with --replicas or --cluster: end when nothing was heard for so long"),
    CLUSTER_ROWS(ROW),
    ROW(subject, "subject", TEXT, .argument = "S",
        .help = "with --cluster: judge the events that are published to S while they come",
        .more = "orders.eu, or with NATS 'orders.*'. The state is kept in the cluster: another monitor with the same "
                "options "
                "waits, and goes on when this one has died."),
    ROW(name, "name", TEXT, .argument = "NAME", .standard = "made of the options",
        .help = "with --cluster: under which the state is kept; another name begins anew"),
    ROW(parts, "parts", COUNT, .argument = "N", .min = 1, .max = 256, .standard = "1",
        .help = "with --cluster: judge keys in N parts, a process each, shared with the other monitors"),
    ROW(from, "from", COUNT, .argument = "N", .min = 1, .standard = "1",
        .help = "with --cluster: begin with message N of the stream"),
    ROW(general, "general", FLAG, .help = "use the general monitor, whatever the object"),
    ROW(json, "json", FLAG, .help = "print the result as one JSON object"),
    ROW(html, HTML_OPTION, .help = "after a violation, write a page that shows why to FILE",
        .more = "The page holds the operations that show it: a monitor forgets the others. See *plumb-view*(1)."),
    ROW(quiet, QUIET_OPTION, .help = "the result only: no progress, no explanation"),
    {0}};

typedef struct monitor_run {
    const monitor_settings *settings;
    const char *path;
    error e;
    input *in;
    builder *b;
    event_feed *feed;
    history *whole; /* of an input that had to be read to its end: the monitor's values are in it */
    metrics_server *metrics;
    alarm_news *news;
    live_part *live; /* NULL: a file */
    bool terminal, shown;
    double started, looked, next_settled;
    uint64_t events, looked_events, saved;
    uint32_t *found_line; /* by violation: the line that was being read when it was found */
    uint32_t found_n, found_room, sample;
} monitor_run;

/* ---- progress ---- */

static void show_progress(monitor_run *w, double now) {
    monitor_status s;
    monitor_look(event_feed_monitor(w->feed), &s);
    assert(now >= w->looked && w->events >= w->looked_events);
    double rate = (double)(w->events - w->looked_events) / (now - w->looked);
    fprintf(stderr, "\r%" PRIu64 " events, %.0f/s, %" PRIu64 " open, lag %" PRIu64 ", %" PRIu64 " live, %.1f MB\033[K",
            s.events, rate, s.open, s.lag, s.live, (double)s.memory * 1e-6);
    w->shown = true;
    w->looked = now;
    w->looked_events = w->events;
}

static void clear_progress(monitor_run *w) {
    if (w->shown) fputs("\r\033[K", stderr);
    w->shown = false;
}

/* With --go-on. */
static void note_violations(monitor_run *w, event_feed *feed) {
    uint32_t n;
    monitor_violations(event_feed_monitor(feed), &n);
    for (; w->found_n < n; w->found_n++) {
        if (w->found_n == w->found_room)
            w->found_line = MEM_GROW(w->found_line, uint32_t, w->found_room = w->found_room ? 2 * w->found_room : 8);
        w->found_line[w->found_n] = event_feed_line(feed);
    }
}

static uint32_t line_of_violation(monitor_run *w) { return w->found_n ? w->found_line[0] : event_feed_line(w->feed); }

/* So far: open ends are undecided at the end only. Operations that are open are not judged to their end. */
static void publish_metrics(monitor_run *w, const monitor *m) {
    monitor_status s;
    monitor_look(m, &s);
    verdict v = monitor_verdict(m);
    const char *why;
    uint32_t found;
    uint64_t ended = s.operations - s.open, unjudged = monitor_unjudged(m, &why);
    monitor_violations(m, &found);
    metrics_server_publish(w->metrics, &(metrics){.object = monitor_object(m)->name,
                                                  .source = w->path,
                                                  .verdict = v,
                                                  .checked = ended - (unjudged < ended ? unjudged : ended),
                                                  .excused = s.given_up,
                                                  .violations = found + (v == VERDICT_VIOLATION),
                                                  .open = s.open,
                                                  .lag = s.lag,
                                                  .memory = s.memory});
}

/* Monitors that work in batches are asked at every event while events are rare. An answer that took long is not asked
 * for again at once: at most a fifth of the time goes to being early. */
static void be_prompt(monitor_run *w, event_feed *feed) {
    double now = clock_seconds();
    if (now < w->next_settled) return;
    monitor_settle(event_feed_monitor(feed));
    const double after = clock_seconds(), pause = 4 * (after - now);
    w->next_settled = after + (pause > PROMPT_SECONDS ? pause : PROMPT_SECONDS);
}

static void be_seen(monitor_run *w, const monitor *m) {
    bool over = monitor_verdict(m) != VERDICT_LINEARIZABLE;
    if (w->metrics && (over || w->events % LOOK_EVERY == 0 || metrics_server_is_due(w->metrics))) publish_metrics(w, m);
}

/* Writes the checkpoint, and tells the cluster of it. */
static bool save(monitor_run *w) {
    monitor_status s;
    monitor *m = event_feed_monitor(w->feed);
    if (monitor_verdict(m) != VERDICT_LINEARIZABLE) return true;
    monitor_look(m, &s);
    return event_feed_save(w->feed, &w->e) && (!w->live || live_part_save(w->live, s.events, &w->e));
}

/* Nothing comes: time to decide what has been put off. */
static bool in_silence(void *context) {
    monitor_run *w = context;
    monitor *m = event_feed_monitor(w->feed);
    if (m && w->live && w->events > w->saved) {
        w->saved = w->events;
        if (!save(w)) return false;
    }
    if (w->terminal && m) show_progress(w, clock_seconds());
    if (m && w->metrics) publish_metrics(w, m);
    return !m || monitor_settle(m) == VERDICT_LINEARIZABLE;
}

static bool after_event(void *context, event_feed *feed) {
    monitor_run *w = context;
    w->events++;
    be_prompt(w, feed);
    be_seen(w, event_feed_monitor(feed));
    if (w->settings->go_on) note_violations(w, feed);
    if (w->terminal && w->events % LOOK_EVERY == 0) {
        double now = clock_seconds();
        if (now - w->looked > 0.2) show_progress(w, now);
    }
    if (w->settings->checkpoint && w->events % w->settings->every == 0 && !save(w)) return false;
    return !interrupted;
}

/* ---- the result ---- */

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

static int print_result(monitor_run *w) {
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

/* ---- settings ---- */

static bool find_engine(const monitor_settings *s, monitor_options *out, error *e) {
    const engine *g;
    int64_t setting[ENGINE_SETTINGS];
    if (s->removal && (!s->engine || strncmp(s->engine, "saturate", 8)))
        return error_set(e, EXIT_USAGE, "--removal is for --engine saturate");
    if (!s->engine) return true;
    if (!engine_parse(s->engine, &g, setting, e)) return false;
    bool saturates = !strcmp(g->name, "saturate");
    if (!saturates && strcmp(g->name, "frontier"))
        return error_set(e, EXIT_USAGE, "engine %s does not watch events; expected saturate or frontier", g->name);
    if (saturates && s->checkpoint) return error_set(e, EXIT_USAGE, "monitor saturate cannot be kept in a checkpoint");
    out->type = g->name;
    if (!saturates) return true;
    out->saturation = (saturation_settings){
        .removal = (removal_rule)(s->removal ? s->removal : setting[engine_setting_named(g, "removal")]),
        .cap = (uint32_t)setting[engine_setting_named(g, "cap")],
        .batch = (uint32_t)setting[engine_setting_named(g, "batch")]};
    return true;
}

/* ---- sampling ---- */

/* Only of an object that falls into parts by key, element or value. */
static bool find_sample(const monitor_settings *s, uint32_t *out, error *e) {
    unsigned n;
    char behind;
    *out = 1;
    if (s->go_on && s->checkpoint) return error_set(e, EXIT_USAGE, "--go-on is not kept in a checkpoint");
    if (!s->sample) return true;
    if (sscanf(s->sample, "1/%u%c", &n, &behind) != 1 || !n || n > 1u << 20)
        return error_set(e, EXIT_USAGE, "--sample '%s'; expected 1/N, with N from 1 to %u", s->sample, 1u << 20);
    *out = n;
    return true;
}

/* ---- reading ---- */

/* Those by which a step of the object depends on the state alone can be watched. */
static bool is_watched(const criterion *c) {
    return c->kind == CRITERION_LINEARIZABLE || c->kind == CRITERION_QUASI || c->kind == CRITERION_OUT_OF_ORDER ||
           criterion_is_together(c);
}

static bool find_criterion(const monitor_settings *s, criterion *out, error *e) {
    if (!s->criterion) return true;
    if (!criterion_parse(s->criterion, out, e)) return false;
    return is_watched(out) || error_set(e, EXIT_USAGE,
                                        "criterion %s cannot be monitored; expected linearizable, quasi, out-of-order, "
                                        "set-linearizable or interval-linearizable",
                                        s->criterion);
}

static bool choose_format(const monitor_settings *s, input *in, const format **f, error *e) {
    if (s->format && strcmp(s->format, "auto")) {
        *f = format_find(s->format);
        return *f || error_set(e, EXIT_USAGE, "unknown format '%s'; `plumb formats` lists them", s->format);
    }
    return (*f = format_sniff_live(in, e)) != NULL;
}

static bool feed_operations(monitor_run *w) {
    builder_redirect(w->b, NULL);
    w->whole = builder_finish(w->b);
    if (!w->whole || !event_feed_history(w->feed, w->whole, input_name(w->in))) return false;
    monitor *m = event_feed_monitor(w->feed);
    if (!w->whole->lacks || w->e.code) return true;
    monitor_settle(m);
    if (monitor_verdict(m) != VERDICT_LINEARIZABLE) return true;
    return error_set(&w->e, EXIT_UNDECIDED, "undecided: %s", w->whole->lacks);
}

static bool read_events(monitor_run *w) {
    const format *f;
    read_options how = {.independent = w->settings->independent, .stop = &interrupted};
    if (w->live) f = format_find("plumb-jsonl"); /* which reads events as well */
    else if (!choose_format(w->settings, w->in, &f, &w->e)) return false;
    input_watch(w->in, NULL, &interrupted);
    input_on_silence(w->in, in_silence, w);
    bool good = f->read(w->in, w->b, &how) && !input_failed(w->in);
    if (good && builder_has_operations(w->b)) return feed_operations(w);
    return !w->e.code || interrupted;
}

typedef struct surroundings { /* of a run: who is told while it goes on, and when it has found something */
    metrics_server *metrics;
    alarm_news news;
    live_part *live; /* NULL: the input is a file */
    int events;      /* of the part */
} surroundings;

static int run_attached(const monitor_settings *s, surroundings *around, unsigned operands) {
    error e = {0};
    if (operands) {
        error_set(&e, EXIT_USAGE, "--attach FILE; expected no other input");
        return complain(&e);
    }
    attach_settings how = {.path = s->attach,
                           .witness = s->witness,
                           .html = s->html,
                           .json = s->json,
                           .quiet = s->quiet,
                           .general = s->general,
                           .max_lag = s->max_lag,
                           .stop = &interrupted,
                           .metrics = around->metrics,
                           .news = &around->news};
    interrupt_listen();
    return watch_attached(&how);
}

static int run_remote(const monitor_settings *s, surroundings *around, unsigned operands) {
    error e = {0};
    if (operands || s->attach) {
        error_set(&e, EXIT_USAGE, "--replicas ADDRESSES; expected no other input");
        return complain(&e);
    }
    interrupt_listen();
    return watch_replicas(&(replicas_settings){.replicas = s->replicas,
                                               .key = s->replicas_key,
                                               .witness = s->witness,
                                               .json = s->json,
                                               .quiet = s->quiet,
                                               .general = s->general,
                                               .max_lag = s->max_lag,
                                               .clients = s->clients,
                                               .idle = s->idle > 0 ? s->idle : REPLICAS_IDLE,
                                               .stop = &interrupted,
                                               .metrics = around->metrics,
                                               .news = &around->news});
}

static int run_input(const monitor_settings *s, surroundings *around, char **operand, unsigned operands) {
    monitor_run w = {.settings = s,
                     .metrics = around->metrics,
                     .news = &around->news,
                     .live = around->live,
                     .path = around->live ? s->subject
                             : operands   ? operand[0]
                                          : "-",
                     .started = clock_seconds(),
                     .looked = clock_seconds()};
    w.terminal = !w.settings->quiet && isatty(STDERR_FILENO);
    w.in = w.live ? input_descriptor(around->events, w.path, &w.e) : input_open(w.path, &w.e);
    if (!w.in) return complain(&w.e);
    interrupt_listen();
    w.b = builder_new(input_name(w.in), &w.e);
    feed_options how = {.checkpoint = w.settings->checkpoint,
                        .trust_checkpoint = w.settings->trust,
                        .object = w.settings->object,
                        .after_event = after_event,
                        .context = &w,
                        .monitor = {.general = w.settings->general, .max_lag = w.settings->max_lag}};
    text initial = {0};
    bool good = initial_option(w.settings->init, &initial, &how.init, &w.e) &&
                find_engine(w.settings, &how.monitor, &w.e) && find_criterion(w.settings, &how.criterion, &w.e) &&
                find_sample(w.settings, &w.sample, &w.e);
    how.monitor.sample = w.sample;
    how.monitor.go_on = w.settings->go_on;
    w.feed = event_feed_new(w.b, &how, &w.e);
    good = good && read_events(&w);
    monitor *m = event_feed_monitor(w.feed);
    if (good && m && monitor_settle(m) == VERDICT_LINEARIZABLE && w.settings->checkpoint) good = save(&w);
    if (good && m && w.settings->go_on) {
        note_violations(&w, w.feed);
        monitor_close_list(m);
    }
    clear_progress(&w);
    good = good &&
           (!w.live || live_part_end(w.live, m && monitor_verdict(m) == VERDICT_VIOLATION ? EXIT_VIOLATION : -1, &w.e));
    if (w.live) w.live->empty = good && !m;
    int code = good && w.live && w.live->empty && w.live->s->parts > 1 ? EXIT_UNDECIDED
               : good                                                  ? print_result(&w)
                                                                       : complain(&w.e);
    event_feed_free(w.feed);
    free(w.found_line);
    text_free(&initial);
    history_free(w.whole);
    builder_free(w.b);
    input_close(w.in);
    return code;
}

/* ---- a stream of a cluster ---- */

typedef struct live_run {
    const monitor_settings *s;
    surroundings *around;
} live_run;

/* One part, by the process that has it. */
static int judge_part(void *context, live_part *p, int events) {
    const live_run *r = context;
    monitor_settings own = *r->s;
    surroundings around = *r->around;
    own.checkpoint = p->checkpoint;
    own.trust = true; /* what the cluster keeps was written by one who may write there: docs/SECURITY.md */
    if (!own.every) own.every = EVERY_LIVE;
    around.live = p;
    around.events = events;
    text name = {0};
    text_add(&name, own.subject);
    if (r->s->parts > 1) text_printf(&name, " (part %u of %u)", p->s->part + 1, p->s->parts);
    own.subject = name.at;
    const int code = run_input(&own, &around, NULL, 0);
    r->around->news = around.news;
    text_free(&name);
    return code;
}

static bool fits_cluster(const monitor_settings *s, unsigned operands, error *e) {
    if (!s->subject || !subject_is_one(s->subject))
        return error_set(e, EXIT_USAGE, "--cluster needs --subject S; expected letters, digits, '-', '_', '.' and '*'");
    if (!s->object) return error_set(e, EXIT_USAGE, "--cluster needs --object O");
    if (s->name && !cluster_is_name(s->name))
        return error_set(e, EXIT_USAGE, "--name %s; expected letters, digits, '-' and '_'", s->name);
    if (operands || s->attach || s->replicas || s->checkpoint || s->go_on || s->format)
        return error_set(e, EXIT_USAGE, "--cluster; expected no other input, --checkpoint, --go-on or --format");
    return true;
}

static int run_cluster(const monitor_settings *s, surroundings *around, unsigned operands) {
    error e = {0};
    live_run r = {s, around};
    text what = {0}, name = {0};
    if (!fits_cluster(s, operands, &e)) return complain(&e);
    text_printf(&what, "%s\n%s\n%s\n%s\n%" PRIu64 " %" PRIu64 " %" PRIu64, s->subject, s->object,
                s->init ? s->init : "", s->criterion ? s->criterion : "", s->parts, s->from, s->max_lag);
    if (s->name) text_add(&name, s->name);
    else text_printf(&name, "m%016" PRIx64, hash_bytes(what.at, what.size));
    live_settings how = {.to = s->cluster,
                         .subject = s->subject,
                         .name = name.at,
                         .what = what.at,
                         .from = s->from,
                         .parts = (uint32_t)s->parts,
                         .idle = s->idle,
                         .stop = &interrupted};
    cluster_settings_complete(&how.to);
    how.to.stop = &interrupted;
    interrupt_listen();
    const int code = watch_parts(&how, judge_part, &r);
    text_free(&what);
    text_free(&name);
    return code;
}

static int run_one(const monitor_settings *s, surroundings *around, char **operand, unsigned operands) {
    if (s->cluster.url) return run_cluster(s, around, operands);
    if (s->replicas) return run_remote(s, around, operands);
    return s->attach ? run_attached(s, around, operands) : run_input(s, around, operand, operands);
}

/* The files are named before anything is watched: a folder that cannot be written to is found out now, not then. */
static bool prepare(monitor_settings *s, alarm_files *files, surroundings *around, error *e) {
    if (s->save && !alarm_files_in(s->save, files, e)) return false;
    if (s->save && !s->witness) s->witness = text_str(&files->certificate);
    if (s->save && !s->html) s->html = text_str(&files->page);
    return !s->metrics || (around->metrics = metrics_server_start(s->metrics, e));
}

static int run_monitor(void *settings, char **operand, unsigned operands) {
    monitor_settings *s = settings;
    if (!s->every && !s->cluster.url) s->every = EVERY;
    alarm_files files = {0};
    surroundings around = {0};
    error e = {0};
    int code = prepare(s, &files, &around, &e) ? run_one(s, &around, operand, operands) : complain(&e);
    if (code == EXIT_VIOLATION && s->hook) {
        alarm_files written = {0};
        text_add(&written.certificate, s->witness ? s->witness : "");
        text_add(&written.page, s->html ? s->html : "");
        alarm_run_hook(s->hook, &around.news, &written);
        alarm_files_free(&written);
    }
    metrics_server_stop(around.metrics);
    alarm_news_free(&around.news);
    alarm_files_free(&files);
    return code;
}

COMMAND(monitor, "[OPTION]... [FILE|-]",
        "watch events as they are written and stop at the first that makes a violation", options, monitor_settings,
        .about =
            "Exit: 0 linearizable to the end of the input, 1 violation, 2 undecided, 65 bad input, 66 cannot open, "
            "130 interrupted.",
        .standard_settings = &standard_settings, .max_operands = 1);
