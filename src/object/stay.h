/* What has to stay of a history with a few of its operations, when everything else leaves (object/leave_out.h). */
#ifndef PLUMB_OBJECT_STAY_H
#define PLUMB_OBJECT_STAY_H

#include "object/object.h"

typedef struct staying {
    uint32_t *op; /* ascending; to be freed. NULL: nothing may leave */
    uint32_t n;
    bool by_epochs; /* whole stretches of time leave */
} staying;

/* Of these operations (ascending): those in `focus` (ascending, some of them), and all that may not leave without them.
 * By the cheapest rule that lets much of a long history leave. */
staying object_stay_with(const object *o, const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus,
                         uint32_t focus_n);

/* The same for the operations nearest in time to this rank, `each` of those called before it and after it, and the one
 * that returned there; but without those among them that speak about everything (LEAVE_FRAGILE). NULL also when that
 * would not be fewer than `most`. */
staying object_stay_near(const object *o, const history *h, const uint32_t *op, uint32_t n, uint32_t rank,
                         uint32_t each, uint32_t most);

#endif
