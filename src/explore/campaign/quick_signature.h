/* Signatures of traces that were seen before, found without building the order of calls and returns.
 *
 * Most executions repeat a signature. Where every operation has returned and has steps, the order of calls and returns
 * follows from how many of each thread's come before each: equal operations and equal numbers, equal signatures. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_QUICK_SIGNATURE_H
#define PLUMB_EXPLORE_CAMPAIGN_QUICK_SIGNATURE_H

#include "explore/model/trace_clocks.h"
#include "explore/model/world.h"

enum { NO_SIGNATURE = -1 };

typedef struct quick_signatures quick_signatures;
quick_signatures *quick_signatures_new(void);
void quick_signatures_free(quick_signatures *q);

/* Where the number of the execution's signature is kept, for the caller to set when it is NO_SIGNATURE; until the next
 * call. NULL: it cannot be told that way. */
int64_t *quick_signature_find(quick_signatures *q, const world *w, const trace_clocks *clocks);

#endif
