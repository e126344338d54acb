/* Compare-and-sets that failed, put into an order of the other operations: cas(a, b) -> false says that the register did
 * not hold a. It changes nothing, so it may stand at any moment between its call and its return at which another value
 * is held. */
#ifndef PLUMB_ENGINE_LINEAR_FAILED_SWAPS_H
#define PLUMB_ENGINE_LINEAR_FAILED_SWAPS_H

#include "engine/engine.h"

typedef struct value_order { /* operations in an order, by their positions in p->op */
    uint32_t *position;
    value *holds; /* holds[k]: what the register holds before the k-th of them; n + 1 entries */
    uint32_t n;
} value_order;

/* For each failed one (positions ascending, so by their calls) the place before which it stands, in `place`. False: in
 * this order of the others one of them has no place; another order may have one. */
bool failed_swaps_place(const problem *p, const value_order *o, const uint32_t *failed, uint32_t n, uint32_t *place);

#endif
