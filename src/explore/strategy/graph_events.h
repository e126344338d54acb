/* Steps of a world as events of an execution graph. */
#ifndef PLUMB_EXPLORE_STRATEGY_GRAPH_EVENTS_H
#define PLUMB_EXPLORE_STRATEGY_GRAPH_EVENTS_H

#include "explore/graph/graph.h"
#include "explore/model/trace_clocks.h"
#include "explore/model/world.h"

/* The others touch nothing that an event could be in the way of: they are made at once. */
bool step_is_event(const step *p);
/* The event that a thread stands before; its place is one of the graph from then on. */
graph_event event_pending(graph *g, const world *w, unsigned thread);

typedef struct graph_step {
    uint8_t thread;
    uint8_t events;   /* how many of its thread it executed: 0, 1, of an update 2 */
    uint16_t index;   /* the first of them */
    uint32_t choices; /* made before it */
} graph_step;

typedef struct step_clocks { /* owned by the caller */
    uint8_t *thread;
    uint16_t (*row)[THREADS_MAX];
    uint32_t room;
} step_clocks;
/* Happens before, of the steps of an execution. */
trace_clocks graph_step_clocks(const graph *g, const graph_step *made, uint32_t steps, step_clocks *room);

#endif
