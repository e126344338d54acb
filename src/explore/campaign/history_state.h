/* What of a history so far its verdict depends on, as a number: for strategies that compare states. Two executions
 * that are in the same state of the program, with equal numbers here, have the same verdicts ahead of them.
 *
 * Where a linearization is asked for, step by step, that is the set of configurations: the state of the object, which
 * running operations have taken effect, and with which results (Alur, McMillan, Peled 1996). Otherwise it is the
 * history itself: which operations of each thread have been called and have returned, with which results, and how many
 * of each other thread's had returned before each call. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_HISTORY_STATE_H
#define PLUMB_EXPLORE_CAMPAIGN_HISTORY_STATE_H

#include "explore/model/world.h"
#include "object/object.h"

typedef struct history_state history_state;

typedef enum history_kept {
    KEPT_CONFIGURATIONS, /* where the object allows; else KEPT_ORDER */
    KEPT_ORDER,          /* for what looks at histories */
    KEPT_EVENTS,         /* for what looks at executions: marks as well, and the order of all events */
} history_kept;

history_state *history_state_new(object *o, const uint8_t *method_of, history_kept what);
void history_state_free(history_state *s);
hash128 history_state_hash(void *self, const world *w);
/* Of an execution that has ended: no configuration is left. Only where configurations are kept. */
bool history_state_refutes(history_state *s, const world *w, bool *says);

#endif
