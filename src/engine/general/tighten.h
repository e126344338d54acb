/* When operations on a line of elements (queue, stack, deque) can take effect, told more narrowly than by their calls
 * and returns: of two values, six orders of their adds and removals can be thought of, and only some of them are right.
 * Where the intervals leave few, all that these have in common is certain. */
#ifndef PLUMB_ENGINE_GENERAL_TIGHTEN_H
#define PLUMB_ENGINE_GENERAL_TIGHTEN_H

#include "engine/engine.h"

typedef enum tightening { TIGHTEN_NOTHING, TIGHTEN_DONE, TIGHTEN_VIOLATION } tightening;

typedef struct tightened {
    history *h;      /* the same operations in the order of their new calls */
    uint32_t *order; /* operation i of h is at this position of the problem */
} tightened;

bool tighten_applies(const problem *p); /* to lines of elements, by linearizability */
/* TIGHTEN_NOTHING: it does not apply, or is as it was. TIGHTEN_VIOLATION: two values cannot both be right. Otherwise
 * the history in `t` has the linearizations of the problem, and no others. */
tightening tighten(const problem *p, tightened *t);
void tightened_free(tightened *t);

#endif
