/* The criterion local: local linearizability. */
#ifndef PLUMB_OBJECT_LOCAL_H
#define PLUMB_OBJECT_LOCAL_H

#include "object/object.h"

/* Of a history that has just been bound: its operations are told apart by who added the value they are about. False
 * (EXIT_BAD_INPUT): it does not tell. */
bool local_split(const object *o, history *h, const char *file, error *e);

#endif
