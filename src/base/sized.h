/* Structures of the front door begin with their size (`struct_size`): as large as the caller, compiled earlier or
 * later, knows them. */
#ifndef PLUMB_BASE_SIZED_H
#define PLUMB_BASE_SIZED_H

#include <stddef.h>
#include <string.h>

/* Of ours, as much as the caller knows. */
static inline void give_sized(void *theirs, const void *ours, size_t size) {
    size_t wanted = *(const size_t *)theirs;
    memcpy(theirs, ours, wanted < size ? wanted : size);
    *(size_t *)theirs = wanted;
}

/* Of what the caller gave, as much as we know; the rest stays as it is. NULL: nothing was given. A size that was not
 * set is the caller's mistake, to be told before (options_have_size). */
static inline void take_sized(void *ours, const void *theirs, size_t size) {
    if (!theirs) return;
    size_t given = *(const size_t *)theirs;
    memcpy(ours, theirs, given < size ? given : size);
}

#endif
