#include "drive/faults.h"

#include "base/budget.h"
#include "base/mem.h"
#include "base/random.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define ANSWER_SECONDS 60

typedef struct fault_row {
    const char *name;
    enum fault_kind kind;
    bool of_clients;
} fault_row;

static const fault_row rows[] = {{"kill", FAULT_KILL, false},
                                 {"pause", FAULT_PAUSE, false},
                                 {"kill-client", FAULT_KILL_CLIENT, true},
                                 {"pause-client", FAULT_PAUSE_CLIENT, true},
                                 {"partition", FAULT_PARTITION, false},
                                 {"partition-one-way", FAULT_ONE_WAY, false}};
enum { ROWS = sizeof rows / sizeof *rows, LINK_FAULTS = FAULT_PARTITION | FAULT_ONE_WAY };

struct faults {
    faults_settings settings;
    service *service;
    reel *reel;
    random_source random;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop;
    _Atomic uint32_t count;
    text trouble; /* of the thread; read when it has ended */
};

/* ---- words ---- */

static const fault_row *find_row(const char *word, size_t n) {
    for (unsigned i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == n && !strncmp(rows[i].name, word, n)) return &rows[i];
    return NULL;
}

static bool may_do(const fault_row *r, const service *s, error *e) {
    if (r->of_clients && !s->settings.clients_die)
        return error_set(e, EXIT_USAGE, "fault %s is for --exec: clients of drivers are threads of plumb", r->name);
    if (!r->of_clients && !s->nodes)
        return error_set(e, EXIT_USAGE, "fault %s needs servers that plumb drive started; there are none", r->name);
    if (r->kind & LINK_FAULTS && s->nodes < 2)
        return error_set(e, EXIT_USAGE, "fault %s needs at least two nodes; expected --nodes N", r->name);
    return true;
}

bool faults_need_network(const char *words) {
    for (const char *p = words; p && *p;) {
        size_t n = strcspn(p, ",");
        const fault_row *r = find_row(p, n);
        if (r && r->kind & LINK_FAULTS) return true;
        p += n + (p[n] == ',');
    }
    return false;
}

bool faults_parse(const char *words, const service *s, unsigned *kinds, error *e) {
    *kinds = 0;
    for (const char *p = words; p && *p;) {
        size_t n = strcspn(p, ",");
        const fault_row *r = find_row(p, n);
        if (!r)
            return error_set(e, EXIT_USAGE,
                             "fault '%.*s'; expected some of kill, pause, partition, partition-one-way, kill-client, "
                             "pause-client",
                             (int)n, p);
        if (!may_do(r, s, e)) return false;
        *kinds |= r->kind;
        p += n + (p[n] == ',');
    }
    return true;
}

/* ---- waiting ---- */

/* False: it is over. */
static bool rest(faults *f, double seconds) {
    double when = clock_seconds() + seconds;
    struct timespec t = {.tv_sec = (time_t)when, .tv_nsec = (long)((when - floor(when)) * 1e9)};
    pthread_mutex_lock(&f->lock);
    while (!f->stop && pthread_cond_timedwait(&f->wake, &f->lock, &t) != ETIMEDOUT) {}
    bool go_on = !f->stop;
    pthread_mutex_unlock(&f->lock);
    return go_on;
}

static double around(faults *f, double seconds) {
    return seconds * (0.5 + (double)random_below(&f->random, 1000) / 1000);
}

/* ---- one fault ---- */

static const fault_row *choose_row(faults *f) {
    const fault_row *chosen = NULL;
    uint32_t n = 0;
    for (unsigned i = 0; i < ROWS; i++)
        if (f->settings.kinds & rows[i].kind && random_below(&f->random, ++n) == 0) chosen = &rows[i];
    assert(chosen);
    return chosen;
}

static bool node_again(faults *f, uint32_t node, text *why) {
    return keeper_again(f->service->keeper, node, why) && service_wait(f->service, node, ANSWER_SECONDS, why);
}

/* What began is ended again, whatever happened in between. Programs of clients that were killed are started again by
 * the load. */
static bool heal(faults *f, const fault_row *r, unsigned slot, text *why) {
    switch (r->kind) {
    case FAULT_KILL: return node_again(f, slot, why);
    case FAULT_PAUSE: return keeper_signal(f->service->keeper, slot, SIGCONT, why);
    case FAULT_PAUSE_CLIENT: keeper_signal(f->service->keeper, slot, SIGCONT, NULL); break; /* it may have been ended */
    case FAULT_KILL_CLIENT: break;
    case FAULT_PARTITION:
    case FAULT_ONE_WAY: return keeper_join(f->service->keeper, why);
    }
    return true;
}

