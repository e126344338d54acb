/* What recording, verifying and guarding cost: ratios from interleaved repetitions in one process.
 *
 *     runtime_bench [REPETITIONS [OPERATIONS]]        builds with the target runtime_bench
 *
 * One thread: CPU time, lower quartiles, and medians beside them. Two threads: medians of the wall time of repetitions
 * in which both really ran at the same time (each had the processor for nine tenths of it, and they overlapped for nine
 * tenths); the others are thrown away and counted. */
#include "bench/additions.h"
#include "runtime/verifier.h"
#include "support/record_run.h"

#include <plumbline/guard.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OPERATIONS = 40000, THREADS = 2, MOST_THREADS = 4, MODES = 7, MOST = 2000, RING = 4 };

typedef enum mode { BARE, TICKET, FRESH, SNAPSHOT, TSC, GUARD, GUARD_SNAPSHOT } mode;
static const char *const mode_names[] = {
    "bare",          "recorded, TICKET", "recorded, fresh file", "recorded, SNAPSHOT",
    "recorded, TSC", "guarded, TICKET",  "guarded, SNAPSHOT"};

typedef struct run {
    mode mode;
    bool lifo;
    uint32_t threads, pause; /* pause: additions between two operations */
    plumb_recorder *r;
    plumb_guard *g;
    concurrent *c;
    char path[256]; /* of a fresh file */
    pthread_barrier_t start;
} run;

typedef struct worker {
    run *run;
    uint32_t number;
    pthread_t thread;
    double begin, end, cpu;
} worker;

static double seconds(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t additions_in(double duration) {
    double best = 0;
    for (unsigned i = 0; i < 5; i++) {
        double rate = additions_per_second(10000000);
        if (rate > best) best = rate;
    }
    return (uint32_t)(duration * best);
}

#define LOOP(before_add, after_add, before_take, after_take) \
    for (uint32_t i = 0; i < OPERATIONS; i++) { \
        if (i & 1) { \
            before_take; \
            int64_t v = concurrent_remove(r->c, &k); \
            after_take; \
        } else { \
            int64_t v = fresh++; \
            before_add; \
            concurrent_add(r->c, &k, v); \
            after_add; \
        } \
        if (r->pause) additions(r->pause); \
    }

/* Once through the guard's log, 4 MiB for each thread: its pages are there then, as those of a recorder are
 * (open_run). */
static void go_round(plumb_member *me) {
    for (uint32_t i = 0; i < (4 << 20) / PLUMB_RECORD_BYTES + LOG_CHUNK_RECORDS; i++) {
        plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE);
        plumb_guard_ret_word(me, PLUMB_WORD_EMPTY);
    }
}

static void *work(void *context) {
    worker *w = context;
    const run *r = w->run;
    concurrent_client k;
    concurrent_client_init(&k, w->number);
    int64_t fresh = (int64_t)(w->number + 1) << 40;
    plumb_log *log = r->r ? plumb_record_join(r->r) : NULL;
    plumb_member *me = r->g ? plumb_guard_join(r->g) : NULL;
    if (me) go_round(me);
    pthread_barrier_wait(&w->run->start);
    w->begin = seconds(CLOCK_MONOTONIC);
    double cpu = seconds(CLOCK_THREAD_CPUTIME_ID);
    if (log) {
        LOOP(plumb_call_int(log, 0, v), plumb_ret_none(log), plumb_call_none(log, 1),
             v == CONCURRENT_EMPTY ? plumb_ret_empty(log) : plumb_ret_int(log, v))
    } else if (me) {
        LOOP(plumb_guard_call_word(me, 0, 1, PLUMB_WORD_INT(v)), plumb_guard_ret_word(me, PLUMB_WORD_NONE),
             plumb_guard_call_word(me, 1, 0, PLUMB_WORD_NONE),
             plumb_guard_ret_word(me, v == CONCURRENT_EMPTY ? PLUMB_WORD_EMPTY : PLUMB_WORD_INT(v)))
    } else {
        LOOP(, , , (void)v)
    }
    w->cpu = seconds(CLOCK_THREAD_CPUTIME_ID) - cpu;
    w->end = seconds(CLOCK_MONOTONIC);
    plumb_record_leave(log);
    plumb_guard_leave(me);
    return NULL;
}

static const char *fresh_path(run *r) {
    const char *folder = getenv("TMPDIR");
    snprintf(r->path, sizeof r->path, "%s/plumb-bench-%d.plumblog", folder ? folder : "/tmp", (int)getpid());
    return r->path;
}

