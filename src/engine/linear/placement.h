/* Operations that change nothing, put into an order of the others: a read of a value that was written often, a
 * compare-and-set that failed. Each may stand at any moment between its call and its return at which the right value is
 * held. */
#ifndef PLUMB_ENGINE_LINEAR_PLACEMENT_H
#define PLUMB_ENGINE_LINEAR_PLACEMENT_H

#include "engine/engine.h"

typedef struct value_order { /* operations in an order, by their positions in p->op */
    uint32_t *position;
    value *holds; /* holds[k]: what the register holds before the k-th of them; n + 1 entries */
    uint32_t n;
} value_order;

typedef struct loose_observer {
    uint32_t position;
    value v;
    bool differs; /* v was not held; otherwise it was */
} loose_observer;

typedef struct place_room { /* places between which an observer may stand, by the order of time alone */
    uint32_t from, to;
} place_room;

#define PLACE_NONE UINT32_MAX

/* For each observer (positions ascending, so by their calls) the place before which it stands, in `place`, and where
 * time allows it, in `room`. Returns how many have no place (PLACE_NONE) in this order of the others; another order may
 * have one. */
uint32_t observers_place(const problem *p, const value_order *o, const loose_observer *x, uint32_t n, uint32_t *place,
                         place_room *room);

#endif
