/* A queue that takes out the element at PICK, or 9 when THIN_AIR is defined, and a register whose reads during a write
 * are as READS says: what the explorer is asked about for docs/TOGETHER.md. */
#include <plumbline/test.h>

#include <stdatomic.h>

#ifndef PICK
#define PICK 0
#endif

enum { ATOMIC_READS, REGULAR_READS, SAFE_READS, STALE_READS, WRONG_READS, NOT_WRITING = -1, ROOM = 8 };
#ifndef READS
#define READS ATOMIC_READS
#endif

#ifdef REGISTER
static atomic_int held, before, coming = NOT_WRITING;

PLUMB_OP(write, v) {
    atomic_store(&before, atomic_load(&held));
    atomic_store(&coming, (int)v);
    atomic_store(&held, (int)v);
    atomic_store(&coming, NOT_WRITING);
    return plumb_none();
}

PLUMB_OP(read) {
    int during = atomic_load(&coming);
    if (READS == WRONG_READS) return plumb_int(7);
    if (READS == STALE_READS) return plumb_int(atomic_load(&before));
    if (during == NOT_WRITING || READS == ATOMIC_READS) return plumb_int(atomic_load(&held));
    if (READS == SAFE_READS) return plumb_int(7);
    return plumb_int(plumb_choose(2) ? during : atomic_load(&before));
}
#elif defined ELIMINATION
PLUMB_OP(push, v) { return plumb_bool(v != v); }
PLUMB_OP(pop) { return plumb_empty(); }
#else
static int inside[ROOM], n;

PLUMB_OP(enq, v) {
    inside[n++] = (int)v;
    return plumb_none();
}

PLUMB_OP(deq) {
    if (!n) return plumb_empty();
    int at = PICK < n ? PICK : n - 1, v = inside[at];
    for (n--; at < n; at++) inside[at] = inside[at + 1];
#ifdef THIN_AIR
    v = 9;
#endif
    return plumb_int(v);
}
#endif
