/* A queue whose readers count their looks: after LOOKS of them deq gives up and says that it is empty. A thread that
 * waits here would never say so. PLACES: at how many it looks each time; YIELDS: and yields. STAMPS: who has given up
 * looks at the clock, which may be long after what it has not seen was put there, and a wrong assertion says that it is
 * not. */
#include <assert.h>
#include <plumbline/test.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#ifndef LOOKS
#define LOOKS 5
#endif
#ifndef PLACES
#define PLACES 1
#endif

static _Atomic long slot[8];
static atomic_uint head, tail;
#ifdef STAMPS
static _Atomic long stamp;
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
#endif

PLUMB_OBJECT("queue")
PLUMB_OP(enq, v) {
    unsigned i = atomic_fetch_add(&tail, 1);
    atomic_store(&slot[i], v);
#ifdef STAMPS
    atomic_store(&stamp, now());
#endif
    return plumb_none();
}
PLUMB_OP(deq) {
    unsigned h = PLACES < 2 ? atomic_load(&head) : 0;
    for (int look = 0; look < LOOKS; look++) {
        if (PLACES >= 2) h = atomic_load(&head);
        if (PLACES >= 3 && h == atomic_load(&tail)) continue;
        long v = atomic_load(&slot[h]);
        if (v && atomic_compare_exchange_strong(&head, &h, h + 1)) return plumb_int(v);
#ifdef YIELDS
        sched_yield();
#endif
    }
#ifdef STAMPS
    long given_up = now(), put = atomic_load(&stamp);
    assert(!put || given_up <= put);
#endif
    return plumb_empty();
}
PLUMB_THREADS("enq(1) | deq")
