#include "drive/faults.h"

#include "base/budget.h"
#include "base/mem.h"
#include "base/random.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

struct faults {
    faults_settings settings;
    fault_place place;
    reel *reel;
    random_source random;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stop, ended;
    _Atomic uint32_t count;
    text trouble; /* of the thread; read when it has ended */
};

/* ---- words ---- */

static bool wants(unsigned kinds, unsigned kind) { return kinds >> kind & 1; }

static int find_kind(const char *word, size_t n) {
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        if (strlen(fault_kinds[i].name) == n && !strncmp(fault_kinds[i].name, word, n)) return (int)i;
    return -1;
}

static bool no_such_kind(const char *word, size_t n, error *e) {
    text all = {0};
    for (unsigned i = 0; i < FAULT_KINDS; i++) text_printf(&all, "%s%s", i ? ", " : "", fault_kinds[i].name);
    error_set(e, EXIT_USAGE, "fault '%.*s'; expected some of %s", (int)n, word, text_str(&all));
    text_free(&all);
    return false;
}

bool faults_parse(const char *words, unsigned *kinds, error *e) {
    *kinds = 0;
    for (const char *p = words; p && *p;) {
        size_t n = strcspn(p, ",");
        int kind = find_kind(p, n);
        if (kind < 0) return no_such_kind(p, n, e);
        *kinds |= 1u << kind;
        p += n + (p[n] == ',');
    }
    return true;
}

unsigned faults_need(unsigned kinds) {
    unsigned needs = 0;
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        if (wants(kinds, i)) needs |= fault_kinds[i].needs;
    return needs;
}

static bool may_do(const fault_kind *k, const service *s, error *e) {
    bool of_clients = k->target == FAULT_OF_CLIENT;
    if (of_clients && k->of_a_moment && !s->settings.clients_die)
        return error_set(e, EXIT_USAGE, "fault %s is for --exec: clients of drivers are threads of plumb", k->name);
    if (!of_clients && !s->nodes)
        return error_set(e, EXIT_USAGE, "fault %s needs servers that plumb drive started; there are none", k->name);
    if (k->target == FAULT_OF_LINKS && s->nodes < 2)
        return error_set(e, EXIT_USAGE, "fault %s needs at least two nodes; expected --nodes N", k->name);
    return true;
}

bool faults_fit(unsigned kinds, const service *s, error *e) {
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        if (wants(kinds, i) && !may_do(&fault_kinds[i], s, e)) return false;
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

static const fault_kind *choose_kind(faults *f) {
    const fault_kind *chosen = NULL;
    uint32_t n = 0;
    for (unsigned i = 0; i < FAULT_KINDS; i++)
        if (wants(f->settings.kinds, i) && random_below(&f->random, ++n) == 0) chosen = &fault_kinds[i];
    assert(chosen);
    return chosen;
}

static fault_case choose_case(faults *f, const fault_kind *k) {
    uint32_t nodes = f->place.service->nodes;
    fault_case c = {0};
    switch (k->target) {
    case FAULT_OF_NODE: c.target = random_below(&f->random, nodes); break;
    case FAULT_OF_CLIENT: c.target = random_below(&f->random, f->settings.clients); break;
    case FAULT_OF_LINKS: c.target = 1 + random_below(&f->random, (1u << nodes) - 2); break; /* some, not all */
    }
    c.size = random_below(&f->random, 1000);
    return c;
}

static void add_nodes(const faults *f, uint32_t set, text *out) {
    for (uint32_t n = 0; n < f->place.service->nodes; n++)
        if (set >> n & 1) text_printf(out, " n%u", n + 1);
}

static void say_target(const faults *f, const fault_kind *k, const fault_case *c, text *out) {
    switch (k->target) {
    case FAULT_OF_NODE: text_printf(out, " n%u", c->target + 1); break;
    case FAULT_OF_CLIENT: text_printf(out, " %u", c->target); break;
    case FAULT_OF_LINKS:
        add_nodes(f, c->target, out);
        if (k->needs & FAULT_RELAY) break;
        text_add(out, !strcmp(k->name, "partition") ? " |" : " ->");
        add_nodes(f, ~c->target, out);
        break;
    }
}

static void note_fault(faults *f, const fault_kind *k, const fault_case *c, int64_t begun) {
    text said = {0};
    text_add(&said, k->name);
    say_target(f, k, c, &said);
    if (k->say_size) k->say_size(c, &said);
    reel_event e = {.kind = REEL_NOTE, .time = begun, .until = reel_now(f->reel)};
    e.res = value_bytes(f->place.service->values, said.at, said.size);
    reel_put(f->reel, &e);
    text_free(&said);
}

/* What began is ended again, whatever happened in between. */
static bool one_fault(faults *f) {
    const fault_kind *k = choose_kind(f);
    fault_case c = choose_case(f, k);
    double lasts = around(f, f->settings.lasts);
    int64_t begun = reel_now(f->reel);
    bool begins = k->begin(&f->place, &c, &f->trouble);
    if (!begins && !f->trouble.size) return true; /* not now */
    atomic_fetch_add(&f->count, 1);
    if (begins && !k->of_a_moment) rest(f, lasts);
    bool good = k->end(&f->place, &c, &f->trouble);
    note_fault(f, k, &c, begun);
    return good && begins;
}

static void *run_faults(void *context) {
    faults *f = context;
    while (rest(f, around(f, f->settings.every)) && one_fault(f)) {}
    return NULL;
}

/* ---- all of them ---- */

faults *faults_start(const faults_settings *s, service *sv, load *l, reel *t) {
    faults *f = MEM_NEW(faults);
    pthread_condattr_t monotonic;
    *f = (faults){.settings = *s, .place = {sv, l}, .reel = t, .random = {.s = s->seed ^ UINT64_C(0x6661756c74)}};
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
    if (!f->ended) pthread_join(f->thread, NULL);
    f->ended = true;
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
