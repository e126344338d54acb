#include "object/about.h"

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>

enum { FILTER = 1 << 12, STRETCH = 1024 };

typedef struct wanted {
    const value *column[2]; /* looked up: a branch would be mispredicted */
    const uint8_t *nargs;
    value *about; /* ascending */
    uint32_t n;
    uint8_t likely[FILTER]; /* by a few bits of the value: nearly all others are told by that */
} wanted;

static value value_about(const wanted *w, uint32_t op) { return w->column[w->nargs[op] != 0][op]; }

static void want(wanted *w, value v) {
    w->about[w->n++] = v;
    w->likely[hash_near(v) % FILTER] = 1;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static wanted *wanted_new(const history *h, const uint32_t *focus, uint32_t focus_n) {
    wanted *w = MEM_NEW(wanted);
    w->column[0] = h->res;
    w->column[1] = h->arg[0] ? h->arg[0] : h->res;
    w->nargs = h->nargs;
    w->about = MEM_ARRAY(value, (size_t)focus_n + 1);
    want(w, VALUE_UNKNOWN);
    for (uint32_t k = 0; k < focus_n; k++) {
        value v = value_about(w, focus[k]);
        if (v != VALUE_EMPTY || h->nargs[focus[k]]) want(w, v); /* to have found nothing is about no value */
    }
    assert(w->n <= focus_n + 1);
    qsort(w->about, w->n, sizeof *w->about, by_number);
    return w;
}

static bool is_wanted(const wanted *w, value v) { return bsearch(&v, w->about, w->n, sizeof v, by_number) != NULL; }

typedef struct operation_list {
    uint32_t *op, n, room;
} operation_list;

static void list_add(operation_list *l, uint32_t op) {
    if (l->n == l->room) l->op = MEM_GROW(l->op, uint32_t, l->room = l->room ? 2 * l->room : 64);
    assert(!l->n || l->op[l->n - 1] < op); /* ascending: each once */
    l->op[l->n++] = op;
}

/* Operations that are likely to be wanted, sorted out without a branch. Of the others one thing matters: does any say
 * that the object was full? */
static uint32_t likely_ones(const wanted *w, const uint32_t *op, uint32_t n, uint32_t *likely, bool *full) {
    uint32_t some = 0, any_full = 0;
    for (uint32_t i = 0; i < n; i++) {
        likely[some] = op[i];
        some += w->likely[hash_near(value_about(w, op[i])) % FILTER];
        any_full |= w->column[0][op[i]] == VALUE_FULL;
    }
    *full |= any_full;
    return some;
}

static uint32_t *pick(const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus, uint32_t focus_n,
                      uint32_t *count, bool *full) {
    wanted *w = wanted_new(h, focus, focus_n);
    operation_list found = {0};
    uint32_t likely[STRETCH], next = 0;
    for (uint32_t from = 0; from < n; from += STRETCH) {
        uint32_t some = likely_ones(w, op + from, n - from < STRETCH ? n - from : STRETCH, likely, full);
        for (uint32_t k = 0; k < some; k++) {
            if (!is_wanted(w, value_about(w, likely[k]))) continue;
            for (; next < focus_n && focus[next] < likely[k]; next++) list_add(&found, focus[next]);
            next += next < focus_n && focus[next] == likely[k];
            list_add(&found, likely[k]);
        }
    }
    for (; next < focus_n; next++) list_add(&found, focus[next]);
    free(w->about);
    free(w);
    assert(found.n >= focus_n && found.n <= n); /* the focus stays */
    *count = found.n;
    return found.op;
}

uint32_t *operations_about(const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus, uint32_t focus_n,
                           uint32_t *count) {
    bool ignored = false;
    return pick(h, op, n, focus, focus_n, count, &ignored);
}

/* "It was full" says something about all that is inside: then nothing may leave so easily. */
uint32_t *object_narrow(const object *o, const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus,
                        uint32_t focus_n, uint32_t *count) {
    bool full = false;
    if (!o->type->by_value || !o->type->leave_out) return NULL;
    uint32_t *stay = pick(h, op, n, focus, focus_n, count, &full);
    if (!full) return stay;
    free(stay);
    return NULL;
}
