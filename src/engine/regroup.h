/* A history laid out part by part. Operations of one part are scattered over the columns of a history; an engine that
 * works on one part would fetch nearly every cache line of every column, once for each part. Laid out anew, each part
 * is contiguous. */
#ifndef PLUMB_ENGINE_REGROUP_H
#define PLUMB_ENGINE_REGROUP_H

#include "history/partition.h"
#include "object/object.h"

/* Operation i of the result is operation parts->op[i] of h; within a part operations stay in the order of their calls.
 * Has only what engines look at: no stamps, lines, numbers or names; clients only if the object sees them, keys not at
 * all (within a part there is one). Values belong to h: free the result with
 * history_free before h. */
history *regroup(const history *h, const partition *parts, const object *o);
/* The same of some operations, in this order, in which they need not have been called: calls and returns are the
 * caller's to set. */
history *regroup_in_order(const history *h, const uint32_t *op, uint32_t n, const object *o);
void regroup_keep_calls(history *g); /* frees all columns but the calls */

#endif
