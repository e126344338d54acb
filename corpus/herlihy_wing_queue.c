/* The queue of Herlihy and Wing: an enqueue reserves a place by fetch-and-add and then writes into it; a dequeue sweeps
 * the array from the front and takes the first value it finds. It has no fixed linearization point for enqueue.
 *
 * The dequeue of the paper waits when nothing is there; so tests here dequeue only what is sure to come.
 * BUG_STORE_FIRST: enqueue reads the end, writes, and then advances: two enqueues may use one place. */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { PLACES = 8 };
static atomic_int back;
static atomic_long item[PLACES]; /* 0: nothing */

static void enqueue(long value) {
#ifdef BUG_STORE_FIRST
    int i = atomic_load(&back);
    atomic_store(&item[i], value);
    atomic_fetch_add(&back, 1);
#else
    int i = atomic_fetch_add(&back, 1);
    atomic_store(&item[i], value);
#endif
}

static long dequeue(void) {
    for (;;) {
        int range = atomic_load(&back);
        for (int i = 0; i < range; i++) {
            long v = atomic_exchange(&item[i], 0);
            if (v) return v;
        }
    }
}

PLUMB_OBJECT("queue")
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { return plumb_int(dequeue()); }
PLUMB_THREADS("enq(1) | enq(2) | deq")
PLUMB_THREADS("enq(1) deq | enq(2) deq")
PLUMB_THREADS("enq(1) : enq(2) | deq deq")
