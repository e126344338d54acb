/* What every outcome of an engine keeps to, whatever the engine: asserted where engines are called. Whether a
 * witness is a run of the object is not asked here; the evidence room replays it. */
#ifndef PLUMB_ENGINE_OUTCOME_CHECK_H
#define PLUMB_ENGINE_OUTCOME_CHECK_H

#include "engine/engine.h"

/* The operations ascend, so they are sorted by call, and each that returned did so after its call. */
bool problem_is_sound(const problem *p);

/* Operations of the part, each once, in an order (or in steps) that respects happens-before. `complete`: none that
 * returned is missing. */
bool witness_is_sound(const problem *p, const witness *w, bool complete);

/* The verdict has the evidence that belongs to it, and no other. */
bool outcome_is_sound(const engine *g, const problem *p, const outcome *out);

#endif
