#include "bench/online.h"

#include "base/random.h"
#include "monitor/monitor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 4, INSIDE = 32, ROOM = 64, DISTINCT = 1 << 29 };

typedef enum kind { FIFO, LIFO, GREATEST, CELL } kind;

typedef struct subject {
    const char *name, *object;
    kind kind;
    double asked; /* million events a second */
} subject;

static const subject subjects[] = {
    {"queue", "queue", FIFO, 5},       {"pool", "multiset", FIFO, 0},
    {"register", "register", CELL, 5}, {"single-writer register", "swmr-register", CELL, 0},
    {"stack", "stack", LIFO, 2},       {"priority queue", "pqueue-max", GREATEST, 2},
};

/* A right object under a random scheduler: every operation takes effect at its call or at its return. */
typedef struct simulation {
    const subject *s;
    object *o;
    values *values;
    random_source r;
    monitor *m;
    open_operation *open[CLIENTS];
    value result[CLIENTS];
    bool done[CLIENTS], adds[CLIENTS];
    value arg[CLIENTS];
    value inside[ROOM];
    uint32_t n, first;
    int64_t fresh;
} simulation;

static void put(simulation *s, value v) {
    s->inside[s->s->kind == FIFO ? (s->first + s->n) % ROOM : s->n] = v;
    s->n++;
}

static value take(simulation *s) {
    if (!s->n) return VALUE_EMPTY;
    s->n--;
    if (s->s->kind == LIFO) return s->inside[s->n];
    if (s->s->kind == FIFO) {
        value v = s->inside[s->first];
        s->first = (s->first + 1) % ROOM;
        return v;
    }
    uint32_t best = 0;
    for (uint32_t i = 1; i <= s->n; i++)
        if (s->inside[i] > s->inside[best]) best = i;
    value v = s->inside[best];
    s->inside[best] = s->inside[s->n];
    return v;
}

static void take_effect(simulation *s, unsigned c) {
    s->done[c] = true;
    s->result[c] = VALUE_NONE;
    if (s->s->kind == CELL) {
        if (s->adds[c]) s->inside[0] = s->arg[c];
        else s->result[c] = s->inside[0];
    } else if (s->adds[c]) {
        put(s, s->arg[c]);
    } else {
        s->result[c] = take(s);
    }
}

static bool adds_next(simulation *s, unsigned c, uint64_t dice) {
    if (s->s->kind != CELL) return s->n < INSIDE - CLIENTS || (s->n < INSIDE + CLIENTS && (dice & 1));
    return strcmp(s->s->object, "swmr-register") ? dice % 4 == 0 : c == 0 && dice & 1;
}

/* A permutation of the numbers below DISTINCT: priorities in no order, and no two are equal for as long as there are
 * others. */
static int64_t scattered(int64_t i) {
    uint32_t x = (uint32_t)i & (DISTINCT - 1);
    for (unsigned round = 0; round < 2; round++) {
        x ^= x >> 15;
        x = x * 0x2c1b3c6du & (DISTINCT - 1);
    }
    return x ^ x >> 15;
}

static value fresh_value(simulation *s) {
    int64_t i = s->fresh++ % DISTINCT;
    return value_int(s->values, s->s->kind == GREATEST ? scattered(i) : i);
}

static void one_event(simulation *s) {
    uint64_t dice = random_next(&s->r);
    unsigned c = (unsigned)(dice % CLIENTS);
    dice >>= 8;
    if (s->open[c]) {
        if (!s->done[c]) take_effect(s, c);
        monitor_return(s->m, s->open[c], s->result[c]);
        s->open[c] = NULL;
        return;
    }
    s->adds[c] = adds_next(s, c, dice);
    s->arg[c] = fresh_value(s);
    s->done[c] = false;
    monitor_call_record call = {.client = c,
                                .method = s->adds[c] ? 0 : 1,
                                .nargs = s->adds[c],
                                .key = VALUE_NONE,
                                .arg = {s->adds[c] ? s->arg[c] : VALUE_NONE, VALUE_NONE, VALUE_NONE}};
    s->open[c] = monitor_call(s->m, &call);
    if (dice >> 40 & 1) take_effect(s, c);
}

static double resident_mb(void) {
    long pages = 0, unused;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &unused, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct measured {
    double seconds, early_mb, late_mb;
    uint64_t live;
    verdict verdict;
} measured;

static bool run_subject(const subject *which, uint64_t events, measured *out) {
    error e = {0};
    simulation s = {.s = which, .r = {1}, .values = values_new(), .o = object_open(which->object, NULL, &e)};
    object_use_values(s.o, s.values);
    s.inside[0] = VALUE_NONE;
    s.m = monitor_new(s.o, NULL, &e);
    if (!s.m) return false;
    uint64_t early = events < 10000000 ? events / 2 : 10000000;
    double started = cpu_seconds();
    for (uint64_t i = 0; i < events && monitor_verdict(s.m) == VERDICT_LINEARIZABLE; i++) {
        one_event(&s);
        if (i == early - 1) out->early_mb = resident_mb();
    }
    monitor_settle(s.m);
    out->seconds = cpu_seconds() - started;
    out->late_mb = resident_mb();
    out->verdict = monitor_verdict(s.m);
    monitor_status status;
    monitor_look(s.m, &status);
    out->live = status.live;
    if (out->verdict != VERDICT_LINEARIZABLE) fprintf(stderr, "bench: %s: %s\n", which->name, monitor_reason(s.m));
    monitor_free(s.m);
    object_close(s.o);
    values_free(s.values);
    return out->verdict == VERDICT_LINEARIZABLE;
}

static void line(FILE *f, const subject *s, uint64_t events, const measured *r) {
    double rate = (double)events / r->seconds * 1e-6;
    fprintf(f,
            "%-24s %11" PRIu64 " events  %8.2f s  %6.2f M/s  resident %6.1f MB after %s, %6.1f MB at the end  %" PRIu64
            " live",
            s->name, events, r->seconds, rate, r->early_mb, events < 10000000 ? "half" : "10^7", r->late_mb, r->live);
    if (s->asked > 0) fprintf(f, "  asked %.0f M/s %s", s->asked, rate >= s->asked ? "ok" : "MISSED");
    fputc('\n', f);
}

bool online_table(FILE *results) {
    /* 1000000000 for the long run; one object */
    const char *most = getenv("PLUMB_BENCH_EVENTS"), *only = getenv("PLUMB_BENCH_ONLY");
    uint64_t events = most ? strtoull(most, NULL, 10) : 10000000;
    bool good = true;
    printf("online: events a second on one core, making the events included; 4 clients, about 32 values inside\n");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        measured r;
        if (only && strcmp(only, subjects[i].object) != 0) continue;
        if (!run_subject(&subjects[i], events, &r)) {
            good = false;
            continue;
        }
        line(stdout, &subjects[i], events, &r);
        fflush(stdout);
        if (results) line(results, &subjects[i], events, &r);
    }
    return good;
}
