/* Overtakings that no order can avoid. Removing y overtakes x when x is inside and ahead of y; that is forced when
 *
 *     x's add returned before y's removal was called, y's removal returned before x's was called (or x never leaves),
 *     and queue: x's add returned before y's was called    stack: the other way round    priority queue: x is better
 *
 * So no order has fewer elements ahead of a removal, or an element overtaken less often, than counted here: a lower
 * bound of the smallest quasi(k), in time n log n (queue) or n log^2 n. */
#ifndef PLUMB_ENGINE_QUASI_OVERTAKINGS_H
#define PLUMB_ENGINE_QUASI_OVERTAKINGS_H

#include "engine/linear/inventory.h"

typedef enum element_order { OLDEST_AHEAD, NEWEST_AHEAD, BEST_AHEAD } element_order;

typedef struct overtakings {
    const inventory *c;
    element_order order;
    const uint32_t *priority;                        /* BEST_AHEAD: greater is better */
    uint32_t *ahead, *overtaken;                     /* by value: forced ones */
    uint32_t most_ahead, most_overtaken;             /* the greatest of these */
    uint32_t most_ahead_value, most_overtaken_value; /* and whose; NO_INDEX when there are no values */
} overtakings;

void overtakings_count(overtakings *f, const inventory *c, element_order order, const uint32_t *priority);
void overtakings_free(overtakings *f);

/* Of a part of a container with an order: the most forced ones. False: nothing is known (values that are added again,
 * two ends, the budget is spent, ...). */
bool overtakings_bound(const problem *p, uint32_t *ahead, uint32_t *overtaken);

/* Is it forced that y overtakes x? */
bool overtaking_forced(const overtakings *f, uint32_t y, uint32_t x);

/* The element and others that are forced to be ahead of it (or to overtake it), at most `limit` of these: by value. */
uint32_t overtakings_ahead_of(const overtakings *f, uint32_t y, uint32_t *list, uint32_t limit);
uint32_t overtakings_of(const overtakings *f, uint32_t x, uint32_t *list, uint32_t limit);

/* If one of these values has more forced overtakings than the limits allow, that is a violation with a pattern: the
 * value and one more than the limit that it has to overtake, or that have to overtake it. */
bool overtakings_violation(const overtakings *f, const uint32_t *suspect, uint32_t n, uint32_t ahead,
                           uint32_t overtaken, outcome *out);

#endif
