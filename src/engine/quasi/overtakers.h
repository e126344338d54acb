/* For each element those that may overtake it: whose removal may come while it is inside, and that, in a stack, may be
 * pushed before it, or, in a priority queue, are worse. An element whose overtakers are all gone can be overtaken no
 * more. */
#ifndef PLUMB_ENGINE_QUASI_OVERTAKERS_H
#define PLUMB_ENGINE_QUASI_OVERTAKERS_H

#include "engine/quasi/quasi_stage.h"

typedef struct overtakers_list {
    uint32_t start, n; /* n OVERTAKERS_MANY, OVERTAKERS_NOT_ASKED: they are not listed */
} overtakers_list;

#define OVERTAKERS_NOT_ASKED UINT32_MAX
#define OVERTAKERS_MANY (UINT32_MAX - 1)

typedef struct overtakers {
    const stage *s;
    const uint32_t *priority; /* by value; NULL: a stack */
    uint32_t limit;
    overtakers_list *of; /* by value */
    uint32_t *list, used, room;
    /* the removed values by the opening of their removals, in a tree */
    uint32_t *value; /* by place */
    uint32_t places, leaves;
    uint64_t *least;       /* of each range: the first push of a stack, the worst priority of a priority queue */
    uint32_t *last_closes; /* the last return of a removal */
} overtakers;

void overtakers_init(overtakers *o, const stage *s, const uint32_t *priority);
void overtakers_free(overtakers *o);

/* Lists those of v, computed on demand: most elements are never overtaken. False: they are too many to be
 * worth it. The list stays where it is until the next one is asked for. */
bool overtakers_of(overtakers *o, uint32_t v, const uint32_t **list, uint32_t *n);

#endif
