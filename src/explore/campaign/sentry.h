/* Executions of the explorer as observers see them (observe/observer.h): a campaign with a monitor runs it on every
 * distinct history, or, when it looks at linearization points, on every execution as it happened. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_SENTRY_H
#define PLUMB_EXPLORE_CAMPAIGN_SENTRY_H

#include "explore/model/world.h"
#include "observe/observer.h"

/* One operation, bound to the object. False: it is none of the object's. */
bool explored_bind(const object *o, const uint8_t *method_of, values *v, const explored_operation *e, uint32_t index,
                   operation *out);

typedef struct sentry sentry;
typedef enum sentry_verdict {
    SENTRY_GOOD,
    SENTRY_SILENT,
    SENTRY_UNDECIDED,
    SENTRY_VIOLATION,
    SENTRY_PATTERN, /* one of the user's own, whatever the object says of the history */
    SENTRY_ANNOTATION,
    SENTRY_DISAGREEMENT
} sentry_verdict;

/* `what` as --monitor takes it; "agree" is for tests: nothing but whether all agree (agreement.h). NULL with the
 * error set: no such monitor, or not for this object. */
sentry *sentry_open(const char *what, object *o, const uint8_t *method_of, error *e);
void sentry_close(sentry *w);
bool sentry_needs_points(const sentry *w);
/* The history with this order of calls and returns (2*i the call, 2*i+1 the return of operation i of the world). */
sentry_verdict sentry_history(sentry *w, const explored_operation *op, uint32_t n, values *v, const uint32_t *order,
                              uint32_t events);
/* The execution as it happened, with its marks. */
sentry_verdict sentry_execution(sentry *w, const world *v);
const char *sentry_message(const sentry *w); /* why the last verdict was not good */

#endif
