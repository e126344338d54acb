#include "runtime/verifier.h"

#include "base/mem.h"
#include "base/probe.h"
#include "runtime/metrics.h"
#include "base/pool.h"
#include "runtime/worker.h"

#include <plumbline/verify.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- the thread ---- */

_Static_assert((int)PLUMB_LINEARIZABLE == (int)VERDICT_LINEARIZABLE && (int)PLUMB_VIOLATION == (int)VERDICT_VIOLATION &&
                   (int)PLUMB_UNDECIDED == (int)VERDICT_UNDECIDED,
               "verdicts of the library are those of its interface");

struct plumb_verifier {
    plumb_recorder *r;
    plumb_verify_options options;
    watch watch;
    background_thread worker;
    plumb_verify_status status; /* under its lock */
    int fd;
    bool watching;
    time_t started;
    metrics_rate rate; /* under the lock, too */
    bool exhausted;    /* memory ran out while it watched: the pool is empty, `watch` of no use */
    mem_pool pool;     /* of what it watches with; the thread's while that runs */
    error error;
};

/* What is handed out when there is no memory for anything. It is never written to. */
static const plumb_verifier nothing = {.fd = -1,
                                       .error = {.code = EXIT_INTERNAL, .what = "out of memory in plumb_verify_start"},
                                       .status = {.verdict = PLUMB_ERROR}};

static void publish_status(plumb_verifier *v, plumb_verdict now) {
    watch_counts c;
    watch_look(&v->watch, &c);
    pthread_mutex_lock(&v->worker.lock);
    v->status = (plumb_verify_status){.verdict = now,
                                      .checked = c.checked,
                                      .dark = c.dark,
                                      .skipped = c.skipped,
                                      .grey = c.grey,
                                      .excused = c.excused,
                                      .dark_periods = c.darkenings,
                                      .open = c.open,
                                      .rounds = c.rounds,
                                      .memory = c.memory,
                                      .behind = c.behind,
                                      .violations = v->watch.violations,
                                      .sample = watch_sample(&v->watch)};
    pthread_mutex_unlock(&v->worker.lock);
}

static void write_witness(void *argument) {
    plumb_verifier *v = argument;
    error ignored = {0};
    watch_write_witness(&v->watch, v->options.witness, &ignored);
}

static plumb_verdict verdict_now(const plumb_verifier *v) {
    if (v->watch.violations) return PLUMB_VIOLATION;
    return v->watch.verdict == VERDICT_UNDECIDED || v->watch.doubtful ? PLUMB_UNDECIDED : PLUMB_LINEARIZABLE;
}

static void raise_alarm(watch *w, void *context) {
    plumb_verifier *v = context;
    assert(w == &v->watch && w->check->verdict == VERDICT_VIOLATION);
    uint64_t one = 1;
    publish_status(v, verdict_now(v));
    PROBE(violation, (uintptr_t)watch_reason(w), w->counts.checked);
    if (v->options.witness && w->violations == 1)
        pool_try(write_witness, v); /* without memory for it, the violation is still one */
    if (v->options.alarm) {
        plumb_verify_status s = {.struct_size = sizeof s};
        plumb_verify_look(v, &s);
        v->options.alarm(v->options.context, &s, watch_reason(&v->watch));
    }
    if (v->fd >= 0 && write(v->fd, &one, sizeof one) < 0) v->fd = -1;
}

enum { LOOK_EVERY = 64 };

/* What was found before memory ran out stays found; nothing else is known. */
static void stop_watching(plumb_verifier *v) {
    const bool violation = v->watch.violations > 0;
    ring_reader reader = v->watch.reader;
    v->exhausted = true;
    v->watch = (watch){.m = v->watch.m, .reader = reader, .verdict = v->watch.verdict};
    reader_leave(&v->watch.reader);
    error_set(&v->error, EXIT_INTERNAL, "out of memory in the verifier%s",
              violation ? ", after it had found a violation" : ": what came after it was not judged");
    pthread_mutex_lock(&v->worker.lock);
    v->status.verdict = violation ? PLUMB_VIOLATION : PLUMB_UNDECIDED;
    v->status.memory = 0;
    pthread_mutex_unlock(&v->worker.lock);
}

static void verify(void *context) {
    plumb_verifier *v = context;
    for (;;) {
        bool last = worker_should_stop(&v->worker);
        uint64_t events = watch_round(&v->watch);
        if (events < VERIFIER_FEW_EVENTS) watch_settle(&v->watch);
        if (v->watch.counts.rounds % LOOK_EVERY == 0) publish_status(v, verdict_now(v));
        if (last && !events) break;
        if (!last && watch_may_sleep(&v->watch, events)) usleep(v->options.pause);
    }
}

static void *run_thread(void *context) {
    plumb_verifier *v = context;
    if (!pool_run(&v->pool, verify, v)) stop_watching(v);
    return NULL;
}

/* ---- front door ---- */

static void begin_watching(void *argument) {
    plumb_verifier *v = argument;
    checker_options how = {.max_lag = v->options.max_lag};
    v->watching = true;
    v->watch.reader.seat = READER_NO_SEAT;
    if (!watch_init(&v->watch, &v->r->shared, &how)) {
        error_set(&v->error, EXIT_USAGE, "%s", watch_reason(&v->watch));
        return;
    }
    v->watch.found = raise_alarm;
    v->watch.context = v;
    v->watch.go_on = v->options.go_on;
    v->watch.adapt = v->options.adapt;
    if (v->options.adapt && !watch_can_adapt(&v->watch))
        error_set(&v->error, EXIT_USAGE,
                  "plumb_verify_start: object %s has no keys that can be left out; adapt is for "
                  "kv and set",
                  v->watch.o->name);
}

