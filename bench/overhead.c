/* The overhead figure of "Linearizability checking: reductions to state reachability": the queue of Michael and Scott
 * under random schedules, with four threads, and with as many threads as operations; what an execution takes by itself,
 * and with each monitor looking at its history. All monitors look at the same histories, one after the other, in this
 * process. */
#include "bench/overhead.h"

#include "base/mem.h"
#include "bench/collect.h"
#include "bench/measure.h"
#include "bench/plot.h"
#include "monitor/monitor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HISTORIES = 2000, KINDS = 5, REPEATS = 3, SIZES_MOST = 8 };
#define SECONDS_MOST 1.0 /* for one monitor on one size */

typedef struct shape {
    const char *name, *svg;
    unsigned threads;                /* 0: one for each operation */
    unsigned operations[SIZES_MOST]; /* 0 ends them */
} shape;

static const shape shapes[] = {
    {"4 threads", "bench/results/reachability-overhead-few.svg", 4, {4, 8, 12, 16, 20, 24, 28}},
    {"a thread for each operation", "bench/results/reachability-overhead-many.svg", 0, {2, 4, 6, 8, 10, 12}},
};

typedef struct sample {
    observed *at;
    uint32_t n;
} sample;

static void keep(collector *c, const observed *x) {
    sample *s = c->context;
    if (!x) s->n = 0;
    else if (s->n < HISTORIES) s->at[s->n++] = *x;
}

/* ---- monitors ---- */

static bool feed(monitor *m, const observed *x) {
    open_operation *open[OBSERVED_OPERATIONS];
    for (uint32_t e = 0; e < x->events; e++) {
        const operation *op = &x->op[x->event[e].op];
        monitor_call_record call = {.client = op->client,
                                    .method = op->method,
                                    .nargs = op->nargs,
                                    .key = op->key,
                                    .arg = {op->arg[0], op->arg[1], op->arg[2]}};
        if (x->event[e].what == OBSERVED_CALL) open[x->event[e].op] = monitor_call(m, &call);
        else monitor_return(m, open[x->event[e].op], op->res);
    }
    return monitor_settle(m) == VERDICT_LINEARIZABLE;
}

typedef struct kind {
    const char *name, *observer; /* observer NULL: an online monitor */
    unsigned k;
    bool general;
} kind;

static const kind kinds[KINDS] = {
    {"all linearizations", "all", 0, false}, {"linearizations, online", NULL, 0, true},
    {"counting, k = 2", "count", 2, false},  {"patterns", "pattern", 0, false},
    {"near-linear, online", NULL, 0, false},
};

static bool accepts(const kind *k, observer *m, object *o, const observed *x) {
    text why = {0};
    error e = {0};
    bool good;
    if (m) {
        observer_verdict v = observer_run(m, x, NULL, &why);
        good = v == OBSERVER_GOOD || v == OBSERVER_SILENT;
    } else {
        monitor *online = monitor_new(o, &(monitor_options){.general = k->general, .max_ways = 1u << 30}, &e);
        good = online && feed(online, x);
        monitor_free(online);
    }
    text_free(&why);
    return good;
}

/* CPU seconds for one history, the best of several runs. */
static double cost_of(const kind *k, object *o, const sample *s, bool *good) {
    text why = {0};
    double best = 1e9, spent = 0;
    observer *m = k->observer ? observer_open(observer_kind_find(k->observer), o, k->k, &why) : NULL;
    for (unsigned run = 0; run < REPEATS && spent < SECONDS_MOST; run++) {
        double before = measure_self(), took = 0;
        uint32_t i = 0;
        while (i < s->n && took < SECONDS_MOST) {
            *good &= accepts(k, m, o, &s->at[i++]);
            took = measure_self() - before;
        }
        spent += took;
        if (took / i < best) best = took / i;
    }
    observer_close(m);
    text_free(&why);
    return best;
}

/* ---- executions ---- */

