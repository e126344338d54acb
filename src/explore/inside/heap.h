/* The heap of the code under test (heap.c), and whether an address of it may be used. */
#ifndef PLUMB_EXPLORE_INSIDE_HEAP_H
#define PLUMB_EXPLORE_INSIDE_HEAP_H

#include "base/hash128.h"
#include "explore/inside/areas.h"
#include "explore/inside/invariant.h"

enum { HEAP_GRANULE = 16 };
/* PARTLY_USED has the bit of IN_USE: a block ends inside of it, or before */
typedef enum heap_use { NEVER_USED, IN_USE, FREED, PARTLY_USED } heap_use;

extern uint8_t *heap_uses HIDDEN; /* heap.c: heap_use of each granule */

bool heap_open(char *wrong, size_t room);
void heap_reset(void);
void heap_born(void); /* the constructors have run: every execution starts from this */
void heap_each_born(void (*each)(uintptr_t address, size_t bytes, uintptr_t pc));
void *heap_allocate(size_t size, size_t alignment, uintptr_t pc);
void heap_release(void *p, uintptr_t pc);
size_t heap_size(const void *p);
void heap_check_access(uintptr_t a, uint64_t size, bool write, uintptr_t pc);
void heap_check_leaks(void);
void heap_each_used(void (*each)(void *context, uintptr_t address, const void *bytes, size_t size), void *context);

static inline uint32_t heap_granule(uintptr_t a) {
    INVARIANT(address_is_heap(a));
    return (uint32_t)((a - HEAP_BASE) / HEAP_GRANULE);
}
static inline bool heap_in_use(uintptr_t a) { return heap_uses[heap_granule(a)] & IN_USE; }
ALWAYS_INLINE void heap_check(uintptr_t a, uint64_t size, bool write, uintptr_t pc) {
    if (UNLIKELY(heap_uses[heap_granule(a)] != IN_USE || a % HEAP_GRANULE + size > HEAP_GRANULE))
        heap_check_access(a, size, write, pc);
}

void heap_hash(hash128 *h); /* all that an execution may have changed, but who did */

#endif
