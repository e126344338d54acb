#include "bench/explore.h"

#include "bench/additions.h"
#include "bench/collect.h"
#include "bench/measure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct structure {
    const char *name, *file, *flags, *object;
} structure;

static const structure structures[] = {
    {"treiber", "corpus/treiber_stack.c", "", "stack"},
    {"msq", "corpus/michael_scott_queue.c", "", "queue"},
    {"msqbug", "corpus/michael_scott_queue.c", "-DBUG_HEAD", "queue"},
    {"lockq", "tests/explore/machine/queue_mutex.c", "", "queue"},
    {"spinq", "tests/explore/machine/queue_spin.c", "-DQUEUE_ONLY", "queue"},
    {"tromp", "corpus/tromp_bit.c", "", "register"},
};
enum { STRUCTURES = sizeof structures / sizeof *structures };

/* Executions that a prototype needed: without assumptions, and with interchangeable threads, await and retry. 0:
 * unknown. */
typedef struct row {
    unsigned structure;
    const char *name, *threads;
    uint64_t plain, all;
} row;

static const row rows[] = {
    {0, "1:pg|gp", "push(1) : push(2) pop | pop push(3)", 92, 62},
    {0, "2:g|gp|g", "push(1) push(2) : pop | pop push(3) | pop", 1634, 164},
    {0, "0:pg|pg|pg", "push(1) pop | push(2) pop | push(3) pop", 187592, 3281},
    {0, "0:p|p|p|g|g|g", "push(1) | push(2) | push(3) | pop | pop | pop", 0, 18599},
    {1, "1:g|g", "enq(1) : deq | deq", 6, 5},
    {1, "0:pp|gg", "enq(1) enq(2) | deq deq", 25, 20},
    {1, "1:pg|gp", "enq(1) : enq(2) deq | deq enq(3)", 76, 56},
    {1, "1:pg|g|g", "enq(1) : enq(2) deq | deq | deq", 729, 110},
    {1, "0:pg|pg|g", "enq(1) deq | enq(2) deq | deq", 55735, 917},
    {1, "0:pg|pg|pg", "enq(1) deq | enq(2) deq | enq(3) deq", 6592199, 3327},
    {1, "0:p|p|p", "enq(1) | enq(2) | enq(3)", 9168, 86},
    {1, "3:g|g|g", "enq(1) enq(2) enq(3) : deq | deq | deq", 198, 23},
    {1, "0:p|p|p|g|g|g", "enq(1) | enq(2) | enq(3) | deq | deq | deq", 0, 98788},
    {2, "1:g|g", "enq(1) : deq | deq", 6, 6},
    {2, "1:pg|g", "enq(1) : enq(2) deq | deq", 12, 12},
    {3, "0:ppp|ggg", "enq(1) enq(2) enq(3) | deq deq deq", 21, 21},
    {3, "0:pg|pg|pg", "enq(1) deq | enq(2) deq | enq(3) deq", 100, 26},
    {3, "0:p|p|p|g|g|g", "enq(1) | enq(2) | enq(3) | deq | deq | deq", 721, 30},
    {4, "0:pg|pg|pg", "enq(1) deq | enq(2) deq | enq(3) deq", 7239, 27},
    {4, "0:p|p|p|g|g|g", "enq(1) | enq(2) | enq(3) | deq | deq | deq", 518401, 28},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *folder;

static void binary_of(unsigned i, char *out, size_t room) { snprintf(out, room, "%s/%s", folder, structures[i].name); }

static bool compile(const char *plumb, unsigned i) {
    char source[256], binary[128];
    binary_of(i, binary, sizeof binary);
    snprintf(source, sizeof source, "%s %s", structures[i].flags, structures[i].file);
    return program_compile(plumb, source, binary);
}

typedef struct outcome {
    campaign_result r;
    double cpu; /* of the whole process: started, warmed up, explored */
} outcome;

static bool run(unsigned i, run_request how, outcome *out) {
    char binary[128];
    binary_of(i, binary, sizeof binary);
    how.object = structures[i].object;
    return program_explore(binary, how, NULL, &out->r, &out->cpu);
}

static void column(char *out, size_t room, const outcome *o, uint64_t prototype) {
    char was[32] = "-";
    if (prototype) snprintf(was, sizeof was, "%" PRIu64, prototype);
    snprintf(out, room, "%s%9" PRIu64 " %7.3f s [%s]", o->r.complete ? " " : ">", o->r.executions, o->cpu, was);
}

static bool run_rows(FILE *results) {
    bool good = true;
    const char *limit = getenv("PLUMB_BENCH_SECONDS");
    double seconds = limit ? strtod(limit, NULL) : 5;
    measure_say(
        results,
        "executions that exhaust a test, CPU seconds of the process [executions of a prototype]; > not exhausted\n"
        "                          nothing assumed                       interchangeable threads, await, retry\n");
    for (unsigned i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        outcome plain, all;
        char line[256], left[64], right[64];
        if (!run(r->structure, (run_request){.threads = r->threads, .strategy = "dpor", .seconds = seconds}, &plain) ||
            !run(r->structure,
                 (run_request){.threads = r->threads,
                               .strategy = "dpor",
                               .symmetry = true,
                               .trust_loops = true,
                               .seconds = seconds},
                 &all)) {
            good = false;
            continue;
        }
        column(left, sizeof left, &plain, r->plain);
        column(right, sizeof right, &all, r->all);
        snprintf(line, sizeof line, "%-8s %-14s %-38s %s\n", structures[r->structure].name, r->name, left, right);
        measure_say(results, line);
    }
    return good;
}

/* CPU time says more than the clock on a machine that others use; additions say what a second of it is worth. */
static bool run_rates(FILE *results) {
    static const struct {
        const char *strategy, *model;
        unsigned bound;
        uint64_t asked;
        double asked_share; /* of the rate of dpor under sc in the same run; 0: nothing is asked */
    } strategies[] = {{"dpor", "sc", 0, 250000, 0},
                      {"bounded", "sc", 3, 400000, 0},
                      {"dpor", "tso", 0, 0, 0.35},
                      {"graphs", "rc11", 0, 0, 0.15},
                      {"graphs", "sc", 0, 0, 0.15}};
    double dpor = 0;
    bool good = true;
    measure_say(results, "executions per CPU second, Michael-Scott queue 0:pg|pg|pg, best of 20; beside it additions "
                         "per CPU second of a loop\n");
    for (unsigned i = 0; i < sizeof strategies / sizeof *strategies; i++) {
        double best = 0, adds = 0;
        for (unsigned k = 0; k < 20; k++) {
            outcome o;
            double a = additions_per_second(100000000);
            run_request how = {.threads = "enq(1) deq | enq(2) deq | enq(3) deq",
                               .strategy = strategies[i].strategy,
                               .model = strategies[i].model,
                               .bound = strategies[i].bound,
                               .messages = !strcmp(strategies[i].strategy, "graphs"),
                               .executions = 100000};
            if (!run(1, how, &o)) return false;
            if ((double)o.r.executions / o.cpu > best) best = (double)o.r.executions / o.cpu;
            if (a > adds) adds = a;
        }
        char line[160], asked[64];
        if (!i) dpor = best;
        if (strategies[i].asked) snprintf(asked, sizeof asked, "asked %" PRIu64, strategies[i].asked);
        else snprintf(asked, sizeof asked, "asked %.2f of dpor under sc", strategies[i].asked_share);
        snprintf(line, sizeof line, "%-8s %-4s %9.0f executions/s  %4.2f of dpor under sc  %5.2f G additions/s  %s\n",
                 strategies[i].strategy, strategies[i].model, best, best / dpor, adds / 1e9, asked);
        measure_say(results, line);
    }
    return good;
}

/* Something large, by one process and by two: how much faster are they? Only the clock can say, so others must be
 * quiet. */
static bool run_large(FILE *results) {
    double alone = 0;
    measure_say(results, "Michael-Scott queue, 4 enqueuing and 4 dequeuing threads; interchangeable threads, await, "
                         "retry, confirmed reads\n");
    for (unsigned jobs = 1; jobs <= 2; jobs++) {
        outcome o;
        char line[160];
        run_request how = {.threads = "enq(1) | enq(2) | enq(3) | enq(4) | deq | deq | deq | deq",
                           .strategy = "dpor",
                           .symmetry = true,
                           .trust_loops = true,
                           .seconds = 300,
                           .jobs = jobs};
        if (!run(1, how, &o)) return false;
        if (jobs == 1) alone = o.r.seconds;
        snprintf(line, sizeof line,
                 "%u process%s %10" PRIu64 " executions %8.3f CPU s %8.3f s  %s  %.2f times as fast as one\n", jobs,
                 jobs > 1 ? "es" : "  ", o.r.executions, o.cpu, o.r.seconds, o.r.complete ? "all" : "not all",
                 alone / o.r.seconds);
        measure_say(results, line);
    }
    return true;
}

/* The atomic bit of Tromp from three safe bits, every reading during a write chosen: so many writes against so many
 * reads. */
static bool run_bits(FILE *results) {
    static const struct { unsigned writes, reads; } sizes[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 3}, {2, 3}, {3, 2}};
    measure_say(results, "Tromp's bit: writes x reads, executions, CPU seconds\n");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char threads[256] = "write(0) :", line[160];
        outcome o;
        for (unsigned k = 0; k < sizes[i].writes; k++) strcat(threads, k % 2 ? " write(0)" : " write(1)");
        strcat(threads, " |");
        for (unsigned k = 0; k < sizes[i].reads; k++) strcat(threads, " read");
        if (!run(5, (run_request){.threads = threads, .strategy = "dpor", .seconds = 30}, &o)) return false;
        snprintf(line, sizeof line, "%u x %u  %u operations %10" PRIu64 " executions %8.3f s  %s%s\n", sizes[i].writes,
                 sizes[i].reads, sizes[i].writes + sizes[i].reads, o.r.executions, o.cpu,
                 o.r.complete ? "all" : "not all", o.r.failure ? ", VIOLATION" : "");
        measure_say(results, line);
    }
    return true;
}

bool explore_table(const char *plumb, const char *scratch, FILE *results) {
    bool good = true;
    folder = scratch;
    for (unsigned i = 0; i < STRUCTURES; i++) good &= compile(plumb, i);
    good = good && run_rows(results);
    good = good && run_rates(results);
    good = good && run_bits(results);
    good = good && run_large(results);
    for (unsigned i = 0; i < STRUCTURES; i++) {
        char binary[128];
        binary_of(i, binary, sizeof binary);
        unlink(binary);
    }
    return good;
}
