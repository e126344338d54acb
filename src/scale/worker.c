#include "scale/worker.h"

#include "base/budget.h"
#include "base/mem.h"
#include "remote/blobs.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAKE_MILLISECONDS = 500, KEEP_MILLISECONDS = 250, NOTE_EVERY = 12 };
#define SERVER_SECONDS 120.0
#define LEAVE_SECONDS 3.0
#define GRACE_SECONDS 20.0 /* of a unit that has a limit, beyond it */

typedef struct worker worker;

typedef struct worker_slot {
    worker *w;
    cluster c;
    runner *r;
    pthread_t thread, keeper;
    pthread_mutex_t lock; /* of what is below, and of the connection while a unit is worked on */
    bool holds, ended;
    transport_message held;
    char run[64];
    _Atomic int stop_unit;  /* its run is over, or it is abandoned */
    _Atomic bool abandoned; /* this worker leaves, and the servers do not answer: no one would get the result */
} worker_slot;

struct worker {
    const worker_settings *s;
    char name[48];
    worker_slot *slot;
    double started;
    _Atomic uint64_t busy, done, died, worked_microseconds;
    _Atomic double last_unit;
};

/* ---- notes ---- */

void worker_note_pack(const worker_note *n, text *out) {
    pack_bytes(out, n->name, strlen(n->name));
    wire_add(out, n->slots, 8);
    wire_add(out, n->busy, 8);
    wire_add(out, n->done, 8);
    wire_add(out, n->died, 8);
    pack_real(out, n->up);
    pack_real(out, n->worked);
}

bool worker_note_unpack(const void *p, size_t n, worker_note *out) {
    wire_reader r = {.p = p, .left = n};
    *out = (worker_note){0};
    unpack_name(&r, out->name, sizeof out->name);
    out->slots = wire_number(&r, 8);
    out->busy = wire_number(&r, 8);
    out->done = wire_number(&r, 8);
    out->died = wire_number(&r, 8);
    out->up = unpack_real(&r);
    out->worked = unpack_real(&r);
    return wire_is_done(&r);
}

static void tell_alive(worker *w, cluster *c) {
    text out = {0};
    char why[TRANSPORT_WHY];
    worker_note n = {.slots = w->s->slots, .busy = w->busy, .done = w->done, .died = w->died};
    snprintf(n.name, sizeof n.name, "%s", w->name);
    n.up = clock_seconds() - w->started;
    n.worked = (double)w->worked_microseconds / 1e6;
    worker_note_pack(&n, &out);
    c->type->be_alive(c->t, w->name, out.at, out.size, why);
    text_free(&out);
}

/* ---- stopping ---- */

static bool told_to_stop(const worker *w) {
    if (w->s->stop && atomic_load(w->s->stop)) return true;
    if (w->s->units && atomic_load(&w->done) >= w->s->units) return true;
    return w->s->idle > 0 && !atomic_load(&w->busy) && clock_seconds() - atomic_load(&w->last_unit) > w->s->idle;
}

static void nap(int milliseconds) {
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L}, NULL);
}

/* ---- keeping a unit while it is worked on ---- */

/* DONE: it goes on; NOTHING: it is over. */
static transport_answer ask_for_run(cluster *c, const char *run) {
    char key[96], why[TRANSPORT_WHY];
    transport_message m;
    run_key(run, key);
    const transport_answer a = c->type->get(c->t, key, &m, why);
    if (a == TRANSPORT_DONE) c->type->release(c->t, &m);
    return a;
}

static bool run_is_over(cluster *c, const char *run) { return ask_for_run(c, run) == TRANSPORT_NOTHING; }

static bool leaves(const worker *w) { return w->s->stop && atomic_load(w->s->stop); }

/* What was begun is finished before a worker leaves, unless there is no server to tell. */
static void look_after(worker_slot *s) {
    const transport_answer a = ask_for_run(&s->c, s->run);
    const bool in_vain = a == TRANSPORT_ERROR && leaves(s->w);
    if (in_vain) atomic_store(&s->abandoned, true);
    if (in_vain || a == TRANSPORT_NOTHING) atomic_store(&s->stop_unit, 1);
}

