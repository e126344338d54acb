/* Is this order a linearization of this history? (Of criteria by which operations take effect together: steps_check.h.)
 * Replays it on the sequential object and checks it against the order of calls and returns, in time linear in the
 * number of operations. */
#ifndef PLUMB_EVIDENCE_WITNESS_CHECK_H
#define PLUMB_EVIDENCE_WITNESS_CHECK_H

#include "engine/engine.h"

/* On refusal says what is wrong, naming operations by their numbers. */
bool witness_check(const history *h, const object *o, const witness *w, text *wrong);
/* Operations of one client that touch at a stamp at which others' do (history/history.h) overlap, and are in their
 * order. */
bool witness_keeps_own_order(const history *h, const witness *w);

#endif
