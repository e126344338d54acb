/* A counter that loses increments: by stores that stay in the buffer, or (LOCKED) by locked instructions. */
#include <plumbline/test.h>
#include <stdatomic.h>

static atomic_int n;

PLUMB_OBJECT("counter")
PLUMB_OP(inc) {
    const int was = atomic_load_explicit(&n, memory_order_relaxed);
#ifdef LOCKED
    atomic_exchange(&n, was + 1);
#else
    atomic_store_explicit(&n, was + 1, memory_order_release);
#endif
    return plumb_none();
}
PLUMB_OP(get) { return plumb_int(atomic_load_explicit(&n, memory_order_acquire)); }
PLUMB_THREADS("inc get | inc get")
