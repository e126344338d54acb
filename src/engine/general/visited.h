/* The configurations a search has been at: (deadline, mask, situation), exact.
 *
 * A search moves slowly over the deadlines and mostly has few configurations at each, so every deadline has a short
 * chain in a pool that is filled in the order of the search: what is near in time is near in memory. What no longer
 * fits a chain goes to an open-addressing table with the configurations in its slots (base/table.h would keep them in
 * an array beside it: two places to look at instead of one). */
#ifndef PLUMB_ENGINE_GENERAL_VISITED_H
#define PLUMB_ENGINE_GENERAL_VISITED_H

#include "base/budget.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct configuration {
    uint64_t mask;
    uint32_t deadline;
    uint32_t situation;
} configuration;

typedef struct visited {
    struct chained *pool;
    uint32_t *head; /* by deadline: pool index + 1 */
    uint32_t deadlines;
    uint32_t chained, pool_room;
    configuration *table; /* free where deadline is UINT32_MAX; NULL until needed */
    size_t count, room;
    budget *budget;
    size_t charged;
} visited;

void visited_init(visited *v, uint32_t deadlines, budget *b);
void visited_free(visited *v);
bool visited_add(visited *v, configuration c); /* false: was there already */

#endif
