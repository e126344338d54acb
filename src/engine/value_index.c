#include "engine/value_index.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SPREAD = 3 }; /* integers this much apart on average are still an array */

static bool init_array(value_index *x, const value_range *r) {
    *x = (value_index){0};
    if (!r->n || !r->small || (r->high - r->low) / SPREAD > r->n) return false;
    x->low = r->low;
    x->range = r->high - r->low + 1;
    x->dense = MEM_ARRAY(uint32_t, x->range);
    memset(x->dense, 0xff, x->range * sizeof *x->dense);
    return true;
}

static void init_table(value_index *x, uint32_t slots) {
    x->mask = slots - 1;
    x->slot = MEM_ARRAY(value_slot, slots);
    memset(x->slot, 0xff, slots * sizeof *x->slot);
}

void value_index_init(value_index *x, const value_range *r) {
    if (init_array(x, r)) return;
    uint32_t slots = 16;
    while (slots / 3 * 2 < r->n) slots *= 2;
    assert(slots > r->n); /* a search ends at a free slot */
    init_table(x, slots);
}

void value_index_init_small(value_index *x, const value_range *r) {
    if (!init_array(x, r)) init_table(x, 16);
}

SELF_CHECK static uint32_t numbered(const value_index *x) {
    uint32_t n = 0;
    for (uint32_t at = 0; !x->dense && at <= x->mask; at++) n += x->slot[at].number != NO_NUMBER;
    return n;
}

/* Is every value with a number found where it is? */
SELF_CHECK static bool all_are_found(const value_index *x) {
    for (uint32_t at = 0; !x->dense && at <= x->mask; at++) {
        const value_slot *s = &x->slot[at];
        if (s->number == NO_NUMBER) continue;
        for (uint32_t i = (uint32_t)hash_mix(s->key) & x->mask; i != at; i = (i + 1) & x->mask)
            if (x->slot[i].number == NO_NUMBER || x->slot[i].key == s->key) return false;
    }
    return true;
}

void value_index_reserve(value_index *x, uint32_t n) {
    /* small tables are kept sparse: then nearly every value is at home, and processors guess that */
    enum { SPARSE = 8 };
    uint32_t slots = x->mask + 1, share = n < 1 << 12 ? SPARSE : 2;
    if (x->dense || slots / share >= n) return;
    while (slots / share < n) slots *= 2;
    value_index old = *x;
    init_table(x, slots);
    for (uint32_t at = 0; at <= old.mask; at++)
        if (old.slot[at].number != NO_NUMBER) *value_index_at(x, old.slot[at].key) = old.slot[at].number;
    assert_costly(numbered(x) == numbered(&old) && all_are_found(x));
    free(old.slot);
}

/* Those behind it that stand there only because its place was taken move up. */
void value_index_forget(value_index *x, value v) {
    if (x->dense) return;
    uint32_t hole = (uint32_t)((value_slot *)((char *)value_index_at(x, v) - offsetof(value_slot, number)) - x->slot);
    for (uint32_t at = (hole + 1) & x->mask; x->slot[at].number != NO_NUMBER; at = (at + 1) & x->mask) {
        uint32_t home = (uint32_t)hash_mix(x->slot[at].key) & x->mask;
        if (((at - home) & x->mask) < ((at - hole) & x->mask)) continue;
        x->slot[hole] = x->slot[at];
        hole = at;
    }
    assert(x->slot[hole].number != NO_NUMBER); /* v had a number */
    x->slot[hole].number = NO_NUMBER;
    assert_costly(x->mask >= 1 << 12 || all_are_found(x));
}

void value_index_free(value_index *x) {
    free(x->dense);
    free(x->slot);
    *x = (value_index){0};
}
