/* One witness from the witnesses of all parts. */
#ifndef PLUMB_ENGINE_MERGE_H
#define PLUMB_ENGINE_MERGE_H

#include "engine/engine.h"
#include "history/partition.h"

/* `part[p]` is the witness of part p, in operations of g, the history laid out part by part (regroup.h); `all` is in operations of
 * the original. Results are kept only when asked for. */
void merge_witnesses(const history *g, const partition *parts, const witness *const *part, bool results, witness *all);

#endif
