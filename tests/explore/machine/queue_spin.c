/* A queue behind a test-and-set lock: a thread that waits spins. ANNOTATED: its loop is declared pure. QUEUE_ONLY:
 * without the operations that no queue has. */
#include <plumbline/test.h>
#include <stdatomic.h>

static atomic_int lock;
static int items[16];
static unsigned first, end;

static void acquire(void) {
    for (;;) {
#ifdef ANNOTATED
        plumb_pure_loop();
#endif
        if (!atomic_exchange(&lock, 1)) return;
    }
}
static void release(void) { atomic_store(&lock, 0); }

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
#if defined INVARIANT /* makes traces more: the order in which operations begin and end is part of them */
PLUMB_INVARIANT { return first <= end; }
#endif
PLUMB_FINAL { plumb_assert(!lock); }
PLUMB_OP(enq, v) {
    acquire();
    items[end++] = (int)v;
    release();
    return plumb_none();
}
PLUMB_OP(deq) {
    acquire();
    plumb_value r = first == end ? plumb_empty() : plumb_int(items[first++]);
    release();
    return r;
}
#ifndef QUEUE_ONLY
PLUMB_OP(forget) { /* a bug: the lock is kept */
    acquire();
    return plumb_none();
}
PLUMB_OP(peek) { return plumb_int(7); } /* touches nothing */
PLUMB_ONE_THREAD(peek)
PLUMB_THREADS("enq(1) deq | enq(2) deq")
#endif
