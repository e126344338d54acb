/* A counter whose threads choose in the middle of what they do, far from where the next thread is chosen. */
#include <plumbline/test.h>

#include <stdatomic.h>

static atomic_long count, turns;

PLUMB_OP(add, n) {
    long before = atomic_load(&count);
    atomic_fetch_add(&turns, 1);
    atomic_store(&count, before + n);
    if (plumb_choose(2)) atomic_store(&turns, 0);
    return plumb_int(atomic_load(&count));
}
PLUMB_OP(get) {
    long seen = atomic_load(&count);
    seen += atomic_load(&turns);
    if (plumb_choose(2)) seen += atomic_load(&turns);
    return plumb_int(seen);
}
