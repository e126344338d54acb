/* A ring for one producer and one consumer: each writes its own index only.
 *
 * BUG_ORDER: the producer advances its index before it has written the value.
 * BUG_WRAP: the ring is taken for full one place too late: when it is full it looks empty. */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { PLACES = 3 }; /* one stays free, to tell full from empty */
static atomic_long ring[PLACES];
static atomic_int head, tail;

static bool ring_put(long value) {
    int at = atomic_load(&tail), next = (at + 1) % PLACES;
#ifndef BUG_WRAP
    if (next == atomic_load(&head)) return false;
#endif
#ifdef BUG_ORDER
    atomic_store(&tail, next);
    atomic_store(&ring[at], value);
#else
    atomic_store(&ring[at], value);
    atomic_store(&tail, next);
#endif
    return true;
}

static bool ring_get(long *value) {
    int at = atomic_load(&head);
    if (at == atomic_load(&tail)) return false;
    *value = atomic_load(&ring[at]);
    atomic_store(&head, (at + 1) % PLACES);
    return true;
}

PLUMB_OBJECT("queue(capacity=2)")
PLUMB_ONE_THREAD(enq)
PLUMB_ONE_THREAD(deq)
PLUMB_OP(enq, v) { return ring_put(v) ? plumb_none() : plumb_full(); }
PLUMB_OP(deq) { long v; return ring_get(&v) ? plumb_int(v) : plumb_empty(); }
