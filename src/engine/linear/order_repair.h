/* An order in which some observers have no place, mended where it does not fit: a window of it, from the beginning of
 * one chain to that of another, is decided anew by a general engine, with the observers that need a place in it, from
 * the value that is held at its beginning. Whatever order is found there, everything outside stays as it is: what
 * comes before and behind the window in a right order may come before and behind in any order of the window. */
#ifndef PLUMB_ENGINE_LINEAR_ORDER_REPAIR_H
#define PLUMB_ENGINE_LINEAR_ORDER_REPAIR_H

#include "engine/linear/placement.h"

typedef struct order_to_repair {
    const problem *p;
    const value_order *o;
    const bool *begins; /* by place: a chain begins there, so that what is held before does not matter behind */
    const loose_observer *loose;
    uint32_t looses;
    const uint32_t *place; /* by observer; PLACE_NONE: to be found one */
    const place_room *room;
} order_to_repair;

/* False: some windows, grown as far as is sensible, have no order, or the budget is spent. */
bool order_repair(const order_to_repair *in, witness *w);

#endif
