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

typedef struct graph_steps { /* of one execution; empty when zeroed */
    graph_step *at;
    uint32_t n, room;
    uint8_t *clock_thread; /* what graph_step_clocks answers with */
    uint16_t (*clock_row)[THREADS_MAX];
    uint32_t clock_room;
} graph_steps;

void graph_steps_add(graph_steps *s, graph_step made);
void graph_steps_free(graph_steps *s);
static inline graph_step *graph_steps_last(const graph_steps *s) { return &s->at[s->n - 1]; }
/* Happens before, of the steps; valid until the next call. */
trace_clocks graph_step_clocks(const graph *g, graph_steps *s);

#endif
