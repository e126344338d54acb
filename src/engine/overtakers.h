/* For each element of a stack, those that may still overtake it: whose push may come before its push returns, and whose pop
 * may come while it is inside. An element whose overtakers are all gone can be overtaken no more. */
#ifndef PLUMB_ENGINE_OVERTAKERS_H
#define PLUMB_ENGINE_OVERTAKERS_H

#include "engine/quasi_stage.h"

typedef struct overtakers {
    uint32_t *start; /* by value: its overtakers are list[start[v]] .. list[start[v + 1] - 1] */
    uint32_t *list;
    uint8_t *many;   /* by value: more than the limit, so they are not listed */
} overtakers;

void overtakers_init(overtakers *o, const stage *s, uint32_t limit);
void overtakers_free(overtakers *o);

#endif
