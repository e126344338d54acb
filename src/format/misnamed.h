/* Fields of other people's lines that say what one of ours says. Ours is looked for under its own name only, and a line
 * without it means something else: no result is "empty", no return is pending, no client is a client of its own. So
 * such a line is refused. */
#ifndef PLUMB_FORMAT_MISNAMED_H
#define PLUMB_FORMAT_MISNAMED_H

#include <stddef.h>

typedef struct misnamed {
    const char *name, *meant;
} misnamed;

/* NULL: the name of something else. */
const misnamed *misnamed_find(const char *name, size_t size);

#endif
