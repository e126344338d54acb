/* local: local linearizability of containers (Haas et al., CONCUR 2016; docs/CRITERIA.md, "local"). For each client,
 * the history of its adds and of the removals of what it added, by whichever client, is linearizable. These
 * histories have nothing to do with each other, so the client that added a value becomes the key of all operations
 * about it, and keys are independent.
 *
 * A removal that finds nothing is in all of these histories, and one that is pending may be in any: such histories
 * are refused, unless one client alone adds. */
#include "object/local.h"

#include <assert.h>
#include <stdlib.h>

typedef struct producer_of {
    value v;
    uint32_t client;
} producer_of;

static int by_value(const void *a, const void *b) {
    const producer_of *x = a, *y = b;
    return x->v < y->v ? -1 : x->v > y->v;
}

static bool refuse(const history *h, uint32_t i, const char *file, const char *why, error *e) {
    return error_set(e, EXIT_BAD_INPUT, "%s:%u: criterion local: %s", file, h->line ? h->line[i] : 0, why);
}

static bool adds(const object *o, const history *h, uint32_t i) {
    return o->type->methods[h->method[i]].role & ROLE_ADDS;
}

/* Of each value, ascending; false: two clients added one. */
static bool find_producers(const object *o, const history *h, producer_of *p, uint32_t *n, const char *file, error *e) {
    *n = 0;
    for (uint32_t i = 0; i < h->n; i++)
        if (adds(o, h, i)) p[(*n)++] = (producer_of){h->arg[0][i], history_client(h, i)};
    qsort(p, *n, sizeof *p, by_value);
    for (uint32_t k = 1; k < *n; k++)
        if (p[k].v == p[k - 1].v && p[k].client != p[k - 1].client)
            return refuse(h, 0, file, "a value is added by two clients; expected values that tell who added them", e);
    return true;
}

static bool one_producer(const producer_of *p, uint32_t n) {
    for (uint32_t k = 1; k < n; k++)
        if (p[k].client != p[0].client) return false;
    return true;
}

static bool give_key(const object *o, history *h, uint32_t i, const producer_of *p, uint32_t n, const char *file,
                     error *e) {
    value v = adds(o, h, i) ? h->arg[0][i] : h->res[i];
    if (v == VALUE_UNKNOWN) return refuse(h, i, file, "a removal is pending, and several clients add: not decided", e);
    if (v == VALUE_EMPTY) return refuse(h, i, file, "a removal found nothing, and several clients add: not decided", e);
    const producer_of *found = bsearch(&(producer_of){.v = v}, p, n, sizeof *p, by_value);
    h->key[i] = found ? value_int(h->values, found->client) : VALUE_NONE;
    return true;
}

bool local_split(const object *o, history *h, const char *file, error *e) {
    if (h->n == 0) return true;
    if (h->key) return refuse(h, 0, file, "the history has keys of its own; expected one object", e);
    if (!h->client) return refuse(h, 0, file, "the operations name no clients", e);
    producer_of *p = MEM_ARRAY(producer_of, h->n);
    uint32_t n;
    bool good = find_producers(o, h, p, &n, file, e);
    if (good && !one_producer(p, n)) {
        h->key = MEM_ARRAY(value, h->n);
        for (uint32_t i = 0; i < h->n && good; i++) good = give_key(o, h, i, p, n, file, e);
    }
    free(p);
    return good;
}
