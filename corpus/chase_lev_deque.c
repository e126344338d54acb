/* The work-stealing deque of Chase and Lev: its owner puts and takes at the bottom, thieves take at the top.
 *
 * BUG_LAST: the owner takes the last element without a compare-and-swap, and a thief may have it as well.
 * BUG_BOTTOM: the owner looks at the top before it announces, by lowering the bottom, that it is about to take. */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { ROOM = 8 };
static atomic_long top, bottom;
static atomic_int item[ROOM];

static void owner_push(int v) {
    long b = atomic_load(&bottom);
    atomic_store(&item[b % ROOM], v);
    atomic_store(&bottom, b + 1);
}

static bool owner_pop(int *v) {
    long b = atomic_load(&bottom) - 1, t;
#ifdef BUG_BOTTOM
    t = atomic_load(&top);
    atomic_store(&bottom, b);
#else
    atomic_store(&bottom, b);
    t = atomic_load(&top);
#endif
    if (t > b) {
        atomic_store(&bottom, b + 1);
        return false;
    }
    *v = atomic_load(&item[b % ROOM]);
    if (t < b) return true;
#ifdef BUG_LAST
    atomic_store(&top, t + 1);
    bool won = true;
#else
    bool won = atomic_compare_exchange_strong(&top, &t, t + 1);
#endif
    atomic_store(&bottom, b + 1);
    return won;
}

static bool thief_steal(int *v) {
    for (;;) {
        long t = atomic_load(&top), b = atomic_load(&bottom);
        if (t >= b) return false;
        *v = atomic_load(&item[t % ROOM]);
        if (atomic_compare_exchange_strong(&top, &t, t + 1)) return true;
    }
}

PLUMB_OBJECT("deque")
PLUMB_OP(pushr, v) { owner_push((int)v); return plumb_none(); }
PLUMB_OP(popr) { int v; return owner_pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_OP(popl) { int v; return thief_steal(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_ONE_THREAD(pushr, popr)
PLUMB_THREADS("pushr(1) pushr(2) : popr popr | popl")
PLUMB_THREADS("pushr(1) pushr(2) : popr | popl popl")
PLUMB_THREADS("pushr(1) popr pushr(2) popr | popl | popl")
