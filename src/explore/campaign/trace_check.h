/* Decides for a whole trace: is there an interleaving of these steps, equal up to the order of independent ones, whose
 * history is a violation? One check for each trace instead of one for each interleaving (docs/EXPLORER.md has the
 * proof).
 *
 * Only calls and returns matter: 2n boundary events with the order that every interleaving of the trace keeps. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_TRACE_CHECK_H
#define PLUMB_EXPLORE_CAMPAIGN_TRACE_CHECK_H

#include "explore/model/trace_clocks.h"
#include "explore/model/world.h"
#include "object/object.h"

typedef struct trace_check trace_check; /* remembers signatures: equal ones are decided once */
/* declared operation -> method of the object */
trace_check *trace_check_new(object *o, const uint8_t *method_of_operation);
void trace_check_free(trace_check *c);
/* From now on an execution is one history, whose operations are ordered by happens-before alone (`clocks`): it is right
 * if some order of all operations extends that and is legal (docs/proofs/weak-memory.md). */
void trace_check_by_happens_before(trace_check *c);

typedef enum trace_verdict { TRACE_RIGHT, TRACE_VIOLATION, TRACE_UNDECIDED } trace_verdict;
/* `clocks` NULL: only the interleaving as it happened. On a violation `order` receives the calls and returns in the
 * violating order: 2*i the call, 2*i+1 the return of op i. */
trace_verdict trace_check_decide(trace_check *c, const world *w, const trace_clocks *clocks, uint32_t *order,
                                 uint32_t *length);
uint64_t trace_check_signatures(const trace_check *c);
uint64_t trace_check_newest(const trace_check *c); /* a fingerprint of the last signature that was new */

#endif
