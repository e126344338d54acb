/* "Did you mean ...?" */
#ifndef PLUMB_BASE_NEAREST_H
#define PLUMB_BASE_NEAREST_H

#include "base/error.h"

#include <stddef.h>

/* The name among `names` (blank-separated) that is nearest to `word`, when it is near enough to suggest; else NULL.
 * The result points into `names` and has the returned length. */
const char *nearest_name(const char *word, const char *names, size_t *length);

/* "unknown KIND 'what'", and the nearest of the names, or the command that lists them (`plumb KINDs`). Of `what` the
 * first bytes are the name. Always false. */
bool unknown_name(const char *kind, const char *what, size_t length, const char *names, error *e);

#endif
