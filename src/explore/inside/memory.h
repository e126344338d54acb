/* Reading memory of the program under test. */
#ifndef PLUMB_EXPLORE_INSIDE_MEMORY_H
#define PLUMB_EXPLORE_INSIDE_MEMORY_H

#include "explore/inside/invariant.h"

static inline uint64_t memory_at(uintptr_t a, uint32_t size) {
    uint64_t v = 0;
    switch (size) {
    case 1: return *(const volatile uint8_t *)a;
    case 2: memcpy(&v, (const void *)a, 2); return v;
    case 4: memcpy(&v, (const void *)a, 4); return v;
    default: memcpy(&v, (const void *)a, 8); return v;
    }
}

/* The same of any size up to eight. */
static inline uint64_t bytes_at(uintptr_t a, uint32_t size) {
    uint64_t v = 0;
    INVARIANT(size <= 8);
    if (LIKELY(!(size & (size - 1)))) return memory_at(a, size);
    memcpy(&v, (const void *)a, size);
    return v;
}

#endif