static void threads_of(unsigned operations, unsigned threads, char *out, size_t room) {
    size_t used = 0;
    for (unsigned t = 0, given = 1; t < threads; t++) {
        if (t) used += (size_t)snprintf(out + used, room - used, "| ");
        for (unsigned i = 0; i < operations / threads; i++) {
            if ((t + i) % 2) used += (size_t)snprintf(out + used, room - used, "deq ");
            else used += (size_t)snprintf(out + used, room - used, "enq(%u) ", given++);
        }
    }
}

static bool run_unmonitored(const char *binary, const char *threads, double *each) {
    campaign_result r;
    double cpu, best = 1e9;
    for (unsigned i = 0; i < REPEATS; i++) {
        if (!program_explore(
                binary,
                (run_request){.threads = threads, .strategy = "random", .seed = 1, .executions = 10 * HISTORIES}, NULL,
                &r, &cpu))
            return false;
        if (cpu / (double)r.executions < best) best = cpu / (double)r.executions;
    }
    *each = best;
    return true;
}

static void say(FILE *results, const char *name, unsigned operations, double each, double alone) {
    char line[160];
    snprintf(line, sizeof line, "%-24s  %3u operations  %10.7f s  %8.2f x unmonitored\n", name, operations, each,
             each / alone);
    measure_say(results, line);
}

static void add_point(series *s, unsigned x, double y) {
    s->x[s->n] = x;
    s->y[s->n++] = y;
}

static bool run_size(const char *binary, unsigned operations, unsigned in_threads, collector *c, series *ratio,
                     FILE *results) {
    char threads[512];
    campaign_result r;
    double unused, alone;
    sample *s = c->context;
    bool good = true;
    s->n = 0;
    threads_of(operations, in_threads ? in_threads : operations, threads, sizeof threads);
    if (!run_unmonitored(binary, threads, &alone) ||
        !program_explore(
            binary,
            (run_request){
                .threads = threads, .strategy = "random", .seed = 1, .executions = HISTORIES, .each_history = true},
            c, &r, &unused) ||
        !s->n)
        return false;
    say(results, "unmonitored", operations, alone, alone);
    for (unsigned i = 0; i < KINDS; i++) {
        double both = alone + cost_of(&kinds[i], c->o, s, &good);
        say(results, kinds[i].name, operations, both, alone);
        add_point(&ratio[i], operations, both / alone);
    }
    if (!good) fprintf(stderr, "bench: overhead: a monitor refuses a right queue\n");
    return good;
}

static bool run_shape(const char *binary, const shape *how, collector *c, FILE *results) {
    series ratio[KINDS] = {{0}};
    char line[160];
    bool good = true;
    snprintf(
        line, sizeof line,
        "queue of Michael and Scott, random schedules, %s: operations, CPU seconds of an execution with its monitor\n",
        how->name);
    measure_say(results, line);
    for (unsigned i = 0; i < KINDS; i++) ratio[i].name = kinds[i].name;
    for (unsigned i = 0; i < SIZES_MOST && how->operations[i] && good; i++)
        good = run_size(binary, how->operations[i], how->threads, c, ratio, results);
    snprintf(line, sizeof line, "run time with a monitor, %s", how->name);
    plot_write(how->svg, line, "operations", "times the unmonitored run time", ratio, KINDS);
    return good;
}

bool overhead_table(const char *plumb, const char *scratch, FILE *results) {
    char binary[128];
    sample s = {.at = MEM_ARRAY(observed, HISTORIES)};
    collector c = {.visit = keep, .context = &s};
    bool good = true;
    snprintf(binary, sizeof binary, "%s/overhead", scratch);
    if (!program_compile(plumb, "corpus/michael_scott_queue.c", binary) || !collector_open(&c)) return false;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) good &= run_shape(binary, &shapes[i], &c, results);
    collector_close(&c);
    free(s.at);
    unlink(binary);
    return good;
}
