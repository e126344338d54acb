/* The criteria regular and safe, after Lamport, "On interprocess communication" (1986), for any number of writers
 * (docs/CRITERIA.md): each read is judged by itself. With all writes it is linearizable iff it returns the value of a
 * write w that it does not precede, and no other write lies wholly between w and the read. The initial value was
 * written before everything.
 *
 * Whether a read is right is a matter of the history, so it is found when the history is bound: a read that is right
 * becomes one of another method, of the same name, that can come anywhere. What is left is linearizable iff there is no
 * wrong read, and a wrong one is explained like any violation. */
#ifndef PLUMB_OBJECT_REGULAR_H
#define PLUMB_OBJECT_REGULAR_H

#include "object/object.h"

/* Changes `t`, a copy of the object's type. */
void relax_regular(object *o, object_type *t);
/* Of a history that has just been bound: reads that are right become ones of the method that relax_regular added. */
void regular_excuse(const object *o, history *h);

bool regular_reads(const object *o, const operation *op); /* it is a read; everything else writes */
value regular_written(const object *o, const operation *op);
/* Would a read with this result be right if this had been the last value written? */
bool regular_fits(const object *o, const operation *read, value written);

#endif
