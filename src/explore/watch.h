/* Executions of the explorer as observers see them (observe/observer.h): a campaign with a monitor runs it on every distinct
 * history, or, when it looks at linearization points, on every execution as it happened. */
#ifndef PLUMB_EXPLORE_WATCH_H
#define PLUMB_EXPLORE_WATCH_H

#include "explore/world.h"
#include "observe/observer.h"

/* One operation, bound to the object. False: it is none of the object's. */
bool explored_bind(const object *o, const uint8_t *method_of, values *v, const explored_operation *e, uint32_t index, operation *out);

typedef struct watch watch;
typedef enum watch_verdict { WATCH_GOOD, WATCH_SILENT, WATCH_UNDECIDED, WATCH_VIOLATION, WATCH_ANNOTATION, WATCH_DISAGREEMENT } watch_verdict;

/* `what` as --monitor takes it; "agree" is for tests: pattern and A_0..A_4 against all linearizations, and no other verdict. NULL with the error set: no such monitor, or not for this object. */
watch *watch_open(const char *what, object *o, const uint8_t *method_of, error *e);
void watch_close(watch *w);
bool watch_needs_points(const watch *w);
/* The history with this order of calls and returns (2*i the call, 2*i+1 the return of operation i of the world). */
watch_verdict watch_history(watch *w, const explored_operation *op, uint32_t n, values *v, const uint32_t *order, uint32_t events);
/* The execution as it happened, with its marks. */
watch_verdict watch_execution(watch *w, const world *v);
const char *watch_message(const watch *w); /* why the last verdict was not good */
const char *watch_name(const watch *w);

#endif
