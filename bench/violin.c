#include "bench/violin.h"

#include "bench/plot.h"

#include "base/budget.h"
#include "base/mem.h"
#include "engine/portfolio.h"
#include "engine/saturate/saturation.h"
#include "format/format.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HISTORIES = 5, LIMITS = 5, POLL_MICROSECONDS = 2000 };
static const double limits[LIMITS] = {5, 25, 50, 75, 100}; /* seconds */

static void say(FILE *results, const char *what, ...) TEXT_FORMAT(2, 3);
static void say(FILE *results, const char *what, ...) {
    FILE *to[] = {stdout, results};
    for (unsigned i = 0; i < 2 && to[i]; i++) {
        va_list args;
        va_start(args, what);
        vfprintf(to[i], what, args);
        va_end(args);
        fflush(to[i]);
    }
}

static const char *data(void) {
    const char *where = getenv("PLUMB_DATA");
    return where ? where : "../shared/data";
}

typedef struct recorded {
    history *h;
    object *o;
    uint32_t *op;
} recorded;

static bool read_recorded(const char *name, const char *object_name, recorded *r) {
    char path[1024];
    error e = {0};
    snprintf(path, sizeof path, "%s/violin/%s", data(), name);
    *r = (recorded){.h = format_read(path, &(read_options){0}, NULL, &e)};
    r->o = r->h ? object_open(object_name, NULL, &e) : NULL;
    if (!r->o || !object_bind(r->o, r->h, path, &e)) {
        fprintf(stderr, "bench: %s\n", e.what);
        return false;
    }
    r->op = MEM_ARRAY(uint32_t, r->h->n);
    for (uint32_t i = 0; i < r->h->n; i++) r->op[i] = i;
    return true;
}

static void free_recorded(recorded *r) {
    free(r->op);
    history_free(r->h);
    object_close(r->o);
}

/* ---- a check at every return ---- */

typedef struct contender {
    const char *name;
    const char *engine;
    int64_t setting[ENGINE_SETTINGS];
    const char *published[2]; /* median steps in 5 s and in 100 s, where the paper's text has them */
} contender;

static const contender contenders[] = {
    {"enumerate", "enumerate", {0}, {"18", "32"}},
    {"symbolic", "symbolic", {0, 1, 0}, {"37", "70"}},
    {"symbolic+removal", "symbolic", {0, 1, 1}, {"-", "about ten times enumerate"}},
    {"saturate", "saturate", {REMOVAL_NONE, SATURATION_CAP, 0}, {"357", "854"}},
    {"saturate+removal", "saturate", {REMOVAL_DELAYED, SATURATION_CAP, 0}, {"1303", "-"}},
};
enum { CONTENDERS = sizeof contenders / sizeof *contenders };

typedef struct attempt {
    const recorded *r;
    const contender *c;
    budget budget;
    _Atomic uint32_t steps;
    _Atomic int done;
    verdict verdict;
} attempt;

/* An engine that cannot look at returns by itself decides each prefix anew. */
static void decide_prefixes(attempt *a, const engine *g) {
    const history *h = a->r->h;
    for (uint32_t rank = 0; rank < h->events && !budget_spent(&a->budget); rank++) {
        uint32_t ends = h->n;
        for (uint32_t i = 0; i < h->n && h->call[i] <= rank; i++)
            if (h->ret[i] == rank) ends = i;
        if (ends == h->n) continue;
        history *prefix = history_select(h, a->r->op, h->n, rank);
        decision d;
        decide(prefix, a->r->o, &(decide_options){.engine = g}, &a->budget, NULL, &d);
        a->verdict = d.verdict;
        decision_free(&d);
        history_free(prefix);
        if (a->verdict != VERDICT_LINEARIZABLE) return;
        atomic_fetch_add(&a->steps, 1);
    }
}

static void *run_attempt(void *context) {
    attempt *a = context;
    const engine *g = engine_find(a->c->engine);
    if (!strcmp(a->c->engine, "enumerate")) {
        decide_prefixes(a, g);
    } else {
        problem p = {.h = a->r->h,
                     .o = a->r->o,
                     .op = a->r->op,
                     .n = a->r->h->n,
                     .budget = &a->budget,
                     .furthest = &a->steps,
                     .setting = a->c->setting};
        outcome out;
        outcome_init(&out);
        g->decide(&p, &out);
        a->verdict = out.verdict;
        outcome_free(&out);
    }
    atomic_store(&a->done, 1);
    return NULL;
}

