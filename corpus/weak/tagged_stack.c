/* Treiber's stack over an array; the top is an index with a tag that changes at every pop, in one word.
 *
 * BUG_PUSH: pushed with a relaxed compare-and-swap: the value may not be there yet. BUG_POP: popped from a relaxed
 * load. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdint.h>

#ifdef BUG_PUSH
#define PUSHES memory_order_relaxed
#else
#define PUSHES memory_order_release
#endif
#ifdef BUG_POP
#define LOOKS memory_order_relaxed
#else
#define LOOKS memory_order_acquire
#endif

enum { CELLS = 8, NONE = 0xffff };
static struct cell {
    int64_t value;
    _Atomic uint32_t next;
} cell[CELLS];
static _Atomic uint64_t top = NONE; /* index, and tag above it */
static _Atomic uint32_t used;

PLUMB_OBJECT("stack")
PLUMB_OP(push, v) {
    const uint32_t i = atomic_fetch_add_explicit(&used, 1, memory_order_relaxed);
    uint64_t was = atomic_load_explicit(&top, memory_order_relaxed);
    cell[i].value = v;
    do atomic_store_explicit(&cell[i].next, (uint32_t)(was & NONE), memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &was, (was & ~(uint64_t)NONE) | i, PUSHES,
                                                  memory_order_relaxed));
    return plumb_none();
}
PLUMB_OP(pop) {
    uint64_t was = atomic_load_explicit(&top, LOOKS);
    for (;;) {
        const uint32_t i = (uint32_t)(was & NONE);
        if (i == NONE) return plumb_empty();
        const uint64_t next = atomic_load_explicit(&cell[i].next, memory_order_relaxed);
        if (atomic_compare_exchange_weak_explicit(&top, &was, (was & ~(uint64_t)NONE) + 0x10000 + next, LOOKS, LOOKS))
            return plumb_int(cell[i].value);
    }
}
PLUMB_THREADS("push(1) pop | push(2) pop")
