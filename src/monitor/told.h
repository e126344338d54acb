/* After a time in which an object's state was not followed: which state an operation tells, right after it took
 * effect. */
#ifndef PLUMB_MONITOR_TOLD_H
#define PLUMB_MONITOR_TOLD_H

#include "monitor/part.h"

bool object_tells_state(const object *o); /* some operation of it does */

/* The operation has returned. False: it leaves open what the state is. */
bool operation_tells_state(const object *o, const monitored *op, state *s);

#endif
