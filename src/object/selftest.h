/* Is a plug-in what it must be: a function of state and operation, that keeps to its state? Random operations, each
 * done more than once, find out for most that are not. */
#ifndef PLUMB_OBJECT_SELFTEST_H
#define PLUMB_OBJECT_SELFTEST_H

#include "base/error.h"
#include "plumbline/object.h"

/* Takes a fraction of a second at most. False: one line that begins with `name` and says what is wrong. */
bool plugin_selftest(const plumb_object *definition, const char *name, error *e);

#endif
