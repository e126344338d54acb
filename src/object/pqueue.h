/* Which of two elements leaves a priority queue first. */
#ifndef PLUMB_OBJECT_PQUEUE_H
#define PLUMB_OBJECT_PQUEUE_H

#include "object/object.h"

int pqueue_better(const object *o, value a, value b); /* above zero: a goes before b */

#endif
