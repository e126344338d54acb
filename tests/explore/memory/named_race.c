/* The race is at `late`, not at the variable before it; what was read and what was written are its values. */
#include <plumbline/test.h>
#include <stdatomic.h>

struct { short early, late; int other; } s;
static atomic_int met;
PLUMB_THREADS("put | take")
PLUMB_OP(put) {
    atomic_fetch_add(&met, 1);
    s.late = 7;
    return plumb_none();
}
PLUMB_OP(take) {
    atomic_fetch_add(&met, 1);
#ifdef WRITES
    s.late = 5;
#else
    return plumb_int(s.late);
#endif
    return plumb_none();
}
