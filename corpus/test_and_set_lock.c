/* A spin lock: one flag that is set by the thread that finds it clear.
 *
 * BUG_TEST: looks at the flag and then sets it, in two steps: two threads find it clear. */
#include <plumbline/test.h>

#include <stdatomic.h>

static _Atomic int flag;

static bool try_set(void) {
#ifdef BUG_TEST
    if (atomic_load(&flag)) return false;
    atomic_store(&flag, 1);
    return true;
#else
    return !atomic_exchange(&flag, 1);
#endif
}

PLUMB_OBJECT("lock")
PLUMB_OP(lock) {
    while (!try_set()) {}
    return plumb_none();
}
PLUMB_OP(unlock) { atomic_store(&flag, 0); return plumb_none(); }
PLUMB_THREADS("lock unlock | lock unlock")
PLUMB_THREADS("lock unlock lock unlock | lock unlock")
