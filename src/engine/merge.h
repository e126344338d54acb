/* One witness from the witnesses of all parts. */
#ifndef PLUMB_ENGINE_MERGE_H
#define PLUMB_ENGINE_MERGE_H

#include "engine/engine.h"
#include "history/partition.h"

/* `part[p]` is the witness of part p, in operations of g, the history h laid out part by part (regroup.h); `all` is in
 * operations of h. Results are kept only when an operation of h is pending. */
void merge_witnesses(const history *h, const history *g, const partition *parts, const witness *const *part,
                     witness *all);

/* The same for witnesses that are steps: those of one part behind those of another, since order matters within a part
 * only. */
void merge_steps(const history *h, const partition *parts, const witness *const *part, witness *all);

#endif
