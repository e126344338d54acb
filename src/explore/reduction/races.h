/* Which earlier steps does a step depend on, and with which of them could it change places?
 *
 * A race is a pair of dependent steps of different threads that nothing orders but their dependence. Reversing it is
 * what another execution is worth running for. */
#ifndef PLUMB_EXPLORE_REDUCTION_RACES_H
#define PLUMB_EXPLORE_REDUCTION_RACES_H

#include "explore/reduction/nodes.h"

typedef struct race_query {
    uint32_t depth; /* the step comes behind so many recorded ones */
    unsigned thread;
    const place *at; /* two */
    uint8_t kind, flags;
    bool marker;  /* it is its thread's marker */
    bool reverse; /* give alternatives to the nodes of races */
} race_query;

/* `clock` is what the thread knew before; it becomes what it knows after (but for the step itself). */
void races_find(nodes *n, const race_query *q, uint16_t *clock);

/* The same where only the order is asked for: of a thread that reads or writes at one place, in one list of
 * accesses. */
void races_order(const nodes *n, unsigned thread, const place *p, uint16_t *clock, int32_t newest);

typedef struct alternatives {
    thread_set enabled, backtrack, sleep;
} alternatives;
/* What has to be explored at a node so that one of the initials is; nothing if one is already. */
thread_set alternatives_needed(const alternatives *a, thread_set initials, unsigned preferred);
void node_offer(nodes *n, uint32_t i, thread_set initials, unsigned preferred);

#endif
