#include "monitor/monitor_evidence.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

static int by_moment(const void *a, const void *b) {
    moment x = *(const moment *)a, y = *(const moment *)b;
    return x < y ? -1 : x > y;
}

/* Ranks: the moments of all events, from 0 without gaps. */
static moment *all_moments(const monitored *op, uint32_t n, uint32_t *count) {
    moment *at = MEM_ARRAY(moment, 2 * (size_t)n);
    *count = 0;
    for (uint32_t i = 0; i < n; i++) {
        at[(*count)++] = op[i].call;
        if (op[i].ret != MOMENT_NEVER) at[(*count)++] = op[i].ret;
    }
    qsort(at, *count, sizeof *at, by_moment);
    for (uint32_t i = 1; i < *count; i++) assert(at[i - 1] < at[i]); /* every event has a moment of its own */
    return at;
}

static uint32_t rank_of(const moment *at, uint32_t n, moment when) {
    if (when == MOMENT_NEVER) return RANK_NEVER;
    const moment *found = bsearch(&when, at, n, sizeof *at, by_moment);
    assert(found);
    return (uint32_t)(found - at);
}

static void name_methods(history *h, const object *o) {
    h->methods = o->type->method_count;
    h->method_name = MEM_ARRAY(char *, h->methods);
    h->method_line = mem_zero(h->methods, sizeof *h->method_line);
    for (unsigned k = 0; k < h->methods; k++) h->method_name[k] = mem_string(o->type->methods[k].name);
}

/* The number of a client is its name, a value; those that go on after a pending operation have numbers beyond all
 * values. */
static value client_name(const history *h, uint32_t client) {
    return client >= 0xf0000000u ? value_int(h->values, client) : client;
}

/* Clients are numbered anew, by first appearance. */
static void name_clients(history *h, const monitored *op) {
    h->client_name = MEM_ARRAY(value, h->n);
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t k = 0;
        while (k < i && op[k].client != op[i].client) k++;
        h->client[i] = k < i ? h->client[k] : h->clients;
        if (k == i) h->client_name[h->clients++] = client_name(h, op[i].client);
    }
}

history *monitor_evidence(const monitor *m) {
    uint32_t n, events;
    const monitored *op = monitor_pattern(m, &n);
    const object *o = monitor_object(m);
    if (!n) return NULL;
    moment *at = all_moments(op, n, &events);
    history *h = MEM_NEW(history);
    h->values = o->values;
    h->values_shared = true;
    h->n = n;
    h->events = events;
    h->call = MEM_ARRAY(uint32_t, n);
    h->ret = MEM_ARRAY(uint32_t, n);
    h->client = MEM_ARRAY(uint32_t, n);
    h->method = MEM_ARRAY(uint8_t, n);
    h->nargs = MEM_ARRAY(uint8_t, n);
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) h->arg[a] = MEM_ARRAY(value, n);
    h->key = MEM_ARRAY(value, n);
    h->res = MEM_ARRAY(value, n);
    h->number = MEM_ARRAY(uint32_t, n);
    h->call_time.wide = MEM_ARRAY(int64_t, n);
    h->ret_time.wide = MEM_ARRAY(int64_t, n);
    h->clock = CLOCK_EVENTS; /* of the whole run */
    for (uint32_t i = 0; i < n; i++) {
        h->call[i] = rank_of(at, events, op[i].call);
        h->ret[i] = rank_of(at, events, op[i].ret);
        h->call_time.wide[i] = (int64_t)op[i].call;
        h->ret_time.wide[i] = op[i].ret == MOMENT_NEVER ? 0 : (int64_t)op[i].ret;
        h->method[i] = op[i].method;
        h->nargs[i] = op[i].nargs;
        for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) h->arg[a][i] = op[i].arg[a];
        h->key[i] = op[i].key;
        h->res[i] = op[i].ret == MOMENT_NEVER ? VALUE_UNKNOWN : op[i].res;
        h->number[i] = (uint32_t)op[i].number;
        h->pending += op[i].ret == MOMENT_NEVER;
    }
    for (uint32_t i = 0; i < n; i++) assert(h->call[i] < h->ret[i] && (!i || h->call[i - 1] < h->call[i]));
    name_methods(h, o);
    name_clients(h, op);
    assert(h->clients <= n && h->events == 2 * n - h->pending);
    free(at);
    return h;
}
