/* Graphs that several processes have to run, in memory which they share. What is to be done below a graph has nothing
 * in common with the rest: a process that has nothing left takes a whole graph from one that has several. */
#ifndef PLUMB_EXPLORE_STRATEGY_GRAPH_POOL_H
#define PLUMB_EXPLORE_STRATEGY_GRAPH_POOL_H

#include "explore/graph/graph.h"
#include "explore/strategy/share.h"

typedef struct graph_pool graph_pool;

graph_pool *graph_pool_new(unsigned workers); /* before the processes are forked; NULL: no memory */
void graph_pool_free(graph_pool *p);

bool graph_pool_begins(graph_pool *p);               /* true for one of them: it has the empty graph */
bool graph_pool_wants(const graph_pool *p);          /* another process has nothing left */
bool graph_pool_give(graph_pool *p, const graph *g); /* false: it is too large, or there is no room */
/* Waits for one; NULL: nothing is left to any of them, or one has left before. */
graph *graph_pool_take(graph_pool *p, const share *s);

#endif
