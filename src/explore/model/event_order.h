/* Orders of calls and returns, as the check of traces, sentries and extensions hand them on: 2*i is the call, 2*i+1 the
 * return of operation i of the world. */
#ifndef PLUMB_EXPLORE_MODEL_EVENT_ORDER_H
#define PLUMB_EXPLORE_MODEL_EVENT_ORDER_H

#include "explore/model/world.h"

/* Each event once, a return only behind its call and only of an operation that returned, and the operations of one
 * thread one after the other. Operations may be missing. For assertions. */
static inline bool event_order_is_sound(const explored_operation *op, uint32_t n, const uint32_t *order,
                                        uint32_t events) {
    uint64_t called = 0, returned = 0;
    if (n > OPERATIONS_MAX) return false;
    for (uint32_t k = 0; k < events; k++) {
        uint32_t i = order[k] / 2;
        if (i >= n) return false;
        uint64_t bit = UINT64_C(1) << i;
        bool is_return = order[k] & 1;
        if (is_return ? !(called & bit) || (returned & bit) || !op[i].returned : (called & bit) != 0) return false;
        for (uint32_t j = 0; j < n && !is_return; j++) {
            bool open = (called & ~returned) >> j & 1;
            if (op[j].thread == op[i].thread && ((j > i && (called >> j & 1)) || (open && op[j].returned)))
                return false;
        }
        if (is_return) returned |= bit;
        else called |= bit;
    }
    return true;
}

#endif
