/* How graphs grow: by the next event of a thread, in every consistent way, each graph exactly once (TruSt:
 * Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022; docs/proofs/weak-memory.md).
 *
 * A read may read from every write that is there. A write may stand everywhere in modification order; besides, it
 * *revisits* reads that came before it: each of them may read from it in a graph without what was added behind the
 * read, unless the write depends on it, provided that all of this was added in the one way by which such a graph is
 * found. */
#ifndef PLUMB_EXPLORE_GRAPH_GROWTH_H
#define PLUMB_EXPLORE_GRAPH_GROWTH_H

#include "explore/graph/graph.h"

typedef struct graph_list {
    graph **at;
    uint32_t n, room;
} graph_list;

void graph_list_add(graph_list *l, graph *g);
void graph_list_free(graph_list *l);

/* Adds an event as described; graphs that go on from here without a change to what was there before are added to
 * `onward`, the others to `back`. Takes nothing. */
void graph_grow(const graph *g, const graph_event *e, graph_list *onward, graph_list *back);

/* Appends an event that reads the write of this rank, or stands right behind it; an update with both halves. False: no
 * graph of the model. Nothing is revisited: for executions that are repeated. */
bool graph_append(graph *g, const graph_event *e, uint16_t rank);

#endif
