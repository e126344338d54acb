#include "explore/campaign/history_set.h"

#include "base/mem.h"
#include "base/word_table.h"
#include "explore/model/event_order.h"

#include <assert.h>
#include <stdlib.h>

struct history_set {
    budget unlimited;
    word_table table;
};

history_set *history_set_new(void) {
    history_set *s = MEM_NEW(history_set);
    budget_init(&s->unlimited, 0, 0);
    word_table_init(&s->table, &s->unlimited);
    return s;
}

void history_set_free(history_set *s) {
    if (!s) return;
    word_table_free(&s->table);
    free(s);
}

uint64_t history_set_count(const history_set *s) { return s->table.count; }

typedef struct listing { /* of all linear extensions */
    history_set *s;
    const world *w;
    const boundary *b;
    history_visit *visit;
    void *context;
    uint8_t order[2 * BOUNDARY_OPERATIONS];
    uint32_t returned[BOUNDARY_OPERATIONS]; /* operations that returned before this one's call */
} listing;

static void add(listing *l, uint32_t events) {
    uint32_t word[BOUNDARY_OPERATIONS * (3 + 2 * OPERATION_ARGS)], n = 0, before = (uint32_t)l->s->table.count;
    for (uint32_t k = 0; k < l->b->n; k++) {
        const explored_operation *e = &l->w->ops[l->b->op[k]];
        word[n++] =
            (uint32_t)e->thread | (uint32_t)e->method << 8 | (uint32_t)e->nargs << 16 | (uint32_t)e->returned << 24;
        for (unsigned a = 0; a < e->nargs; a++) {
            word[n++] = (uint32_t)e->arg[a];
            word[n++] = (uint32_t)((uint64_t)e->arg[a] >> 32);
        }
        word[n++] = e->returned ? e->result : VALUE_UNKNOWN;
        word[n++] = l->returned[k];
    }
    assert(n <= sizeof word / sizeof *word);
    word_table_number(&l->s->table, word, n);
    if (l->s->table.count == before || !l->visit) return;
    uint32_t order[2 * BOUNDARY_OPERATIONS];
    for (uint32_t i = 0; i < events; i++) order[i] = 2u * l->b->op[l->order[i] / 2] + (l->order[i] & 1);
    assert(event_order_is_sound(l->w->ops, l->w->op_count, order, events));
    l->visit(l->context, l->w->ops, l->w->op_count, order, events);
}

/* Neighbours of one kind can be exchanged: only the ascending order of such a pair is listed. */
static bool is_twin(const boundary *b, unsigned last, unsigned e) {
    return ((last ^ e) & 1) == 0 && e < last && !(b->before[e] >> last & 1) && !boundary_is_unit(b, last) &&
           !boundary_is_unit(b, e);
}

static void list(listing *l, uint64_t done, uint32_t returned, uint32_t n) {
    const boundary *b = l->b;
    assert(!(done & ~b->all) && n == (uint32_t)__builtin_popcountll(done));
    assert((uint32_t)__builtin_popcount(returned) ==
           (uint32_t)__builtin_popcountll(done & UINT64_C(0xaaaaaaaaaaaaaaaa)));
    if (done == b->all) {
        add(l, n);
        return;
    }
    unsigned last = n ? l->order[n - 1] : 0;
    uint64_t next = b->all & ~done;
    if (n && !(last & 1) && boundary_is_unit(b, last)) next = UINT64_C(1) << (last + 1);
    for (; next; next &= next - 1) {
        unsigned e = (unsigned)__builtin_ctzll(next);
        if (b->before[e] & ~done || (n && is_twin(b, last, e))) continue;
        l->order[n] = (uint8_t)e;
        if (!(e & 1)) l->returned[e / 2] = returned;
        list(l, done | UINT64_C(1) << e, e & 1 ? returned | 1u << e / 2 : returned, n + 1);
    }
}

void history_set_add(history_set *s, const world *w, const boundary *b, history_visit *visit, void *context) {
    listing l = {.s = s, .w = w, .b = b, .visit = visit, .context = context};
    list(&l, 0, 0, 0);
}
