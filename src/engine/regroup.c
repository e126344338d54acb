#include "engine/regroup.h"

#include "base/mem.h"

/* Reads in order and writes one stream per part, which caches like better than the other way round. */
static uint32_t *scatter_words(const uint32_t *column, const uint32_t *to, uint32_t n) {
    if (!column) return NULL;
    uint32_t *out = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) out[to[i]] = column[i];
    return out;
}

static uint8_t *scatter_bytes(const uint8_t *column, const uint32_t *to, uint32_t n) {
    uint8_t *out = MEM_ARRAY(uint8_t, n);
    for (uint32_t i = 0; i < n; i++) out[to[i]] = column[i];
    return out;
}

history *regroup(const history *h, const partition *parts, const object *o) {
    uint32_t n = h->n, *to = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) to[parts->op[i]] = i;
    history *g = MEM_NEW(history);
    g->n = n;
    g->events = h->events;
    g->pending = h->pending;
    g->clients = h->clients;
    g->values = h->values;
    g->values_shared = true;
    g->call = scatter_words(h->call, to, n);
    g->ret = scatter_words(h->ret, to, n);
    g->method = scatter_bytes(h->method, to, n);
    g->nargs = scatter_bytes(h->nargs, to, n);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) g->arg[a] = scatter_words(h->arg[a], to, n);
    g->res = scatter_words(h->res, to, n);
    if (o->type->sees_clients) {
        g->client = MEM_ARRAY(uint32_t, n);
        for (uint32_t i = 0; i < n; i++) g->client[to[i]] = history_client(h, i);
    }
    free(to);
    return g;
}

#define DROP(column) (free(column), (column) = NULL)

void regroup_keep_calls(history *g) {
    DROP(g->ret);
    DROP(g->method);
    DROP(g->nargs);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) DROP(g->arg[a]);
    DROP(g->res);
    DROP(g->client);
}
