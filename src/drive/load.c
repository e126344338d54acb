#include "drive/load.h"

#include "base/budget.h"
#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <time.h>

#define CONNECT_PAUSE 0.05
enum { VAIN_TRIES = 5, VAIN_DOUBLINGS = 4 };
#define REFUSED_PAUSE 0.005
#define HELD_PAUSE 0.002

typedef struct load_client {
    load *of;
    client_plan plan;
    pthread_t thread;
    uint32_t number, name; /* its place, and what it is called in the history: another one after each unknown outcome */
    service_link *link;
    double due;
    const load_part *part; /* of the load, that `due` was counted in */
    _Atomic bool held;     /* by a fault */
    uint32_t vain;         /* connections that were tried one after the other and did not come about */
} load_client;

struct load {
    load_settings settings;
    double started;
    service *service;
    const object *o;
    reel *reel;
    load_client *client;
    load_counts counts;
    _Atomic int phase;
    _Atomic uint32_t next_name, running, open;
    _Atomic bool answered; /* some client was connected once */
    pthread_mutex_t lock;  /* of `wake` and `trouble` */
    pthread_cond_t wake;
    text trouble;
};

/* ---- waiting ---- */

/* Until then, or until the phase is another one. */
static void pause_until(load *l, double when, int phase) {
    struct timespec t = {.tv_sec = (time_t)when, .tv_nsec = (long)((when - floor(when)) * 1e9)};
    pthread_mutex_lock(&l->lock);
    while (atomic_load(&l->phase) == phase && pthread_cond_timedwait(&l->wake, &l->lock, &t) != ETIMEDOUT) {}
    pthread_mutex_unlock(&l->lock);
}

static void pause_for(load *l, double seconds, int phase) { pause_until(l, clock_seconds() + seconds, phase); }

/* The part of the load that this moment is in. */
static const load_part *part_now(const load *l, double now) {
    const load_settings *s = &l->settings;
    double whole = 0, at = now - l->started;
    for (unsigned i = 0; i < s->parts; i++) whole += s->part[i].seconds;
    assert(s->parts && whole > 0 && at >= 0);
    at = fmod(at, whole);
    unsigned i = 0;
    while (i + 1 < s->parts && at >= s->part[i].seconds) at -= s->part[i++].seconds;
    return &s->part[i];
}

/* Holds, rate and think time: when the next operation of this client is due. */
static void pace(load_client *c) {
    while (atomic_load(&c->held) && atomic_load(&c->of->phase) == LOAD_RUNS) pause_for(c->of, HELD_PAUSE, LOAD_RUNS);
    double now = clock_seconds();
    const load_part *s = part_now(c->of, now);
    if (s != c->part) c->due = 0;
    c->part = s;
    c->plan.reads = s->reads;
    if (s->rate > 0) {
        double step = c->of->settings.plan.clients / s->rate;
        c->due = c->due == 0 ? now + step * plan_chance(&c->plan) : c->due + step;
        if (c->due > now) pause_until(c->of, c->due, LOAD_RUNS);
    }
    if (s->think > 0) pause_for(c->of, -s->think * log(1 - plan_chance(&c->plan)), LOAD_RUNS);
}

/* ---- one operation ---- */

static void note_trouble(load *l, const text *why) {
    pthread_mutex_lock(&l->lock);
    text_clear(&l->trouble);
    text_printable(&l->trouble, text_str(why));
    pthread_mutex_unlock(&l->lock);
}

/* A service that is broken comes back, and is looked for often; where no client was ever connected there may be
 * none. */
static double vain_pause(const load_client *c) {
    const uint32_t doublings = c->vain < VAIN_DOUBLINGS ? c->vain : VAIN_DOUBLINGS;
    return atomic_load(&c->of->answered) ? CONNECT_PAUSE : CONNECT_PAUSE * (1u << doublings);
}

static bool connect_client(load_client *c, int phase) {
    text why = {0};
    load *l = c->of;
    if (!c->link) c->link = l->service->open(l->service, c->number, &why);
    if (c->link) {
        c->vain = 0;
        atomic_store(&l->answered, true);
    } else {
        atomic_fetch_add(&l->counts.unconnected, 1);
        note_trouble(l, &why);
        pause_for(l, vain_pause(c), phase);
        c->vain++;
    }
    text_free(&why);
    return c->link != NULL;
}

static void disconnect(load_client *c) {
    if (c->link) c->of->service->close(c->link);
    c->link = NULL;
}

static void put(load_client *c, reel_kind kind, const operation *op) {
    reel_event e = {.client = c->name, .kind = (uint8_t)kind, .method = op->method, .nargs = op->nargs};
    e.key = op->key;
    e.res = op->res;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) e.arg[a] = op->arg[a];
    reel_put(c->of->reel, &e);
}

/* A client whose operation may still happen goes on under a new name: its old one has an open call for ever. */
static void end_unknown(load_client *c, const operation *op) {
    put(c, REEL_INFO, op);
    atomic_fetch_add(&c->of->counts.unknown, 1);
    c->name = atomic_fetch_add(&c->of->next_name, 1);
    assert(c->name >= c->of->settings.plan.clients); /* no other client's */
    disconnect(c);
}

