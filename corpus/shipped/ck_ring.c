/* The ring of ConcurrencyKit, as libck-dev ships it, with its inline assembly.
 *
 * Without a flag: the functions for many producers and many consumers, of a ring that is never filled; its places are
 * used again from the first on soon.
 * SPSC_LARGE (right): the functions for one producer and one consumer, used so, of a ring that is never filled.
 * SPSC: the same of four places, which hold three values. Right in every interleaving, but not on x86: while its stores
 * are in the buffer the producer is told "full" and the consumer "empty".
 * BUG_FULL: that many producers take a ring of four places for a queue which is full when it holds three values, but it
 * says so as soon as others have reserved the last places. A thread that takes out then may still find it empty.
 * BUG_CONTRACT: the functions for one producer, used by several: two of them fill the same place. */
#include <plumbline/test.h>

#include <ck_ring.h>

#if defined SPSC || defined SPSC_LARGE || defined BUG_CONTRACT
#define PUT ck_ring_enqueue_spsc
#define TAKE ck_ring_dequeue_spsc
#else
#define PUT ck_ring_enqueue_mpmc
#define TAKE ck_ring_dequeue_mpmc
#endif

#if defined SPSC || defined BUG_CONTRACT || defined BUG_FULL
enum { PLACES = 4, USED = 0 };
PLUMB_OBJECT("queue(capacity=3)")
#else
enum { PLACES = 16, USED = 14 };
PLUMB_OBJECT("queue")
#endif

static ck_ring_t ring;
static ck_ring_buffer_t place[PLACES];

PLUMB_SETUP {
    void *v;
    ck_ring_init(&ring, PLACES);
    for (int i = 0; i < USED; i++) PUT(&ring, place, NULL), TAKE(&ring, place, &v);
}
PLUMB_OP(enq, v) { return PUT(&ring, place, (void *)(intptr_t)v) ? plumb_none() : plumb_full(); }
PLUMB_OP(deq) {
    void *v;
    return TAKE(&ring, place, &v) ? plumb_int((intptr_t)v) : plumb_empty();
}
#ifdef BUG_FULL
PLUMB_THREADS(
    "enq(1) deq deq | enq(2) enq(3) | enq(4)") /* the smallest that shows it, found among all in some seconds */
#endif
#if defined SPSC || defined SPSC_LARGE
PLUMB_ONE_THREAD(enq)
PLUMB_ONE_THREAD(deq)
#endif
