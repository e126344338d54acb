/* Is an execution graph one of the model? Coherence, atomicity of updates and the absence of cycles of program order
 * and reads-from are kept by how graphs grow (growth.c); here is what has to be asked of a whole graph. */
#ifndef PLUMB_EXPLORE_GRAPH_CONSISTENCY_H
#define PLUMB_EXPLORE_GRAPH_CONSISTENCY_H

#include "explore/graph/graph.h"

/* sc: program order, reads-from, modification order and from-reads together have no cycle. rc11: no cycle of psc, the
 * order of sequentially consistent accesses and fences (Lahav and others, PLDI 2017, section 3). ra: nothing is left to
 * ask. */
bool graph_is_consistent(const graph *g);

#endif