static void end_failed(load_client *c, const operation *op, bool refused) {
    put(c, REEL_FAIL, op);
    atomic_fetch_add(&c->of->counts.failed, 1);
    if (!refused) return;
    disconnect(c);
    pause_for(c->of, REFUSED_PAUSE, LOAD_RUNS);
}

static void do_operation(load_client *c, operation *op) {
    text why = {0};
    load *l = c->of;
    assert(c->link && op->method < l->o->type->method_count);
    put(c, REEL_CALL, op);
    atomic_fetch_add(&l->counts.calls, 1);
    atomic_fetch_add(&l->open, 1);
    enum plumb_outcome o = l->service->apply(c->link, op, &op->res, &why);
    if (o == PLUMB_OUTCOME_DONE) {
        put(c, REEL_RETURN, op);
        atomic_fetch_add(&l->counts.done, 1);
    } else {
        note_trouble(l, &why);
        if (o == PLUMB_OUTCOME_UNKNOWN) end_unknown(c, op);
        else end_failed(c, op, o == PLUMB_OUTCOME_REFUSED);
    }
    atomic_fetch_sub(&l->open, 1);
    plan_learn(&c->plan, op, o == PLUMB_OUTCOME_DONE);
    text_free(&why);
}

/* ---- a client ---- */

static bool may_call(load *l) {
    uint64_t most = l->settings.operations;
    return atomic_load(&l->phase) == LOAD_RUNS && (!most || atomic_load(&l->counts.calls) < most);
}

static void *run_client(void *context) {
    load_client *c = context;
    load *l = c->of;
    operation op = {0};
    while (may_call(l)) {
        if (!connect_client(c, LOAD_RUNS)) continue;
        pace(c);
        if (!may_call(l)) break;
        plan_next(&c->plan, &op);
        do_operation(c, &op);
    }
    atomic_fetch_sub(&l->running, 1);
    while (atomic_load(&l->phase) == LOAD_RUNS) pause_for(l, 1, LOAD_RUNS); /* all end the load together */
    while (atomic_load(&l->phase) == LOAD_QUIET) {
        if (!connect_client(c, LOAD_QUIET)) continue;
        if (!plan_last(&c->plan, &op)) break;
        do_operation(c, &op);
    }
    atomic_fetch_sub(&l->running, 1);
    disconnect(c);
    return NULL;
}

load *load_start(const load_settings *s, service *sv, const object *o, reel *t) {
    load *l = MEM_NEW(load);
    pthread_condattr_t monotonic;
    *l = (load){.settings = *s, .service = sv, .o = o, .reel = t};
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->wake, &monotonic);
    l->started = clock_seconds();
    if (!s->parts) {
        l->settings.part[0] = (load_part){.seconds = 1, .reads = s->plan.reads, .rate = s->rate, .think = s->think};
        l->settings.parts = 1;
    }
    l->client = mem_zero(s->plan.clients, sizeof *l->client);
    atomic_store(&l->next_name, s->plan.clients);
    atomic_store(&l->running, 2 * s->plan.clients); /* of the load, and of the quiet end */
    for (uint32_t i = 0; i < s->plan.clients; i++) {
        load_client *c = &l->client[i];
        c->of = l;
        c->number = c->name = i;
        plan_open(&c->plan, o, &l->settings.plan, sv->values, i);
    }
    for (uint32_t i = 0; i < s->plan.clients; i++)
        if (pthread_create(&l->client[i].thread, NULL, run_client, &l->client[i])) mem_exhausted("threads");
    return l;
}

void load_phase_set(load *l, load_phase p) {
    pthread_mutex_lock(&l->lock);
    atomic_store(&l->phase, p);
    pthread_cond_broadcast(&l->wake);
    pthread_mutex_unlock(&l->lock);
}

void load_hold(load *l, uint32_t client, bool held) {
    assert(client < l->settings.plan.clients);
    atomic_store(&l->client[client].held, held);
}

bool load_has_ended(const load *l) {
    uint32_t left = atomic_load(&l->phase) == LOAD_RUNS ? l->settings.plan.clients : 0;
    return atomic_load(&l->running) <= left;
}

bool load_is_in_vain(const load *l) {
    return !atomic_load(&l->answered) &&
           atomic_load(&l->counts.unconnected) >= (uint64_t)VAIN_TRIES * l->settings.plan.clients;
}

const load_counts *load_counted(const load *l) { return &l->counts; }
uint32_t load_open(const load *l) { return atomic_load(&l->open); }

void load_last_trouble(load *l, text *out) {
    pthread_mutex_lock(&l->lock);
    text_add(out, text_str(&l->trouble));
    pthread_mutex_unlock(&l->lock);
}

void load_end(load *l) {
    if (!l) return;
    assert(atomic_load(&l->phase) != LOAD_RUNS);
    for (uint32_t i = 0; i < l->settings.plan.clients; i++) {
        pthread_join(l->client[i].thread, NULL);
        plan_close(&l->client[i].plan);
    }
    assert(!atomic_load(&l->open) && !atomic_load(&l->running));
    assert(l->counts.done + l->counts.failed + l->counts.unknown == l->counts.calls); /* every call has one end */
    text_free(&l->trouble);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->wake);
    FREE_ALL(l->client, l);
}
