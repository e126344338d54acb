/* "Did you mean ...?" */
#ifndef PLUMB_BASE_NEAREST_H
#define PLUMB_BASE_NEAREST_H

#include <stddef.h>

/* The name among `names` (blank-separated) that is nearest to `word`, when it is near enough to suggest; else NULL.
 * The result points into `names` and has the returned length. */
const char *nearest_name(const char *word, const char *names, size_t *length);

#endif
