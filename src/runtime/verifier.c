#include "runtime/verifier.h"

#include "base/mem.h"
#include "base/probe.h"
#include "runtime/metrics.h"
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
    error error;
    char reason[480];
};

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
                                      .behind = c.behind};
    pthread_mutex_unlock(&v->worker.lock);
}

static void raise_alarm(plumb_verifier *v) {
    assert(v->watch.verdict == VERDICT_VIOLATION && v->watch.state == WATCH_OVER);
    uint64_t one = 1;
    error ignored = {0};
    PROBE(violation, (uintptr_t)watch_reason(&v->watch), v->watch.counts.checked);
    if (v->options.witness) watch_write_witness(&v->watch, v->options.witness, &ignored);
    if (v->options.alarm) {
        plumb_verify_status s = {.struct_size = sizeof s};
        plumb_verify_look(v, &s);
        v->options.alarm(v->options.context, &s, watch_reason(&v->watch));
    }
    if (v->fd >= 0 && write(v->fd, &one, sizeof one) < 0) v->fd = -1;
}

static plumb_verdict verdict_now(const plumb_verifier *v) {
    if (v->watch.verdict == VERDICT_VIOLATION) return PLUMB_VIOLATION;
    return v->watch.verdict == VERDICT_UNDECIDED || v->watch.doubtful ? PLUMB_UNDECIDED : PLUMB_LINEARIZABLE;
}

enum { LOOK_EVERY = 64 };

static void *verify(void *context) {
    plumb_verifier *v = context;
    bool alarmed = false;
    for (;;) {
        bool last = worker_should_stop(&v->worker);
        uint64_t events = watch_round(&v->watch);
        if (events < VERIFIER_FEW_EVENTS) watch_settle(&v->watch);
        if (v->watch.counts.rounds % LOOK_EVERY == 0 || (v->watch.verdict == VERDICT_VIOLATION && !alarmed))
            publish_status(v, verdict_now(v));
        if (v->watch.verdict == VERDICT_VIOLATION && !alarmed) {
            alarmed = true;
            raise_alarm(v);
        }
        if (last && !events) break;
        if (!last && watch_may_sleep(&v->watch, events)) usleep(v->options.pause);
    }
    return NULL;
}

/* ---- front door ---- */

static bool start(plumb_verifier *v) {
    if (v->error.code) return false;
    if (v->r->error.code) return error_set(&v->error, v->r->error.code, "%s", v->r->error.what);
    checker_options how = {.max_lag = v->options.max_lag};
    v->watching = true;
    if (!watch_init(&v->watch, &v->r->shared, &how))
        return error_set(&v->error, EXIT_USAGE, "%s", watch_reason(&v->watch));
    v->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return worker_start(&v->worker, verify, v) ||
           error_set(&v->error, EXIT_INTERNAL, "cannot start the verifier's thread");
}

plumb_verifier *plumb_verify_start(plumb_recorder *r, const plumb_verify_options *given) {
    plumb_verifier *v = MEM_NEW(plumb_verifier);
    v->r = r;
    v->fd = -1;
    v->started = time(NULL);
    worker_init(&v->worker);
    options_have_size(given, "plumb_verify_start", &v->error);
    take_sized(&v->options, given, sizeof v->options);
    if (!v->options.max_lag) v->options.max_lag = VERIFIER_MAX_LAG;
    if (!v->options.pause) v->options.pause = VERIFIER_PAUSE;
    if (!start(v)) v->status.verdict = PLUMB_ERROR;
    return v;
}

void plumb_verify_look(plumb_verifier *v, plumb_verify_status *out) {
    worker_tell(&v->worker, out, &v->status, sizeof v->status);
}

/* An error is no verdict: nothing is judged. */
static metrics metrics_of(const plumb_verifier *v, const plumb_verify_status *s, const char *source) {
    return (metrics){.object = v->watching && v->watch.o ? v->watch.o->name : "",
                     .source = source ? source : "",
                     .verdict = s->verdict == PLUMB_ERROR ? VERDICT_UNDECIDED : (verdict)s->verdict,
                     .checked = s->checked,
                     .dark = s->dark,
                     .skipped = s->skipped,
                     .grey = s->grey,
                     .excused = s->excused,
                     .dark_periods = s->dark_periods,
                     .violations = s->verdict == PLUMB_VIOLATION,
                     .open = s->open,
                     .lag = s->behind,
                     .memory = s->memory,
                     .started = v->started};
}

size_t plumb_verify_metrics(plumb_verifier *v, const char *source, char *out, size_t room) {
    plumb_verify_status s = {.struct_size = sizeof s};
    text page = {0};
    plumb_verify_look(v, &s);
    metrics m = metrics_of(v, &s, source);
    pthread_mutex_lock(&v->worker.lock);
    m.rate = metrics_rate_now(&v->rate, s.checked, clock_seconds());
    pthread_mutex_unlock(&v->worker.lock);
    metrics_print(&m, &page);
    size_t size = page.size;
    if (room) snprintf(out, room, "%s", text_str(&page));
    text_free(&page);
    return size;
}

int plumb_verify_fd(const plumb_verifier *v) { return v->fd; }

plumb_verdict plumb_verify_stop(plumb_verifier *v) {
    if (!worker_stop(&v->worker)) return v->status.verdict;
    plumb_verdict found = (plumb_verdict)watch_verdict(&v->watch);
    publish_status(v, found);
    reader_leave(&v->watch.reader);
    return found;
}

const char *plumb_verify_reason(const plumb_verifier *v) {
    return v->error.code ? v->error.what : v->watching ? watch_reason(&v->watch) : "";
}

void plumb_verify_free(plumb_verifier *v) {
    if (!v) return;
    plumb_verify_stop(v);
    if (v->watching) watch_free(&v->watch);
    if (v->fd >= 0) close(v->fd);
    worker_free(&v->worker);
    free(v);
}
