#include "support/record_run.h"

#include "runtime/record/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct worker {
    record_run *run;
    concurrent *c;
    uint32_t number;
    pthread_t thread;
    uint64_t fired;
} worker;

static uint32_t slot_of(plumb_log *log) { return ((log_writer *)(void *)log)->number; }

static void record_add(const worker *w, concurrent_client *k, plumb_log *log, int add, int64_t v) {
    mirror *m = w->run->mirror;
    mirrored *twin = mirror_begin(m, slot_of(log), true, v);
    plumb_call_int(log, add, v);
    mirror_stamp(m, twin, MIRROR_CALLED);
    concurrent_add(w->c, k, v);
    mirror_stamp(m, twin, MIRROR_RETURNED);
    plumb_ret_none(log);
    mirror_stamp(m, twin, MIRROR_AFTER);
}

static void record_take(const worker *w, concurrent_client *k, plumb_log *log, int take) {
    mirror *m = w->run->mirror;
    mirrored *twin = mirror_begin(m, slot_of(log), false, CONCURRENT_EMPTY);
    plumb_call_none(log, take);
    mirror_stamp(m, twin, MIRROR_CALLED);
    int64_t v = concurrent_remove(w->c, k);
    mirror_result(twin, v);
    mirror_stamp(m, twin, MIRROR_RETURNED);
    if (v == CONCURRENT_EMPTY) plumb_ret_empty(log);
    else plumb_ret_int(log, v);
    mirror_stamp(m, twin, MIRROR_AFTER);
}

static void *work(void *context) {
    worker *w = context;
    const record_run *run = w->run;
    concurrent_client k;
    plumb_log *log = plumb_record_join(run->r);
    int add = plumb_record_method(run->r, "add"), take = plumb_record_method(run->r, "remove");
    concurrent_client_init(&k, run->seed * 64 + w->number);
    int64_t fresh = (int64_t)w->number << 24;
    for (uint32_t i = 0; i < run->operations; i++) {
        if (i < run->inside / run->threads || random_next(&k.random) & 1) record_add(w, &k, log, add, ++fresh);
        else record_take(w, &k, log, take);
    }
    plumb_record_leave(log);
    w->fired = k.fired;
    return NULL;
}

void record_run_all(record_run *run) {
    worker *w = calloc(run->threads, sizeof *w);
    uint32_t nodes = run->d == DEFECT_RACE || run->d == DEFECT_DUPLICATE ? run->operations * run->threads + 1024
                                                                         : run->operations + 1024 * run->threads;
    concurrent *c = concurrent_new(run->lifo, nodes, run->d, run->one_in);
    for (uint32_t i = 0; i < run->threads; i++) {
        w[i] = (worker){.run = run, .c = c, .number = i};
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    run->fired = 0;
    for (uint32_t i = 0; i < run->threads; i++) {
        pthread_join(w[i].thread, NULL);
        run->fired += w[i].fired;
    }
    concurrent_free(c);
    free(w);
}

bool soaking(void) { return getenv("PLUMB_SOAK") && !strcmp(getenv("PLUMB_SOAK"), "1"); }

uint32_t soak_times(uint32_t n) {
    const char *share = getenv("PLUMB_SOAK_SHARE");
    double times = soaking() ? n * (share ? strtod(share, NULL) : 1) : 1;
    return times < 1 ? 1 : (uint32_t)times;
}

uint32_t fewer_if_sanitized(uint32_t n) { return getenv("PLUMB_FEWER") ? (n + 9) / 10 : n; }
