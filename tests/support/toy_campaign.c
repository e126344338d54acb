#include "support/toy_campaign.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

typedef struct collector {
    const toy_program *p;
    toy_histories *out;
    bool rename;
} collector;

static void add(toy_histories *h, uint64_t print) {
    if (h->n == h->room) {
        h->room = h->room ? 2 * h->room : 64;
        h->print = MEM_GROW(h->print, uint64_t, h->room);
    }
    h->print[h->n++] = print;
}

static int64_t renamed_value(int64_t v, const uint8_t *name) {
    int64_t t = v / 10;
    return v >= 10 && t < TOY_THREADS ? 10 * name[t] + v % 10 : v;
}

/* Operations as a set: each with its thread, its place there, what it did, and the sum of those that returned
 * before. */
static uint64_t fingerprint(const explored_operation *op, uint32_t n, const uint32_t *order, uint32_t events,
                            const uint8_t *name) {
    uint64_t own[TOY_OPERATIONS], before[TOY_OPERATIONS] = {0}, returned = 0, sum = 0;
    uint32_t nth[TOY_THREADS] = {0};
    bool called[TOY_OPERATIONS] = {false};
    for (uint32_t i = 0; i < n; i++) {
        value res = op[i].result;
        if (value_is_small_int(res)) res = value_int(NULL, renamed_value((int64_t)res - VALUE_INT_LIMIT, name));
        uint64_t what = hash_pair(op[i].method, hash_pair(op[i].nargs ? (uint64_t)renamed_value(op[i].arg[0], name) : 0,
                                                          op[i].returned ? res : 0));
        own[i] = hash_pair(hash_pair(name[op[i].thread], nth[op[i].thread]++), what);
    }
    for (uint32_t i = 0; i < events; i++) {
        if (order[i] & 1) returned += hash_mix(own[order[i] / 2]);
        else {
            before[order[i] / 2] = returned;
            called[order[i] / 2] = true;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (called[i]) sum += hash_pair(own[i], before[i]);
    return sum;
}

static void add_namings(collector *c, const explored_operation *op, uint32_t n, const uint32_t *order, uint32_t events,
                        uint8_t *name, unsigned t) {
    if (t == c->p->threads) {
        add(c->out, fingerprint(op, n, order, events, name));
        return;
    }
    for (unsigned o = t; o < c->p->threads; o++) {
        if (o != t && (!c->rename || !c->p->group[t] || c->p->group[o] != c->p->group[t])) continue;
        uint8_t kept = name[t];
        name[t] = name[o];
        name[o] = kept;
        add_namings(c, op, n, order, events, name, t + 1);
        name[o] = name[t];
        name[t] = kept;
    }
}

static void collect(void *context, const explored_operation *op, uint32_t n, const uint32_t *order, uint32_t events) {
    collector *c = context;
    if (!op) {
        c->out->n = 0;
        return;
    }
    uint8_t name[TOY_THREADS];
    for (unsigned t = 0; t < TOY_THREADS; t++) name[t] = (uint8_t)t;
    add_namings(c, op, n, order, events, name, 0);
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void sort(toy_histories *h) {
    if (!h->n) return;
    qsort(h->print, h->n, sizeof *h->print, compare);
    uint32_t n = 1;
    for (uint32_t i = 1; i < h->n; i++)
        if (h->print[i] != h->print[n - 1]) h->print[n++] = h->print[i];
    h->n = n;
}

toy_outcome toy_explore(const toy_program *p, const toy_try *how) {
    static const uint8_t methods[] = {0, 1};
    toy_outcome out = {.good = false};
    collector c = {.p = p, .out = &out.seen, .rename = how->rename};
    error e = {0};
    object *o = how->object ? object_open(how->object, !strcmp(how->object, "register") ? "0" : NULL, &e) : NULL;
    if (how->object && !o) abort();
    world *w = toy_open(p);
    campaign_options options = {
        .strategy = how->strategy,
        .how = {.bound = how->bound, .seed = 1, .depth = 3, .symmetry = how->symmetry, .share = how->share},
        .most_executions = how->most,
        .all = how->all,
        .check_each_history = how->each_history,
        .object = o,
        .method_of = methods,
        .history = how->no_histories ? NULL : collect,
        .context = &c};
    out.good = campaign_run(w, toy_run, &options, &out.r);
    sort(&out.seen);
    toy_close(w);
    if (o) object_close(o);
    return out;
}

void toy_outcome_free(toy_outcome *o) {
    free(o->seen.print);
    campaign_result_free(&o->r);
}

bool toy_same_histories(const toy_histories *a, const toy_histories *b) {
    return a->n == b->n && (!a->n || !memcmp(a->print, b->print, a->n * sizeof *a->print));
}
