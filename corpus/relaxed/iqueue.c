/* IQueue: an array with two counters, an exercise of many textbooks. An enqueue takes the next place and then writes
 * into it; a dequeue looks at the first place and finds the queue empty when nothing is there yet.
 *
 * That is wrong, without any flag: the enqueue that has taken the first place may be slow, and the next one long done.
 * Its value is inside, and a dequeue says empty. Neither linearizable nor quasi(k) for any k. */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { PLACES = 16 };
static atomic_int head, tail;
static atomic_long item[PLACES]; /* 0: nothing yet */

static void enqueue(long value) {
    int i = atomic_fetch_add(&tail, 1);
    atomic_store(&item[i], value);
}

static bool dequeue(long *value) {
    for (;;) {
        int i = atomic_load(&head);
        *value = atomic_load(&item[i]);
        if (!*value) return false;
        if (atomic_compare_exchange_strong(&head, &i, i + 1)) return true;
    }
}

PLUMB_OBJECT("queue")
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("enq(1) deq | enq(2) deq")