/* The nodes of the set, or the others. */
static void add_nodes(const faults *f, unsigned set, text *out) {
    for (uint32_t n = 0; n < f->service->nodes; n++)
        if (set >> n & 1) text_printf(out, " n%u", n + 1);
}

static void note_fault(faults *f, const fault_row *r, unsigned target, int64_t begun) {
    text said = {0};
    text_add(&said, r->name);
    if (r->kind & LINK_FAULTS) {
        add_nodes(f, target, &said);
        text_add(&said, r->kind == FAULT_ONE_WAY ? " ->" : " |");
        add_nodes(f, ~target, &said);
    } else {
        text_printf(&said, r->of_clients ? " %u" : " n%u", target + !r->of_clients);
    }
    reel_event e = {.kind = REEL_NOTE, .time = begun, .until = reel_now(f->reel)};
    e.res = value_bytes(f->service->values, said.at, said.size);
    reel_put(f->reel, &e);
    text_free(&said);
}

/* Nodes of the set are not heard by the others any more, and in a partition do not hear them. */
static bool cut_links(faults *f, const fault_row *r, unsigned set) {
    keeper *k = f->service->keeper;
    for (uint32_t a = 0; a < f->service->nodes; a++)
        for (uint32_t b = 0; b < f->service->nodes; b++) {
            if (!(set >> a & 1) || set >> b & 1) continue;
            if (!keeper_cut(k, a, b, &f->trouble)) return false;
            if (r->kind == FAULT_PARTITION && !keeper_cut(k, b, a, &f->trouble)) return false;
        }
    return true;
}

static bool link_fault(faults *f, const fault_row *r) {
    unsigned all = (1u << f->service->nodes) - 1, set = 1 + random_below(&f->random, all - 1); /* some, not all */
    double lasts = around(f, f->settings.lasts);
    int64_t begun = reel_now(f->reel);
    bool good = cut_links(f, r, set);
    atomic_fetch_add(&f->count, 1);
    if (good) rest(f, lasts);
    good = heal(f, r, 0, &f->trouble) && good;
    note_fault(f, r, set, begun);
    return good;
}

static bool one_fault(faults *f) {
    const fault_row *r = choose_row(f);
    if (r->kind & LINK_FAULTS) return link_fault(f, r);
    unsigned target = random_below(&f->random, r->of_clients ? f->settings.clients : f->service->nodes);
    unsigned slot = target + (r->of_clients ? KEEPER_NODES : 0);
    bool kills = r->kind & (FAULT_KILL | FAULT_KILL_CLIENT);
    double lasts = around(f, f->settings.lasts);
    int64_t begun = reel_now(f->reel);
    if (!keeper_signal(f->service->keeper, slot, kills ? SIGKILL : SIGSTOP, r->of_clients ? NULL : &f->trouble))
        return r->of_clients; /* between two of its programs */
    atomic_fetch_add(&f->count, 1);
    if (r->kind != FAULT_KILL_CLIENT) rest(f, lasts);
    bool good = heal(f, r, slot, &f->trouble);
    note_fault(f, r, target, begun);
    return good;
}

static void *run_faults(void *context) {
    faults *f = context;
    while (rest(f, around(f, f->settings.every)) && one_fault(f)) {}
    return NULL;
}

/* ---- all of them ---- */

faults *faults_start(const faults_settings *s, service *sv, reel *t) {
    faults *f = MEM_NEW(faults);
    pthread_condattr_t monotonic;
    *f = (faults){.settings = *s, .service = sv, .reel = t, .random = {.s = s->seed ^ UINT64_C(0x6661756c74)}};
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->wake, &monotonic);
    if (pthread_create(&f->thread, NULL, run_faults, f)) mem_exhausted("threads");
    return f;
}

uint32_t faults_count(const faults *f) { return f ? atomic_load(&f->count) : 0; }

bool faults_heal(faults *f, text *why) {
    if (!f) return true;
    pthread_mutex_lock(&f->lock);
    f->stop = true;
    pthread_cond_broadcast(&f->wake);
    pthread_mutex_unlock(&f->lock);
    pthread_join(f->thread, NULL);
    text_add(why, text_str(&f->trouble));
    return f->trouble.size == 0;
}

void faults_free(faults *f) {
    if (!f) return;
    text_free(&f->trouble);
    pthread_mutex_destroy(&f->lock);
    pthread_cond_destroy(&f->wake);
    free(f);
}