static void *keep(void *context) {
    worker_slot *s = context;
    char why[TRANSPORT_WHY];
    const double lease = s->w->s->to.lease > 0 ? s->w->s->to.lease : LEASE_SECONDS;
    double next = 0;
    for (bool ended = false; !ended; nap(KEEP_MILLISECONDS / 5)) {
        pthread_mutex_lock(&s->lock);
        if (s->holds && clock_seconds() >= next) {
            s->c.type->extend(s->c.t, &s->held, why);
            look_after(s);
            next = clock_seconds() + lease / 4;
        }
        ended = s->ended;
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

static void hold(worker_slot *s, const transport_message *m, const char *run) {
    pthread_mutex_lock(&s->lock);
    s->holds = true;
    s->held = *m;
    snprintf(s->run, sizeof s->run, "%s", run);
    atomic_store(&s->stop_unit, 0);
    atomic_store(&s->abandoned, false);
    pthread_mutex_unlock(&s->lock);
}

static void let_go(worker_slot *s) {
    pthread_mutex_lock(&s->lock);
    s->holds = false;
    pthread_mutex_unlock(&s->lock);
}

/* ---- one unit ---- */

static void say(const worker *w, const unit *u, const char *what) {
    text line = {0};
    if (w->s->quiet) return;
    text_printf(&line, "%s/%s ", u->run, u->id);
    text_printable(&line, u->label);
    fprintf(stderr, "%s: %s\n", text_str(&line), what);
    text_free(&line);
}

static bool give_contents(worker_slot *s, const unit *u, error *e) {
    text bytes = {0};
    bool good = true;
    for (unsigned i = 0; good && i < u->blobs; i++) {
        if (runner_has(s->r, u->blob[i])) continue;
        good = blob_get(s->c.type, s->c.t, u->blob[i], &bytes, e);
        if (good) runner_give(s->r, u->blob[i], text_str(&bytes), bytes.size);
    }
    text_free(&bytes);
    return good;
}

/* A server that is gone may come back; a worker that is to leave does not wait for that. */
static bool gives_up(const worker *w, double since) {
    return clock_seconds() - since > (leaves(w) ? LEAVE_SECONDS : SERVER_SECONDS);
}

/* Kept once, or the unit stays unacknowledged: another worker will do it. */
static bool keep_result(worker_slot *s, const unit *u, result_state how, double seconds, const text *body) {
    unit_result r = {.state = how, .seconds = seconds};
    char log[96], why[TRANSPORT_WHY];
    text out = {0};
    bool kept = false;
    memcpy(r.id, u->id, sizeof r.id);
    snprintf(r.worker, sizeof r.worker, "%s", s->w->name);
    result_pack(&r, text_str(body), body->size, &out);
    run_log(u->run, log);
    for (const double since = clock_seconds(); !kept && !gives_up(s->w, since);) {
        kept = s->c.type->append(s->c.t, log, out.at, out.size, NULL, why) == TRANSPORT_DONE;
        if (!kept) nap(200);
    }
    text_free(&out);
    return kept;
}

static void finish(worker_slot *s, const unit *u, transport_message *m, result_state how, double seconds,
                   const text *body) {
    char why[TRANSPORT_WHY];
    if (keep_result(s, u, how, seconds, body)) s->c.type->acknowledge(s->c.t, m, why);
}

static void set_aside(worker_slot *s, const unit *u, transport_message *m) {
    text why = {0};
    text_printf(&why, "%d workers died of it or did not come back", UNIT_TRIES);
    say(s->w, u, "set aside");
    finish(s, u, m, RESULT_SET_ASIDE, 0, &why);
    text_free(&why);
}

/* What came of it, when something did; false: it goes back. */
static bool take_end(worker_slot *s, const unit *u, transport_message *m, runner_end end, double seconds, text *out) {
    char why[TRANSPORT_WHY];
    switch (end) {
    case RUNNER_DONE: finish(s, u, m, RESULT_DONE, seconds, out); return true;
    case RUNNER_REFUSED: finish(s, u, m, RESULT_REFUSED, seconds, out); return true;
    case RUNNER_STOPPED:
        if (atomic_load(&s->abandoned)) break;
        s->c.type->acknowledge(s->c.t, m, why); /* its run is over */
        return true;
    case RUNNER_DIED:
        atomic_fetch_add(&s->w->died, 1);
        say(s->w, u, text_str(out));
        break;
    }
    s->c.type->give_back(s->c.t, m, why);
    return false;
}

static void work_on(worker_slot *s, const unit *u, transport_message *m) {
    text out = {0};
    error e = {0};
    const double began = clock_seconds();
    runner_end end = RUNNER_REFUSED;
    if (give_contents(s, u, &e)) {
        hold(s, m, u->run);
        const double most = u->seconds > 0 ? u->seconds + GRACE_SECONDS : 0;
        end = runner_work(s->r, m->bytes, m->size, most, &s->stop_unit, &out);
        let_go(s);
    } else {
        text_printf(&out, "%d %s", e.code, e.what);
    }
    const double seconds = clock_seconds() - began;
    if (take_end(s, u, m, end, seconds, &out)) {
        atomic_fetch_add(&s->w->done, 1);
        atomic_fetch_add(&s->w->worked_microseconds, (uint64_t)(seconds * 1e6));
    }
    text_free(&out);
}

static void take_one(worker_slot *s, transport_message *m) {
    char why[TRANSPORT_WHY];
    unit u;
    atomic_fetch_add(&s->w->busy, 1);
    if (!unit_unpack(m->bytes, m->size, &u) || !cluster_is_name(u.run)) s->c.type->acknowledge(s->c.t, m, why);
    else if (run_is_over(&s->c, u.run)) s->c.type->acknowledge(s->c.t, m, why);
    else if (m->deliveries > UNIT_TRIES) set_aside(s, &u, m);
    else work_on(s, &u, m);
    atomic_store(&s->w->last_unit, clock_seconds());
    atomic_fetch_sub(&s->w->busy, 1);
}

static void *serve(void *context) {
    worker_slot *s = context;
    char why[TRANSPORT_WHY];
    while (!told_to_stop(s->w)) {
        transport_message m;
        const transport_answer a = s->c.type->take_unit(s->c.t, TAKE_MILLISECONDS, &m, why);
        if (a == TRANSPORT_ERROR) nap(200);
        if (a != TRANSPORT_DONE) continue;
        take_one(s, &m);
        s->c.type->release(s->c.t, &m);
    }
    return NULL;
}

/* ---- all of it ---- */

static bool start_slot(worker *w, worker_slot *s, error *e) {
    s->w = w;
    if (!cluster_open(&s->c, &w->s->to, e)) return false;
    s->r = runner_new(&w->s->how);
    pthread_mutex_init(&s->lock, NULL);
    pthread_create(&s->keeper, NULL, keep, s);
    pthread_create(&s->thread, NULL, serve, s);
    return true;
}

static void end_slot(worker_slot *s) {
    pthread_join(s->thread, NULL);
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->keeper, NULL);
    runner_free(s->r);
    cluster_close(&s->c);
    pthread_mutex_destroy(&s->lock);
}

static void name_worker(worker *w) {
    char host[30] = "host";
    gethostname(host, sizeof host - 1);
    for (char *p = host; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *p)) *p = '-';
    snprintf(w->name, sizeof w->name, "%s-%ld", host, (long)getpid());
}

bool worker_run(const worker_settings *s, error *e) {
    worker w = {.s = s, .started = clock_seconds()};
    cluster own;
    unsigned started = 0;
    assert(s->slots);
    if (!cluster_open(&own, &s->to, e)) return false;
    name_worker(&w);
    atomic_store(&w.last_unit, clock_seconds());
    w.slot = mem_zero(s->slots, sizeof *w.slot);
    while (started < s->slots && start_slot(&w, &w.slot[started], e)) started++;
    if (!s->quiet && started == s->slots) fprintf(stderr, "worker %s is ready\n", w.name);
    for (unsigned i = 0; started == s->slots && !told_to_stop(&w); i++, nap(KEEP_MILLISECONDS))
        if (i % NOTE_EVERY == 0) tell_alive(&w, &own);
    for (unsigned i = 0; i < started; i++) end_slot(&w.slot[i]);
    free(w.slot);
    cluster_close(&own);
    return started == s->slots;
}
