/* plumb worker, plumb workers: machines that work for others, and who they are. */
#include "base/budget.h"
#include "cli/cluster_options.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/units.h"
#include "scale/explore_cluster.h"
#include "scale/worker.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct worker_command {
    transport_settings cluster;
    uint64_t slots, units, memory;
    double idle, lease;
    bool unsandboxed, quiet;
    const char *inside;
} worker_command;

#define ROW(...) OPTION_ROW(worker_command, __VA_ARGS__)

static const option worker_options[] = {
    CLUSTER_ROWS(ROW),
    ROW(slots, "jobs", COUNT, .letter = 'j', .argument = "N", .min = 1, .max = 1024, .standard = "the number of cores",
        .help = "units that are worked on at once"),
    ROW(memory, "memory", BYTES, .letter = 'm', .argument = "SIZE", .standard = "8G",
        .help = "address space of each process that works on a unit"),
    ROW(unsandboxed, "unsandboxed", FLAG, .help = "run code that is sent without a sandbox",
        .more = "Without it bubblewrap is needed: no network, a root that cannot be written, empty /tmp and /home. "
                "docs/SECURITY.md says what that is worth."),
    ROW(lease, "lease", SECONDS, .argument = "T", .standard = "6s",
        .help = "a unit whose worker is not heard of for so long goes to another one",
        .more = "All workers of a cluster should say the same."),
    ROW(units, "units", COUNT, .argument = "N", .standard = "no end", .help = "leave after so many units"),
    ROW(idle, "idle", SECONDS, .argument = "T", .standard = "never", .help = "leave when there was none for so long"),
    ROW(quiet, QUIET_OPTION, .help = "no lines about units"),
    ROW(inside, "inside", TEXT, .argument = "FOLDER",
        .help = "for the worker itself: work on what comes on standard input"),
    {0}};

static const worker_command standard_worker = {.memory = UINT64_C(8) << 30};

static const unit_kind kinds[] = {{"check", check_unit_work}, {"explore", explore_unit_work}, {0}};

static unsigned cores(void) {
    const long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : (unsigned)n;
}

static int run_worker(void *settings, char **operand, unsigned operands) {
    worker_command *c = settings;
    error e = {0};
    (void)operand, (void)operands;
    if (c->inside) return runner_serve(c->inside, c->memory, kinds);
    if (!c->cluster.url) error_set(&e, EXIT_USAGE, "expected --cluster URL");
    if (e.code || (!c->unsandboxed && !runner_sandbox_works(&e))) return complain(&e);
    cluster_settings_complete(&c->cluster);
    c->cluster.lease = c->lease;
    c->cluster.stop = &interrupted;
    interrupt_listen();
    const worker_settings s = {.to = c->cluster,
                               .how = {.sandbox = !c->unsandboxed, .memory = c->memory},
                               .slots = c->slots ? (unsigned)c->slots : cores(),
                               .units = c->units,
                               .idle = c->idle,
                               .quiet = c->quiet,
                               .stop = &interrupted};
    return worker_run(&s, &e) ? 0 : complain(&e);
}

COMMAND(worker, "--cluster URL [OPTION]...", "work on what other machines send: histories, test programs",
        worker_options, worker_command,
        .about = "Takes units of `plumb check --cluster` and `plumb explore --cluster` until it is interrupted; what "
                 "was begun is finished first.\nExit: 0 interrupted or nothing left, 64 usage, 66 no cluster or no "
                 "sandbox.",
        .standard_settings = &standard_worker);

/* ---- plumb workers ---- */

typedef struct workers_command {
    transport_settings cluster;
    bool prometheus, json;
} workers_command;

#undef ROW
#define ROW(...) OPTION_ROW(workers_command, __VA_ARGS__)

static const option workers_options[] = {
    CLUSTER_ROWS(ROW),
    ROW(prometheus, "prometheus", FLAG, .help = "print metrics in the text form of Prometheus"),
    ROW(json, "json", FLAG, .help = "print one JSON object"),
    {0}};

enum { WORKERS_MOST = 4096 };

typedef struct worker_list {
    worker_note at[WORKERS_MOST];
    unsigned n;
    uint64_t waiting, slots, busy, done, died;
    double worked, rate; /* rate: units a second, of all, since they began */
} worker_list;

static bool take_note(void *context, const char *who, const void *p, size_t size) {
    worker_list *l = context;
    worker_note n;
    (void)who;
    if (!worker_note_unpack(p, size, &n)) return true;
    l->at[l->n++] = n;
    l->slots += n.slots;
    l->busy += n.busy;
    l->done += n.done;
    l->died += n.died;
    l->worked += n.worked;
    l->rate += n.up > 0 ? (double)n.done / n.up : 0;
    return l->n < WORKERS_MOST;
}

