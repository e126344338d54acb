/* Calls and returns of one execution with the order that every interleaving of its trace keeps.
 *
 * A call happens with the first step of its operation, a return with the last. Every linear extension of the induced
 * order on calls and returns is the history of an interleaving of the trace: steps that the trace does not order can be
 * exchanged until it is. What happened while only one thread was alive has no step and is ordered by position. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_BOUNDARY_H
#define PLUMB_EXPLORE_CAMPAIGN_BOUNDARY_H

#include "explore/model/trace_clocks.h"
#include "explore/model/world.h"

enum { BOUNDARY_OPERATIONS = 32 };

typedef struct boundary {
    /* operations, thread by thread: the numbering does not depend on the schedule */
    uint32_t n;
    uint8_t op[BOUNDARY_OPERATIONS];          /* number in the world */
    uint64_t all;                             /* events there are: bit 2k the call, 2k+1 the return of operation k */
    uint64_t before[2 * BOUNDARY_OPERATIONS]; /* must come before this event */
    uint32_t step[2 * BOUNDARY_OPERATIONS];   /* NO_STEP: none */
} boundary;

/* `clocks` NULL: all events in the order they happened. False: more operations than can be looked at. */
bool boundary_build(boundary *b, const world *w, const trace_clocks *clocks);

/* Call and return of one step cannot be torn apart. */
static inline bool boundary_is_unit(const boundary *b, unsigned e) {
    return b->step[e] != NO_STEP && (b->all >> (e ^ 1) & 1) && b->step[e] == b->step[e ^ 1];
}

#endif
