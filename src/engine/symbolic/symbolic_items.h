/* What a container's adds and removes have to do with each other, for the folded encoding: each add is an item with the
 * removes that may have taken it. An item is hard when that is known (its value was added once, and removed at most
 * once), soft otherwise. */
#ifndef PLUMB_ENGINE_SYMBOLIC_SYMBOLIC_ITEMS_H
#define PLUMB_ENGINE_SYMBOLIC_SYMBOLIC_ITEMS_H

#include "engine/symbolic/symbolic.h"

#define NEVER_TAKEN UINT32_MAX

typedef struct taker { /* a remove that may have taken an item */
    uint32_t remove;   /* position */
    literal takes;
} taker;

typedef struct items {
    encoding *e;
    uint32_t n;
    uint32_t *add;    /* by item: position, ascending */
    uint32_t *remove; /* of hard items: position, or NEVER_TAKEN */
    bool *soft;
    size_t *first; /* by item: its takers are taker[first[i] .. first[i + 1]) */
    taker *taker;
    /* by position: the item that an add or the only possible remove is about; NEVER_TAKEN: none */
    uint32_t *item;
    uint32_t *empty, empties; /* positions of removes that found nothing */
    uint32_t *token, tokens;  /* positions of pending removes */
    uint32_t softs;
} items;

/* Emits what is common to all containers: every remove takes one item, every item is taken once, after it was added. */
bool items_init(items *t, encoding *e);
void items_free(items *t);
/* All of them are hard, and no axiom speaks of the order of one's add and another's remove: gives the encoding sides,
 * and emits what makes one order of both. False: done early. */
bool items_order_apart(const items *t);

static inline uint32_t add_call_of(const items *t, uint32_t i) { return t->e->order.call[t->add[i]]; }
static inline uint32_t add_return_of(const items *t, uint32_t i) { return t->e->order.ret[t->add[i]]; }
static inline bool is_taken(const items *t, uint32_t i) { return t->remove[i] != NEVER_TAKEN; }
static inline uint32_t remove_call_of(const items *t, uint32_t i) {
    return is_taken(t, i) ? t->e->order.call[t->remove[i]] : RANK_NEVER;
}
static inline uint32_t remove_return_of(const items *t, uint32_t i) {
    return is_taken(t, i) ? t->e->order.ret[t->remove[i]] : RANK_NEVER;
}

value item_value(const items *t, uint32_t i);

#endif
