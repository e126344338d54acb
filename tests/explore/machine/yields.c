/* A counter whose threads yield in the middle: the one that yields may be left without a preemption. */
#include <plumbline/test.h>

#include <sched.h>
#include <stdatomic.h>

static atomic_long count;

PLUMB_OP(add, n) {
    long before = atomic_load(&count);
    sched_yield();
    atomic_store(&count, before + n);
    sched_yield();
    return plumb_int(atomic_load(&count));
}
PLUMB_OP(get) { return plumb_int(atomic_load(&count)); }