static bool start(plumb_verifier *v) {
    if (v->error.code) return false;
    if (v->r->error.code) return error_set(&v->error, v->r->error.code, "%s", v->r->error.what);
    if (!pool_run(&v->pool, begin_watching, v)) {
        reader_leave(&v->watch.reader);
        v->watching = false;
        return error_set(&v->error, EXIT_INTERNAL, "out of memory in plumb_verify_start");
    }
    if (v->error.code) return false;
    v->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return worker_start(&v->worker, run_thread, v) ||
           error_set(&v->error, EXIT_INTERNAL, "cannot start the verifier's thread");
}

plumb_verifier *plumb_verify_start(plumb_recorder *r, const plumb_verify_options *given) {
    plumb_verifier *v = mem_shell(sizeof *v);
    if (!v) return (plumb_verifier *)(uintptr_t)&nothing;
    v->r = r;
    v->fd = -1;
    v->started = time(NULL);
    pool_init(&v->pool);
    worker_init(&v->worker);
    if (!r) call_misuse(&v->error, "plumb_verify_start: the recorder is NULL");
    options_have_size(given, "plumb_verify_start", &v->error);
    take_sized(&v->options, given, sizeof v->options);
    if (!v->options.max_lag) v->options.max_lag = VERIFIER_MAX_LAG;
    if (!v->options.pause) v->options.pause = VERIFIER_PAUSE;
    if (!start(v)) v->status.verdict = PLUMB_ERROR;
    return v;
}

/* False: misuse. */
static bool is_verifier(const plumb_verifier *v, const char *call) {
    return v || call_misuse(NULL, "%s: the verifier is NULL; expected what plumb_verify_start returned", call);
}

void plumb_verify_look(plumb_verifier *v, plumb_verify_status *out) {
    if (!is_verifier(v, "plumb_verify_look") || !status_has_size(out, "plumb_verify_look", NULL)) return;
    if (v == &nothing) give_sized(out, &v->status, sizeof v->status);
    else worker_tell(&v->worker, out, &v->status, sizeof v->status);
}

/* An error is no verdict: nothing is judged. The object's name is the recorder's, which outlives this. */
static metrics metrics_of(const plumb_verifier *v, const plumb_verify_status *s, const char *source) {
    return (metrics){.object = v->r && v->r->shared.header ? v->r->shared.header->object : "",
                     .source = source ? source : "",
                     .verdict = s->verdict == PLUMB_ERROR ? VERDICT_UNDECIDED : (verdict)s->verdict,
                     .checked = s->checked,
                     .dark = s->dark,
                     .skipped = s->skipped,
                     .grey = s->grey,
                     .excused = s->excused,
                     .dark_periods = s->dark_periods,
                     .violations = s->violations,
                     .sample = s->sample,
                     .open = s->open,
                     .lag = s->behind,
                     .memory = s->memory,
                     .started = v->started};
}

typedef struct metrics_request {
    metrics m;
    char *out;
    size_t room, size;
} metrics_request;

static void print_metrics(void *argument) {
    metrics_request *q = argument;
    text page = {0};
    metrics_print(&q->m, &page);
    q->size = page.size;
    if (q->room) snprintf(q->out, q->room, "%s", text_str(&page));
    text_free(&page);
}

size_t plumb_verify_metrics(plumb_verifier *v, const char *source, char *out, size_t room) {
    plumb_verify_status s = {.struct_size = sizeof s};
    mem_pool pool;
    if (room && !out) {
        call_misuse(NULL, "plumb_verify_metrics: no place for %zu bytes", room);
        return 0;
    }
    if (room) *out = 0;
    if (!is_verifier(v, "plumb_verify_metrics")) return 0;
    plumb_verify_look(v, &s);
    metrics_request q = {.m = metrics_of(v, &s, source), .out = out, .room = room};
    if (v != &nothing) {
        pthread_mutex_lock(&v->worker.lock);
        q.m.rate = metrics_rate_now(&v->rate, s.checked, clock_seconds());
        pthread_mutex_unlock(&v->worker.lock);
    }
    pool_init(&pool);
    return pool_run(&pool, print_metrics, &q) ? q.size : 0;
}

int plumb_verify_fd(const plumb_verifier *v) { return is_verifier(v, "plumb_verify_fd") ? v->fd : -1; }

static void judge_the_rest(void *argument) {
    plumb_verifier *v = argument;
    publish_status(v, (plumb_verdict)watch_verdict(&v->watch));
    reader_leave(&v->watch.reader);
}

plumb_verdict plumb_verify_stop(plumb_verifier *v) {
    if (!is_verifier(v, "plumb_verify_stop")) return PLUMB_ERROR;
    if (v == &nothing || !worker_stop(&v->worker) || v->exhausted) return v->status.verdict;
    if (!pool_run(&v->pool, judge_the_rest, v)) stop_watching(v);
    return v->status.verdict;
}

const char *plumb_verify_reason(const plumb_verifier *v) {
    if (!is_verifier(v, "plumb_verify_reason")) return "plumb_verify_reason: the verifier is NULL";
    return v->error.code ? v->error.what : v->watching ? watch_reason(&v->watch) : "";
}

static void free_watch(void *w) { watch_free(w); }

void plumb_verify_free(plumb_verifier *v) {
    if (!v || v == &nothing) return;
    plumb_verify_stop(v);
    if (v->watching && !v->exhausted) pool_run(&v->pool, free_watch, &v->watch);
    assert(v->pool.lost || pool_is_empty(&v->pool));
    pool_drop(&v->pool);
    if (v->fd >= 0) close(v->fd);
    worker_free(&v->worker);
    mem_foreign_free(v);
}
