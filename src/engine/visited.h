/* The configurations a search has been at: (deadline, mask, situation), exact, in an open-addressing table. */
#ifndef PLUMB_ENGINE_VISITED_H
#define PLUMB_ENGINE_VISITED_H

#include "base/budget.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct configuration {
    uint64_t mask;
    uint32_t deadline;
    uint32_t situation;
} configuration;

typedef struct visited {
    configuration *at; /* free when deadline is UINT32_MAX */
    size_t count, room;
    budget *budget;
} visited;

void visited_init(visited *v, budget *b);
void visited_free(visited *v);
bool visited_add(visited *v, configuration c); /* false: was there already */

#endif