static void open_run(run *r, const char *what) {
    plumb_record_options o = {.struct_size = sizeof o,
                              .object = what,
                              .threads = MOST_THREADS,
                              .ring = true,
                              .bytes = MOST_THREADS * RING * LOG_CHUNK_BYTES};
    plumb_guard_options p = {.struct_size = sizeof p, .object = what, .threads = MOST_THREADS};
    concurrent_client filler;
    r->c = concurrent_new(r->lifo, 1 << 18, DEFECT_NONE, 1);
    concurrent_client_init(&filler, 1);
    if (r->mode >= GUARD) {
        p.clock = r->mode == GUARD ? PLUMB_CLOCK_TICKET : PLUMB_CLOCK_SNAPSHOT;
        r->g = plumb_guard_open(&p);
    } else if (r->mode == FRESH) { /* as it is used: a new file, of which no page is there */
        o.ring = false;
        o.bytes = 0;
        o.path = fresh_path(r);
        r->r = plumb_record_open(&o);
    } else if (r->mode != BARE) {
        o.clock = r->mode == TICKET ? PLUMB_CLOCK_TICKET : r->mode == SNAPSHOT ? PLUMB_CLOCK_SNAPSHOT : PLUMB_CLOCK_TSC;
        r->r = plumb_record_open(&o);
        /* the pages are there: their faults are not what is measured */
        memset(r->r->shared.chunks, 0, MOST_THREADS * RING * LOG_CHUNK_BYTES);
        /* as if a verifier kept up */
        for (unsigned i = 0; i < MOST_THREADS; i++) r->r->shared.slot[i].tail[0].place = UINT64_MAX;
        r->r->shared.header->reader[0].epoch = 1;
    }
    pthread_barrier_init(&r->start, NULL, r->threads);
}

static void close_run(run *r) {
    if (r->g) plumb_guard_close(r->g);
    if (r->r) plumb_record_close(r->r);
    if (r->path[0]) unlink(r->path);
    concurrent_free(r->c);
    pthread_barrier_destroy(&r->start);
}

