/* Machine code taken apart by libcapstone, where it is there. */
#ifndef PLUMB_EXPLORE_COMPILE_DECODE_H
#define PLUMB_EXPLORE_COMPILE_DECODE_H

#include <stdbool.h>
#include <stddef.h>

bool decode_available(void);
/* Instructions with a lock prefix, and exchanges with memory. The text of the first one goes to `first`. */
unsigned decode_count_atomics(const unsigned char *code, size_t size, char *first, size_t room);

#endif