static double cpu_of(clockid_t clock) {
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct progress {
    uint32_t steps[LIMITS];
    double seconds[LIMITS]; /* the limit, or less when all was done before */
} progress;

/* Looks on from outside, by the CPU time of the one that works. */
static void watch(const recorded *r, const contender *c, double slice, progress *out) {
    attempt a = {.r = r, .c = c};
    pthread_t worker;
    clockid_t clock;
    budget_init(&a.budget, 0, 0);
    pthread_create(&worker, NULL, run_attempt, &a);
    pthread_getcpuclockid(worker, &clock);
    unsigned next = 0;
    double now = 0;
    while (next < LIMITS && !atomic_load(&a.done)) {
        usleep(POLL_MICROSECONDS);
        if (!atomic_load(&a.done)) now = cpu_of(clock);
        while (next < LIMITS && now >= limits[next] * slice) {
            out->steps[next] = atomic_load(&a.steps);
            out->seconds[next++] = now;
        }
    }
    budget_stop(&a.budget, STOP_NOT_NEEDED);
    pthread_join(worker, NULL);
    for (; next < LIMITS; next++) {
        out->steps[next] = atomic_load(&a.steps);
        out->seconds[next] = now > 0 ? now : POLL_MICROSECONDS * 1e-6;
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Values inside, on average over the first `steps` returns. */
static double capacity(const recorded *r, uint32_t steps) {
    const history *h = r->h;
    int8_t *change = mem_zero(h->events, sizeof *change);
    for (uint32_t i = 0; i < h->n; i++) {
        if (history_pending(h, i)) continue;
        bool adds = r->o->type->methods[h->method[i]].role & ROLE_ADDS;
        change[h->ret[i]] = adds ? 1 : h->res[i] == VALUE_EMPTY ? 2 : -1;
    }
    double sum = 0;
    int64_t inside = 0;
    uint32_t seen = 0;
    for (uint32_t rank = 0; rank < h->events && seen < steps; rank++) {
        if (!change[rank]) continue;
        if (change[rank] != 2) inside += change[rank];
        sum += (double)inside;
        seen++;
    }
    free(change);
    return seen ? sum / seen : 0;
}

typedef double row[HISTORIES];

static void print_limit(FILE *results, const contender *c, unsigned l, double slice, row steps, row normal,
                        series *drawn) {
    qsort(steps, HISTORIES, sizeof *steps, by_size);
    qsort(normal, HISTORIES, sizeof *normal, by_size);
    const char *published = l == 0 ? c->published[0] : l == LIMITS - 1 ? c->published[1] : "";
    say(results,
        "%-18s %6.2f s  steps: min %5.0f  quartile %5.0f  median %5.0f  quartile %5.0f  max %5.0f  time/capacity^2: "
        "%.2e s  [%s]\n",
        c->name, limits[l] * slice, steps[0], steps[1], steps[2], steps[3], steps[4], normal[2], published);
    drawn->x[drawn->n] = limits[l] * slice;
    drawn->y[drawn->n++] = steps[2] > 1 ? steps[2] : 1;
}

static bool figures_12_and_13(FILE *results, double slice) {
    static recorded all[HISTORIES];
    static progress found[CONTENDERS][HISTORIES];
    static series drawn[CONTENDERS], scaled[CONTENDERS];
    for (unsigned i = 0; i < HISTORIES; i++) {
        char name[64];
        snprintf(name, sizeof name, "big/ScalObject-msq.%u.log", i);
        if (!read_recorded(name, "queue", &all[i])) return false;
    }
    say(results, "figure 12 and 13: steps (returns) processed within so much CPU time, a check at each; five recorded "
                 "Michael-Scott queues of 10,000\n"
                 "operations; in brackets: the paper's medians for 5 and 100 s, ten such histories, another machine "
                 "(enumerate takes at most 4,096\n"
                 "operations)\n");
    for (unsigned k = 0; k < CONTENDERS; k++) {
        drawn[k] = (series){.name = contenders[k].name};
        scaled[k] = drawn[k];
        for (unsigned i = 0; i < HISTORIES; i++) watch(&all[i], &contenders[k], slice, &found[k][i]);
        for (unsigned l = 0; l < LIMITS; l++) {
            row steps, normal;
            for (unsigned i = 0; i < HISTORIES; i++) {
                double inside = capacity(&all[i], found[k][i].steps[l]);
                steps[i] = found[k][i].steps[l];
                normal[i] = found[k][i].seconds[l] / (inside > 1 ? inside * inside : 1);
            }
            print_limit(results, &contenders[k], l, slice, steps, normal, &drawn[k]);
            scaled[k].x[l] = steps[2] > 1 ? steps[2] : 1;
            scaled[k].y[l] = normal[2] > 1e-9 ? normal[2] : 1e-9;
            scaled[k].n = l + 1;
        }
        double seconds = 0, steps = 0;
        for (unsigned i = 0; i < HISTORIES; i++) {
            seconds += found[k][i].seconds[LIMITS - 1];
            steps += found[k][i].steps[LIMITS - 1];
        }
        say(results, "%-18s %.0f steps in %.2f s: %.0f steps/s\n", contenders[k].name, steps, seconds, steps / seconds);
    }
    plot_write("bench/results/violin-12.svg", "steps processed, by CPU seconds (median)", "CPU seconds", "steps", drawn,
               CONTENDERS);
    plot_write("bench/results/violin-13.svg", "CPU seconds / capacity squared, by steps (median)", "steps",
               "seconds / capacity^2", scaled, CONTENDERS);
    for (unsigned i = 0; i < HISTORIES; i++) free_recorded(&all[i]);
    return true;
}

/* ---- violations ---- */

typedef struct detector {
    const char *name, *engine;
    int64_t setting[ENGINE_SETTINGS];
} detector;

static const detector detectors[] = {
    {"enumerate", "enumerate", {0}},
    {"symbolic", "symbolic", {0}},
    {"saturate, none", "saturate", {REMOVAL_NONE, SATURATION_CAP, 1}},
    {"saturate, immediate", "saturate", {REMOVAL_IMMEDIATE, SATURATION_CAP, 1}},
    {"saturate, delayed", "saturate", {REMOVAL_DELAYED, SATURATION_CAP, 1}},
    {"saturate, component", "saturate", {REMOVAL_COMPONENT, SATURATION_CAP, 1}},
    {"counting(4)", "counting", {4, 1}},
    {"counting(2)", "counting", {2, 1}},
    {"counting(4) at the end", "counting", {4, 0}},
    {"counting(2) at the end", "counting", {2, 0}},
};
enum { DETECTORS = sizeof detectors / sizeof *detectors };

static bool finds(const recorded *r, const detector *d, double seconds) {
    budget b;
    decision found;
    budget_init(&b, seconds, 0);
    decide(r->h, r->o, &(decide_options){.engine = engine_find(d->engine), .setting = d->setting}, &b, NULL, &found);
    bool yes = found.verdict == VERDICT_VIOLATION;
    decision_free(&found);
    return yes;
}

static bool figure_14(FILE *results, double slice) {
    static const char *const name[] = {"dq", "rdq", "bkq", "ukq", "lbq", "msq", "fcq", "wfq11", "sl", "ts"};
    say(results,
        "figure 14: violations found in the recorded small runs, 20 of each implementation; enumerate within %.1f s "
        "each\n"
        "(the paper, 100 of each: all engines but counting find all, with removal too; enumerate one less; counting(4) "
        "most, counting(2) fewer)\n",
        10 * slice);
    for (unsigned k = 0; k < DETECTORS; k++) {
        say(results, "%-24s", detectors[k].name);
        for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
            unsigned count = 0;
            for (unsigned n = 0; n < 20; n++) {
                char path[64];
                recorded r;
                snprintf(path, sizeof path, "small/%s/ScalObject-%s.%02u.log", name[i], name[i], n);
                if (!read_recorded(path, !strcmp(name[i], "ts") ? "stack" : "queue", &r)) return false;
                count += finds(&r, &detectors[k], 10 * slice);
                free_recorded(&r);
            }
            say(results, "  %s %u", name[i], count);
        }
        say(results, "\n");
    }
    return true;
}

bool violin_tables(FILE *results) {
    const char *scale = getenv("PLUMB_BENCH_SLICE");
    double slice = scale ? atof(scale) : 1;
    if (access(data(), R_OK)) {
        printf("violin: no recorded histories at %s: skipped\n", data());
        return true;
    }
    return figures_12_and_13(results, slice > 0 ? slice : 1) && figure_14(results, slice > 0 ? slice : 1);
}