/* Nanoseconds an operation and thread; negative: the threads did not run at the same time. */
static double measure(mode m, bool lifo, uint32_t threads, uint32_t pause) {
    run r = {.mode = m, .lifo = lifo, .threads = threads, .pause = pause};
    worker w[MOST_THREADS];
    open_run(&r, lifo ? "stack" : "queue");
    for (uint32_t i = 0; i < threads; i++) {
        w[i] = (worker){.run = &r, .number = i};
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    for (uint32_t i = 0; i < threads; i++) pthread_join(w[i].thread, NULL);
    close_run(&r);
    if (threads == 1) return 1e9 * w[0].cpu / OPERATIONS;
    if (threads > 2) { /* more than processors, perhaps: the CPU time of all */
        double cpu = 0;
        for (uint32_t i = 0; i < threads; i++) cpu += w[i].cpu;
        return 1e9 * cpu / OPERATIONS / threads;
    }
    double first = w[0].begin < w[1].begin ? w[0].begin : w[1].begin, last = w[0].end > w[1].end ? w[0].end : w[1].end;
    double both = (w[0].end < w[1].end ? w[0].end : w[1].end) - (w[0].begin > w[1].begin ? w[0].begin : w[1].begin);
    for (uint32_t i = 0; i < threads; i++)
        if (w[i].cpu < 0.9 * (w[i].end - w[i].begin)) return -1;
    return both < 0.9 * (last - first) ? -1 : 1e9 * (last - first) / OPERATIONS;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *x, unsigned n, double share) {
    qsort(x, n, sizeof *x, ascending);
    return n ? x[(unsigned)(share * n)] : 0;
}

static double median(double *x, unsigned n) { return quantile(x, n, 0.5); }

typedef struct sample { /* of one mode */
    double ns[MOST];
    unsigned n;
} sample;

static void print_medians(sample *bare, sample *x) {
    double b = median(bare->ns, bare->n), m = median(x->ns, x->n);
    printf("  medians: %.1f, %+.1f, ratio %.2f", m, m - b, b / m);
}

/* One thread: the lower quartile. Other work on the machine only adds to the time of some repetitions, for
 * milliseconds or minutes; the medians tell how much. */
static void table(const char *title, bool lifo, uint32_t threads, uint32_t pause, unsigned repetitions) {
    static sample kept[MODES];
    memset(kept, 0, sizeof kept);
    for (unsigned i = 0; i < repetitions; i++)
        for (unsigned m = 0; m < MODES; m++) {
            double ns = measure((mode)m, lifo, threads, pause);
            if (ns > 0) kept[m].ns[kept[m].n++] = ns;
        }
    printf("%s\n", title);
    double share = threads == 1 ? 0.25 : 0.5, bare = quantile(kept[BARE].ns, kept[BARE].n, share);
    for (unsigned m = 0; m < MODES; m++) {
        if (!kept[m].n) continue;
        double ns = quantile(kept[m].ns, kept[m].n, share);
        printf("  %-20s %8.1f ns/op  added %8.1f  ratio %.2f  (%u of %u repetitions)", mode_names[m], ns, ns - bare,
               bare / ns, kept[m].n, repetitions);
        if (threads == 1) print_medians(&kept[BARE], &kept[m]);
        printf("\n");
    }
    fflush(stdout);
}

/* ---- verifiers: a recorded run, read back ---- */

/* Two threads' worth of overlapping operations, made by one: which thread comes next is random at every event, as hard
 * to foresee for a processor as it can be. */
static void make_up_run(plumb_recorder *r, bool lifo, uint32_t operations) {
    concurrent *c = concurrent_new(lifo, 1 << 18, DEFECT_NONE, 1);
    plumb_log *log[THREADS];
    concurrent_client k[THREADS];
    random_source dice = {5};
    for (unsigned i = 0; i < THREADS; i++) {
        log[i] = plumb_record_join(r);
        concurrent_client_init(&k[i], i);
    }
    int64_t fresh = 0;
    bool open[THREADS] = {0}, adds[THREADS] = {0};
    int64_t v[THREADS] = {0};
    for (uint32_t done = 0; done < operations;) {
        unsigned t = random_next(&dice) & 1;
        if (!open[t]) {
            adds[t] = random_next(&dice) & 1;
            v[t] = adds[t] ? ++fresh : 0;
            if (adds[t]) plumb_call_int(log[t], 0, v[t]);
            else plumb_call_none(log[t], 1);
            if (adds[t]) concurrent_add(c, &k[t], v[t]);
            else v[t] = concurrent_remove(c, &k[t]);
        } else {
            if (adds[t]) plumb_ret_none(log[t]);
            else if (v[t] == CONCURRENT_EMPTY) plumb_ret_empty(log[t]);
            else plumb_ret_int(log[t], v[t]);
            done++;
        }
        open[t] = !open[t];
    }
    for (unsigned i = 0; i < THREADS; i++) plumb_record_leave(log[i]);
    concurrent_free(c);
}

/* Nanoseconds an operation; the log is kept, so that it can be read again. */
static double verify_once(plumb_recorder *r, uint32_t operations, verdict *found) {
    watch w;
    watch_init(&w, &r->shared, &(checker_options){.max_lag = VERIFIER_MAX_LAG});
    double begin = seconds(CLOCK_THREAD_CPUTIME_ID);
    while (watch_round(&w)) {}
    *found = watch_verdict(&w);
    double ns = 1e9 * (seconds(CLOCK_THREAD_CPUTIME_ID) - begin) / operations;
    watch_free(&w);
    return ns;
}

static void verifier_line(bool lifo, unsigned clock, bool real, uint32_t operations, unsigned repetitions) {
    static double ns[MOST];
    const char *what = lifo ? "stack" : "queue";
    plumb_record_options o = {.struct_size = sizeof o, .object = what, .threads = THREADS, .clock = clock};
    plumb_recorder *r = plumb_record_open(&o);
    record_run recorded = {
        .lifo = lifo, .threads = THREADS, .operations = operations / THREADS, .inside = 100, .seed = 1, .r = r};
    if (real) record_run_all(&recorded);
    else make_up_run(r, lifo, operations);
    verdict found = VERDICT_UNDECIDED;
    for (unsigned i = 0; i < repetitions; i++) ns[i] = verify_once(r, operations, &found);
    double middle = median(ns, repetitions);
    printf("  %-6s %-9s %-9s %7.1f ns/op (%.1f in the best repetition)  %6.1f M operations/s  %s\n", what,
           clock ? "SNAPSHOT" : "TICKET", real ? "recorded" : "made up", middle, ns[0], 1e3 / middle,
           verdict_text(found));
    fflush(stdout);
    plumb_record_close(r);
}

int main(int argc, char **argv) {
    unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 60;
    if (n > MOST / 5) n = MOST / 5;
    uint32_t operations = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 2000000; /* that verifiers read */
    table("Michael and Scott's queue, one thread (CPU time, lower quartiles; medians beside them)", false, 1, 0, 5 * n);
    table("Treiber's stack, one thread (CPU time, lower quartiles; medians beside them)", true, 1, 0, 5 * n);
    table("Michael and Scott's queue, two threads (wall time of those that overlapped, medians)", false, 2, 0, 3 * n);
    table("Treiber's stack, two threads", true, 2, 0, 3 * n);
    table("Michael and Scott's queue, two threads, 0.5 microseconds of work between operations", false, 2,
          additions_in(0.5e-6), 3 * n);
    table("Michael and Scott's queue, four threads (CPU time of all, medians)", false, 4, 0, n);
    printf("verifiers, one core, reading what two threads recorded, or made up for two (CPU time)\n");
    for (unsigned i = 0; i < 8; i++) verifier_line(i & 1, i >> 2 & 1, i >> 1 & 1, operations, n / 4 + 3);
    return 0;
}
