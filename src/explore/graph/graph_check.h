/* What holds of every graph that growth hands out, whatever the program: asked after each step in builds that check
 * themselves. */
#ifndef PLUMB_EXPLORE_GRAPH_GRAPH_CHECK_H
#define PLUMB_EXPLORE_GRAPH_GRAPH_CHECK_H

#include "explore/graph/graph.h"

/* Events of a thread are numbered one after the other; reads read placed writes of their own place, none that a write
 * they know of has overwritten; the writes of a place have the ranks from 1 on, each once; an update stands right
 * behind what it has read; clocks grow along program order and reads-from, and nothing is known that is not seen. */
bool graph_is_sound(const graph *g);

#endif
