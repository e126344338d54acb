/* Fixed addresses of what executions use: the same in every execution and every process, with or without address space
 * randomization. */
#ifndef PLUMB_EXPLORE_INSIDE_AREAS_H
#define PLUMB_EXPLORE_INSIDE_AREAS_H

#include "explore/model/step.h"

enum { PAGE_KNOWN = 4096 }; /* of memory: what is written is noticed page by page (reset.c) */

#define STACKS_BASE UINT64_C(0x600000000000)
/* One fiber's. Its stack is the upper end, as large as the program asks for; all below it is a guard, so that frames of
 * many megabytes do not jump over it. */
#define STACK_ROOM UINT64_C(0x10000000)
#define STACK_STANDARD UINT64_C(0x800000)
#define STACK_MOST UINT64_C(0xC000000)
#define HEAP_BASE UINT64_C(0x610000000000)
/* one fiber's; not a multiple of a page, or what threads touch first would compete for the same lines of the cache */
#define ARENA_ROOM UINT64_C(0x4000400)
#define TLS_BASE UINT64_C(0x620000000000)
#define TLS_ROOM UINT64_C(0x40000)
#define ENDS_BASE \
    UINT64_C(0x630000000000) /* no memory: a place for each thread, the ends of its operations (record.c) */
#define FREES_BASE \
    (NO_MEMORY_BASE + NO_MEMORY_ROOM / 2)    /* no memory: a place for each size of blocks, which were freed (heap.c) */
#define NOWHERE UINT64_C(0x8000000000000000) /* no area begins there */

static inline bool address_is_heap(uintptr_t a) { return a - HEAP_BASE < ARENA_ROOM * THREADS_MAX; }
static inline bool address_is_stack(uintptr_t a) { return a - STACKS_BASE < STACK_ROOM * THREADS_MAX; }
static inline bool address_is_tls(uintptr_t a) { return a - TLS_BASE < TLS_ROOM * THREADS_MAX; }
static inline unsigned stack_owner(uintptr_t a) { return (unsigned)((a - STACKS_BASE) / STACK_ROOM); }
static inline unsigned tls_owner(uintptr_t a) { return (unsigned)((a - TLS_BASE) / TLS_ROOM); }

#endif
