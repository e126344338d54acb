#include "engine/regroup.h"
#include "engine/self_check.h"

#include "base/mem.h"

/* Reads in order and writes one stream per part, which caches like better than the other way round. */
static uint32_t *scatter_words(const uint32_t *column, const uint32_t *to, uint32_t n) {
    if (!column) return NULL;
    uint32_t *out = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) out[to[i]] = column[i];
    return out;
}

static uint32_t *pick_words(const uint32_t *column, const uint32_t *from, uint32_t n) {
    if (!column) return NULL;
    uint32_t *out = MEM_ARRAY(uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) out[i] = column[from[i]];
    return out;
}

static uint8_t *pick_bytes(const uint8_t *column, const uint32_t *from, uint32_t n) {
    uint8_t *out = mem_alloc((size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) out[i] = column[from[i]];
    return out;
}

static uint8_t *scatter_bytes(const uint8_t *column, const uint32_t *to, uint32_t n) {
    uint8_t *out = MEM_ARRAY(uint8_t, n);
    for (uint32_t i = 0; i < n; i++) out[to[i]] = column[i];
    return out;
}

/* Is each operation in one part, and has each part its operations by call? */
SELF_CHECK static bool parts_are_a_permutation(const partition *parts, uint32_t n) {
    bool *seen = mem_zero((size_t)n + 1, sizeof *seen), good = parts->start[0] == 0 && parts->start[parts->count] == n;
    for (uint32_t p = 0; p < parts->count && good; p++)
        good = words_ascend(parts->op + parts->start[p], parts->start[p + 1] - parts->start[p]);
    for (uint32_t i = 0; i < n && good; i++) {
        good = parts->op[i] < n && !seen[parts->op[i]];
        seen[parts->op[i]] = true;
    }
    free(seen);
    return good;
}

SELF_CHECK static bool regrouped_agrees(const history *h, const history *g, const partition *parts) {
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t op = parts->op[i];
        if (g->call[i] != h->call[op] || g->ret[i] != h->ret[op] || g->method[i] != h->method[op]) return false;
        if (g->res[i] != h->res[op] || g->nargs[i] != h->nargs[op]) return false;
        for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++)
            if (h->arg[a] && g->arg[a][i] != h->arg[a][op]) return false;
        if (g->client && g->client[i] != history_client(h, op)) return false;
    }
    return true;
}

/* No columns yet; its values are those of h. */
static history *with_values_of(const history *h, uint32_t n) {
    history *g = MEM_NEW(history);
    g->n = n;
    g->events = h->events;
    g->clients = h->clients;
    g->values = h->values;
    g->values_shared = true;
    return g;
}

history *regroup_in_order(const history *h, const uint32_t *op, uint32_t n, const object *o) {
    history *g = with_values_of(h, n);
    for (uint32_t i = 0; i < n; i++) g->pending += history_pending(h, op[i]);
    g->call = pick_words(h->call, op, n);
    g->ret = pick_words(h->ret, op, n);
    g->method = pick_bytes(h->method, op, n);
    g->nargs = pick_bytes(h->nargs, op, n);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) g->arg[a] = pick_words(h->arg[a], op, n);
    g->res = pick_words(h->res, op, n);
    if (!o->type->sees_clients) return g;
    g->client = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) g->client[i] = history_client(h, op[i]);
    return g;
}

history *regroup(const history *h, const partition *parts, const object *o) {
    assert_costly(parts_are_a_permutation(parts, h->n));
    uint32_t n = h->n, *to = MEM_ARRAY(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) to[parts->op[i]] = i;
    history *g = with_values_of(h, n);
    g->pending = h->pending;
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
    assert_costly(regrouped_agrees(h, g, parts));
    return g;
}

static void drop_words(uint32_t **column) {
    free(*column);
    *column = NULL;
}

static void drop_bytes(uint8_t **column) {
    free(*column);
    *column = NULL;
}

void regroup_keep_calls(history *g) {
    drop_words(&g->ret);
    drop_bytes(&g->method);
    drop_bytes(&g->nargs);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) drop_words(&g->arg[a]);
    drop_words(&g->res);
    drop_words(&g->client);
}
