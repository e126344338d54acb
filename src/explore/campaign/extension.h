/* From an order of calls and returns that a trace allows to a schedule of the whole trace in which they happen so. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_EXTENSION_H
#define PLUMB_EXPLORE_CAMPAIGN_EXTENSION_H

#include "explore/strategy/strategy.h"

/* `was` is the schedule that was executed. Each event's step comes as soon as the order asks for it, behind the steps
 * it depends on; the others follow as they did, or, `tidy`, so that threads are switched rarely. `out` must be
 * empty. */
void extension_schedule(const world *w, const trace_clocks *c, const uint32_t *order, uint32_t length,
                        const schedule *was, bool tidy, schedule *out);

#endif
