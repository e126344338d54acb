/* The criterion spurious: answers that are excused. */
#ifndef PLUMB_OBJECT_SPURIOUS_H
#define PLUMB_OBJECT_SPURIOUS_H

#include "object/leave_out.h"

/* Changes `t`, a copy of the object's type; false (EXIT_USAGE): the criterion names what the object has not. */
bool relax_spurious(object *o, object_type *t, error *e);
/* Of a history that has just been bound: excused operations become ones of the methods that relax_spurious added. */
void spurious_excuse(const object *o, history *h);

#endif
