/* The coverage figure of "Linearizability checking: reductions to state reachability": all executions, with up to five
 * preemptions, of one thread that enqueues and one that dequeues, at most four times each; distinct histories,
 * violations, and violations that A_0 to A_4 see. */
#include "bench/coverage.h"

#include "bench/collect.h"
#include "bench/measure.h"
#include "bench/plot.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4, HIGHEST_K = 4, PREEMPTIONS = 5, PROGRAMS = MOST * MOST };

typedef struct counts {
    unsigned enqueues, dequeues;
    uint64_t executions, histories, violations, seen[HIGHEST_K + 1];
    bool sound; /* nothing linearizable was called bad, and what A_k sees A_k+1 sees */
} counts;

typedef struct watchers {
    observer *all, *count[HIGHEST_K + 1];
    counts *now;
} watchers;

static bool is_bad(observer *m, const observed *x) {
    text why = {0};
    bool bad = observer_run(m, x, NULL, &why) == OBSERVER_BAD;
    text_free(&why);
    return bad;
}

static void forget(counts *n) { *n = (counts){.enqueues = n->enqueues, .dequeues = n->dequeues, .sound = true}; }

static void visit(collector *c, const observed *x) {
    watchers *w = c->context;
    counts *n = w->now;
    if (!x) {
        forget(n);
        return;
    }
    bool violation = is_bad(w->all, x), before = false;
    n->histories++;
    n->violations += violation;
    for (unsigned k = 0; k <= HIGHEST_K; k++) {
        bool sees = is_bad(w->count[k], x);
        n->seen[k] += sees;
        n->sound &= (violation || !sees) && (sees || !before);
        before = sees;
    }
}

static void threads_of(const counts *n, char *out, size_t room) {
    size_t used = 0;
    for (unsigned i = 1; i <= n->enqueues; i++) used += (size_t)snprintf(out + used, room - used, "enq(%u) ", i);
    used += (size_t)snprintf(out + used, room - used, "|");
    for (unsigned i = 0; i < n->dequeues; i++) used += (size_t)snprintf(out + used, room - used, " deq");
}

static bool run_program(const char *binary, collector *c, counts *n) {
    char threads[128];
    campaign_result r;
    double cpu;
    forget(n);
    ((watchers *)c->context)->now = n;
    threads_of(n, threads, sizeof threads);
    if (!program_explore(
            binary,
            (run_request){.threads = threads, .strategy = "bounded", .bound = PREEMPTIONS, .each_history = true}, c, &r,
            &cpu))
        return false;
    n->executions = r.executions;
    if (r.preemptions >= PREEMPTIONS && !c->unread && n->sound) return true;
    fprintf(stderr, "bench: coverage %s: %s\n", threads,
            n->sound ? "not all executions were seen" : "A_k is not sound, or not monotone");
    return false;
}

static int by_executions(const void *a, const void *b) {
    const counts *x = a, *y = b;
    return (x->executions > y->executions) - (x->executions < y->executions);
}

static void say(FILE *results, const char *what, const counts *n) {
    char line[256];
    snprintf(line, sizeof line,
             "%-7s  %10" PRIu64 "  %9" PRIu64 "  %10" PRIu64 "  %7" PRIu64 "  %7" PRIu64 "  %7" PRIu64 "  %7" PRIu64
             "  %7" PRIu64 "\n",
             what, n->executions, n->histories, n->violations, n->seen[0], n->seen[1], n->seen[2], n->seen[3],
             n->seen[4]);
    measure_say(results, line);
}

static void add(counts *sum, const counts *n) {
    sum->executions += n->executions;
    sum->histories += n->histories;
    sum->violations += n->violations;
    for (unsigned k = 0; k <= HIGHEST_K; k++) sum->seen[k] += n->seen[k];
}

/* Both axes are logarithmic: what is zero is left out. */
static void add_point(series *s, uint64_t executions, uint64_t y) {
    if (!y) return;
    s->x[s->n] = (double)executions;
    s->y[s->n++] = (double)y;
}

static void draw(const counts *n, unsigned programs) {
    static const char *const names[] = {"histories",   "violations",  "seen by A_0", "seen by A_1",
                                        "seen by A_2", "seen by A_3", "seen by A_4"};
    series s[2 + HIGHEST_K + 1] = {{0}};
    _Static_assert(PROGRAMS <= (int)PLOT_POINTS, "one point a program");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) s[i].name = names[i];
    for (unsigned p = 0; p < programs; p++) {
        add_point(&s[0], n[p].executions, n[p].histories);
        add_point(&s[1], n[p].executions, n[p].violations);
        for (unsigned k = 0; k <= HIGHEST_K; k++) add_point(&s[2 + k], n[p].executions, n[p].seen[k]);
    }
    plot_write("bench/results/reachability-coverage-figure.svg", "violations seen by A_k, up to 5 preemptions",
               "executions", "distinct histories", s, sizeof s / sizeof *s);
}

bool coverage_table(const char *plumb, const char *scratch, FILE *results) {
    char binary[128], name[16];
    counts n[PROGRAMS], sum = {0};
    watchers w = {0};
    collector c = {.visit = visit, .context = &w};
    text why = {0};
    snprintf(binary, sizeof binary, "%s/coverage", scratch);
    if (!program_compile(plumb, "bench/programs/bounded_reordering_queue.c", binary) || !collector_open(&c))
        return false;
    w.all = observer_open(observer_kind_find("all"), c.o, 0, &why);
    for (unsigned k = 0; k <= HIGHEST_K; k++) w.count[k] = observer_open(observer_kind_find("count"), c.o, k, &why);
    bool good = true;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        n[i] = (counts){.enqueues = 1 + i / MOST, .dequeues = 1 + i % MOST};
        good &= run_program(binary, &c, &n[i]);
    }
    qsort(n, PROGRAMS, sizeof *n, by_executions);
    measure_say(results, "bounded-reordering queue, all executions with up to 5 preemptions, enqueues x dequeues\n"
                         "program  executions  histories  violations      A_0      A_1      A_2      A_3      A_4\n");
    for (unsigned i = 0; i < PROGRAMS; i++) {
        snprintf(name, sizeof name, "%u x %u", n[i].enqueues, n[i].dequeues);
        say(results, name, &n[i]);
        add(&sum, &n[i]);
    }
    say(results, "all", &sum);
    draw(n, PROGRAMS);
    observer_close(w.all);
    for (unsigned k = 0; k <= HIGHEST_K; k++) observer_close(w.count[k]);
    collector_close(&c);
    text_free(&why);
    unlink(binary);
    return good;
}
