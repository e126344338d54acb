/* plumb monitor: is what is happening linearizable? Event by event, while it is written, in bounded memory. */
#include "cli/attach.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/initial_option.h"
#include "cli/interrupt.h"
#include "cli/monitor_parts.h"
#include "cli/monitor_run.h"
#include "cli/replicas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const monitor_settings standard_settings = {.parts = 1};
enum { EVERY = 1000000, EVERY_LIVE = 50000, REPLICAS_IDLE = 10 /* seconds */ };

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
    ROW(adapt, "adapt", FLAG, .help = "with --attach: keep up by judging fewer keys (kv, set)",
        .more =
            "When the program is too fast, half of the keys judged so far leave the sample, for good, and a program "
            "that records into a ring leaves them out as well. The result says how many were left."),
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
           c->kind == CRITERION_STALE || criterion_is_of_reads(c) || criterion_is_together(c);
}

static bool find_criterion(const monitor_settings *s, criterion *out, error *e) {
    if (!s->criterion) return true;
    if (!criterion_parse(s->criterion, out, e)) return false;
    return is_watched(out) || error_set(e, EXIT_USAGE,
                                        "criterion %s cannot be monitored; expected linearizable, quasi, out-of-order, "
                                        "stale, regular, safe, set-linearizable or interval-linearizable",
                                        s->criterion);
}

static bool choose_format(const monitor_settings *s, input *in, const format **f, error *e) {
    if (s->format && strcmp(s->format, "auto")) return format_named(s->format, f, e);
    return (*f = format_sniff_live(in, e)) != NULL;
}

static bool feed_operations(monitor_run *w) {
    builder_redirect(w->b, NULL);
    w->whole = builder_finish(w->b);
    return w->whole && event_feed_history(w->feed, w->whole, input_name(w->in));
}

/* What is not in the input may be a violation. */
static bool all_was_judged(monitor_run *w, const char *lacking) {
    monitor *m = event_feed_monitor(w->feed);
    if (!lacking || !m || w->e.code || interrupted || monitor_settle(m) != VERDICT_LINEARIZABLE) return true;
    return error_set(&w->e, EXIT_UNDECIDED, "undecided: %s", lacking);
}

static bool read_events(monitor_run *w) {
    const format *f;
    read_options how = {.independent = w->settings->independent, .stop = &interrupted};
    if (w->live) f = format_find("plumb-jsonl"); /* which reads events as well */
    else if (!choose_format(w->settings, w->in, &f, &w->e)) return false;
    input_watch(w->in, NULL, &interrupted);
    input_on_silence(w->in, monitor_in_silence, w);
    bool good = f->read(w->in, w->b, &how) && !input_failed(w->in);
    if (good && builder_has_operations(w->b)) return feed_operations(w) && all_was_judged(w, w->whole->lacks);
    return all_was_judged(w, builder_lacking(w->b)) && (!w->e.code || interrupted);
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
                           .go_on = s->go_on,
                           .adapt = s->adapt,
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

/* Before anything is said of it: another monitor may have the part by now. */
static bool end_part(monitor_run *w, const monitor *m) {
    const bool found = m && monitor_verdict(m) == VERDICT_VIOLATION;
    w->live->empty = !m;
    return live_part_end(w->live, found ? EXIT_VIOLATION : -1, &w->e);
}

/* After the checkpoint is written: a monitor that takes it up finds open what is open now. */
static void end_of_input(monitor *m) {
    monitor_ends(m);
    monitor_settle(m);
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
                        .after_event = monitor_after_event,
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
    if (good && m && monitor_settle(m) == VERDICT_LINEARIZABLE && w.settings->checkpoint) good = monitor_save_state(&w);
    if (good && m && !interrupted && !w.live) end_of_input(m);
    if (good && m && w.settings->go_on) {
        monitor_note_violations(&w, w.feed);
        monitor_close_list(m);
    }
    monitor_clear_progress(&w);
    if (w.live) good = good && end_part(&w, m);
    const bool told_by_others = good && w.live && w.live->empty && w.live->s->parts > 1;
    int code = told_by_others ? EXIT_UNDECIDED : good ? monitor_print_result(&w) : complain(&w.e);
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
