/* From values to small numbers: a plain array where the values are integers in a narrow range, else a hash table, with
 * keys in its slots, values that are forgotten again, and a search without branches: what base/table.h does not do. */
#ifndef PLUMB_ENGINE_VALUE_INDEX_H
#define PLUMB_ENGINE_VALUE_INDEX_H

#include "base/hash.h"
#include "history/value.h"
#include "engine/self_check.h"

#define NO_NUMBER UINT32_MAX

typedef struct value_slot {
    value key;
    uint32_t number;
} value_slot;

typedef struct value_index {
    uint32_t *dense; /* by value - low; NULL: hashed */
    value low;
    uint32_t range;
    value_slot *slot;
    uint32_t mask;
} value_index;

/* What is known of the values that will be added. */
typedef struct value_range {
    value low, high;
    uint32_t n;
    bool small; /* all are small integers */
} value_range;

static inline void value_range_add(value_range *r, value v) {
    if (!r->n++) *r = (value_range){v, v, 1, true};
    if (v < r->low) r->low = v;
    if (v > r->high) r->high = v;
    r->small &= value_is_small_int(v);
    assert(r->low <= v && v <= r->high && r->n);
}

void value_index_init(value_index *x, const value_range *r);
void value_index_free(value_index *x);

/* The same for a table from which values are forgotten again: it starts small. Arrays forget nothing. */
void value_index_init_small(value_index *x, const value_range *r);
void value_index_reserve(value_index *x, uint32_t n); /* for n values in all that have numbers */
void value_index_forget(value_index *x, value v);     /* it has one */

/* Where the number of v is kept, NO_NUMBER when it has none yet; NULL when v cannot be in the index. */
static inline uint32_t *value_index_at(const value_index *x, value v) {
    if (x->dense) return v - x->low < x->range ? &x->dense[v - x->low] : NULL;
    assert(is_power_of_two((uint64_t)x->mask + 1));
    for (uint32_t at = (uint32_t)hash_mix(v) & x->mask;; at = (at + 1) & x->mask) {
        value_slot *s = &x->slot[at];
        /* not by a branch */
        value is_free = -(value)(s->number == NO_NUMBER), key = (s->key & ~is_free) | (v & is_free);
        s->key = key; /* found again only once it has a number */
        if (key == v) return &s->number;
    }
}

static inline uint32_t value_index_find(const value_index *x, value v) {
    const uint32_t *at = value_index_at(x, v);
    return at ? *at : NO_NUMBER;
}

#endif
