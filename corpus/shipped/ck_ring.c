/* The ring of ConcurrencyKit, as libck-dev ships it, with its inline assembly: a ring of four places holds three values.
 *
 * Without a flag: the functions for many producers and many consumers.
 * SPSC (right): the functions for one producer and one consumer, used so.
 * BUG_CONTRACT: the functions for one producer, used by several: two of them fill the same place. */
#include <plumbline/test.h>

#include <ck_ring.h>

#if defined SPSC || defined BUG_CONTRACT
#define PUT ck_ring_enqueue_spsc
#define TAKE ck_ring_dequeue_spsc
#else
#define PUT ck_ring_enqueue_mpmc
#define TAKE ck_ring_dequeue_mpmc
#endif

static ck_ring_t ring;
static ck_ring_buffer_t place[4];

PLUMB_OBJECT("queue(capacity=3)")
PLUMB_SETUP { ck_ring_init(&ring, 4); }
PLUMB_OP(enq, v) { return PUT(&ring, place, (void *)(intptr_t)v) ? plumb_none() : plumb_full(); }
PLUMB_OP(deq) {
    void *v;
    return TAKE(&ring, place, &v) ? plumb_int((intptr_t)v) : plumb_empty();
}
#ifdef SPSC
PLUMB_ONE_THREAD(enq)
PLUMB_ONE_THREAD(deq)
#endif
