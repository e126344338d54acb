/* For each element those that may overtake it: whose removal may come while it is inside, and that, in a stack, may be
 * pushed before it, or, in a priority queue, are worse. An element whose overtakers are all gone can be overtaken no more. */
#ifndef PLUMB_ENGINE_OVERTAKERS_H
#define PLUMB_ENGINE_OVERTAKERS_H

#include "engine/quasi_stage.h"

typedef struct overtakers {
    uint32_t *start; /* by value: its overtakers are list[start[v]] .. list[start[v + 1] - 1] */
    uint32_t *list;
    uint8_t *many;   /* by value: more than the limit, so they are not listed */
} overtakers;

/* `priority`: by value; NULL: a stack. */
void overtakers_init(overtakers *o, const stage *s, const uint32_t *priority, uint32_t limit);
uint32_t overtakers_limit(const stage *s); /* enough to be worth listing */
void overtakers_free(overtakers *o);

#endif
