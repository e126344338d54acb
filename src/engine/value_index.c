#include "engine/value_index.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SPREAD = 3 }; /* integers this much apart on average are still an array */

void value_index_init(value_index *x, const value_range *r) {
    *x = (value_index){0};
    if (r->n && r->small && (r->high - r->low) / SPREAD <= r->n) {
        x->low = r->low;
        x->range = r->high - r->low + 1;
        x->dense = MEM_ARRAY(uint32_t, x->range);
        memset(x->dense, 0xff, x->range * sizeof *x->dense);
        return;
    }
    uint32_t slots = 16;
    while (slots / 3 * 2 < r->n) slots *= 2;
    x->mask = slots - 1;
    x->slot = MEM_ARRAY(value_slot, slots);
    memset(x->slot, 0xff, slots * sizeof *x->slot);
}

void value_index_free(value_index *x) {
    free(x->dense);
    free(x->slot);
    *x = (value_index){0};
}