/* Seconds until what waits is done, when units take as long as they did; negative: not known. */
static double estimate(const worker_list *l) {
    if (!l->waiting) return 0;
    if (!l->done || !l->slots) return -1;
    return (double)l->waiting * (l->worked / (double)l->done) / (double)l->slots;
}

static void print_prometheus(const worker_list *l, text *out) {
    const struct {
        const char *name, *type, *help;
        double value;
    } rows[] = {{"plumb_workers", "gauge", "workers that are there", l->n},
                {"plumb_worker_slots", "gauge", "units that they can work on at once", (double)l->slots},
                {"plumb_units_waiting", "gauge", "units in the cluster that are not done", (double)l->waiting},
                {"plumb_units_running", "gauge", "units that are worked on", (double)l->busy},
                {"plumb_units_done", "gauge", "units done by the workers that are there", (double)l->done},
                {"plumb_units_died", "gauge", "processes that died of their units", (double)l->died},
                {"plumb_work_seconds", "gauge", "seconds of work of the workers that are there", l->worked}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        text_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %.9g\n", rows[i].name, rows[i].help, rows[i].name,
                    rows[i].type, rows[i].name, rows[i].value);
}

static void print_json(const worker_list *l, text *out) {
    text_printf(out,
                "{\"schema\":\"plumb.workers/1\",\"waiting\":%" PRIu64 ",\"running\":%" PRIu64 ",\"done\":%" PRIu64
                ",\"died\":%" PRIu64 ",\"workers\":[",
                l->waiting, l->busy, l->done, l->died);
    for (unsigned i = 0; i < l->n; i++) {
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        text_json(out, l->at[i].name, strlen(l->at[i].name));
        text_printf(out,
                    ",\"slots\":%" PRIu64 ",\"running\":%" PRIu64 ",\"done\":%" PRIu64 ",\"died\":%" PRIu64
                    ",\"seconds\":%.3f,\"worked\":%.3f}",
                    l->at[i].slots, l->at[i].busy, l->at[i].done, l->at[i].died, l->at[i].up, l->at[i].worked);
    }
    text_add(out, "]}\n");
}

static void print_table(const worker_list *l, text *out) {
    const double left = estimate(l);
    text_printf(out, "%-32s %6s %8s %9s %6s %9s %9s\n", "worker", "slots", "running", "done", "died", "units/s", "up");
    for (unsigned i = 0; i < l->n; i++) {
        const worker_note *n = &l->at[i];
        text name = {0};
        text_printable(&name, n->name);
        text_printf(out, "%-32s %6" PRIu64 " %8" PRIu64 " %9" PRIu64 " %6" PRIu64 " %9.1f %7.0f s\n", text_str(&name),
                    n->slots, n->busy, n->done, n->died, n->up > 0 ? (double)n->done / n->up : 0, n->up);
        text_free(&name);
    }
    text_printf(out, "%u worker%s, %" PRIu64 " unit%s not done", l->n, l->n == 1 ? "" : "s", l->waiting,
                l->waiting == 1 ? "" : "s");
    if (left > 0) text_printf(out, ", about %.0f s of work", left);
    else if (left < 0) text_add(out, ", no estimate yet");
    text_char(out, '\n');
}

static int run_workers(void *settings, char **operand, unsigned operands) {
    workers_command *c = settings;
    char why[TRANSPORT_WHY] = "";
    error e = {0};
    cluster to;
    text out = {0};
    static worker_list l;
    (void)operand, (void)operands;
    if (!c->cluster.url) error_set(&e, EXIT_USAGE, "expected --cluster URL");
    cluster_settings_complete(&c->cluster);
    if (e.code || !cluster_open(&to, &c->cluster, &e)) return complain(&e);
    if (to.type->each_alive(to.t, take_note, &l, why) == TRANSPORT_ERROR ||
        to.type->waiting(to.t, &l.waiting, why) == TRANSPORT_ERROR)
        error_set(&e, EXIT_CANNOT_OPEN, "--cluster %s: %s", c->cluster.url, why);
    cluster_close(&to);
    if (e.code) return complain(&e);
    if (c->prometheus) print_prometheus(&l, &out);
    else if (c->json) print_json(&l, &out);
    else print_table(&l, &out);
    return print_text(&out);
}

COMMAND(workers, "--cluster URL [OPTION]...", "who works for this cluster, on how much, and for how long",
        workers_options, workers_command,
        .about = "Workers say every few seconds that they are there. Exit: 0, 64 usage, 66 no cluster.");
