#include "runtime/verifier.h"

#include "base/mem.h"
#include "runtime/worker.h"

#include <plumbline/verify.h>

#include <assert.h>
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
                                      .memory = c.memory};
    pthread_mutex_unlock(&v->worker.lock);
}

static void raise_alarm(plumb_verifier *v) {
    assert(v->watch.verdict == VERDICT_VIOLATION && v->watch.state == WATCH_OVER);
    uint64_t one = 1;
    error ignored = {0};
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
