/* A loop that is not proved to wait is taken to wait when it has read the same a few times over: writes that come later
 * revisit these reads. */
#ifndef PLUMB_EXPLORE_STRATEGY_GRAPH_ROUNDS_H
#define PLUMB_EXPLORE_STRATEGY_GRAPH_ROUNDS_H

#include "explore/graph/graph.h"
#include "explore/model/world.h"

/* Does it stand before an event that would begin one more such round? If so the world is told whether the last one has
 * read what is newest. */
bool thread_goes_round(graph *g, world *w, unsigned thread);

#endif
