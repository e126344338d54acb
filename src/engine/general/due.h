/* When operations have to have taken effect, for searches that move over events.
 *
 * One that returned: by its return. In a line of elements (queue, stack, deque), a pending add whose value was added
 * once and came out took effect before that removal returned: it is as if it had returned right before. A pending add
 * whose value no operation that returned took out may be left out: without it all that comes out comes out as before,
 * what found the line empty finds it empty, and a pending removal that took it is left out too. */
#ifndef PLUMB_ENGINE_GENERAL_DUE_H
#define PLUMB_ENGINE_GENERAL_DUE_H

#include "engine/engine.h"

bool adds_are_distinct(const problem *p); /* no value comes in twice */

#define DUE_NEVER UINT64_MAX

/* On a scale on which rank r is 2 * r + 1, and 2 * r is right before it. */
typedef struct due_times {
    uint64_t *at; /* by position in p->op; DUE_NEVER: pending */
    uint8_t *out; /* by position: a pending add that may be left out */
} due_times;

void due_times_init(due_times *d, const problem *p);
void due_times_free(due_times *d);

static inline uint64_t due_scale(uint32_t rank) { return 2 * (uint64_t)rank + 1; }
static inline uint32_t due_rank(uint64_t due) { return (uint32_t)(due / 2); }

#endif
