/* A register whose value is a block of memory: a write exchanges the pointer and frees the old block when no reader is
 * left, as in read-copy-update. One writer.
 *
 * BUG_FREE: the old block is freed at once. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

typedef struct block {
    long low, high;
} block;
static _Atomic(block *) current;
static atomic_int readers;

static void register_write(long v) {
    block *new = malloc(sizeof *new);
    new->low = new->high = v;
    block *old = atomic_exchange(&current, new);
#ifndef BUG_FREE
    while (atomic_load(&readers)) {}
#endif
    free(old);
}

static long register_read(void) {
    atomic_fetch_add(&readers, 1);
    block *b = atomic_load(&current);
    long low = b->low, high = b->high;
    atomic_fetch_sub(&readers, 1);
    plumb_assert(low == high);
    return low;
}

PLUMB_OBJECT("register")
PLUMB_INITIAL("0")
PLUMB_ONE_THREAD(write)
PLUMB_SETUP { current = calloc(1, sizeof(block)); }
PLUMB_OP(write, v) {
    register_write(v);
    return plumb_none();
}
PLUMB_OP(read) { return plumb_int(register_read()); }
