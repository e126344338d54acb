/* The oracle: a deliberately simple decider of linearizability, after Herlihy and Wing's definition: is there an order
 * of the completed operations, and of any of the pending ones, that extends happens-before and is a run of the
 * sequential object? Every order is tried, except beginnings that reach the same state with the same operations as one
 * that failed. It shares no code with the engines and is used to check them, and to check cores. */
#ifndef PLUMB_EVIDENCE_ORACLE_H
#define PLUMB_EVIDENCE_ORACLE_H

#include "base/budget.h"
#include "object/object.h"

enum { ORACLE_MAX_OPERATIONS = 24 }; /* as many as it is willing to look at */

typedef enum oracle_answer { ORACLE_NO, ORACLE_YES, ORACLE_GAVE_UP } oracle_answer;

/* h is bound to o. Gives up above ORACLE_MAX_OPERATIONS or after `steps` steps of the object, weighed (0: no limit). */
oracle_answer oracle_linearizable(const object *o, const history *h, uint64_t steps);

/* The same for a history of one part, with extra order: before[i] is a set (bit j: operation j must come before i)
 * added to happens-before. The steps it took are added to `*taken` (NULL: not counted). */
oracle_answer oracle_linearizable_with(const object *o, const history *h, const uint32_t *before, uint64_t steps,
                                       uint64_t *taken);

#endif
