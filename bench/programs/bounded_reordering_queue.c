/* A non-blocking queue that lets values overtake each other, but not far: segments of K slots, and who adds or takes
 * begins at any slot of the last or the first segment (after Kirsch, Lippautz, Payer: Fast and scalable lock-free
 * k-FIFO queues, PaCT 2013). Slots are used once, so that a place never comes back; a test has few operations.
 *
 * As a queue it is wrong on purpose: bench/coverage.c counts the histories that show it. */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { K = 2, SEGMENTS = 8, TAKEN = -1 };
static atomic_long slot[SEGMENTS][K]; /* 0: not used yet */
static atomic_int head, tail;         /* head: segment, and below it how often a thread held on to it */
enum { HOLDS = 256 };

/* Where to begin: not at random, so that an execution repeats itself. */
static unsigned begin_at(unsigned salt) {
    static _Thread_local unsigned calls;
    return (calls++ * 5 + salt) / 3 % K;
}

/* The value is in a slot of segment t. Had the head passed it, it would be lost: the head is held, or the value taken
 * back. */
static bool is_found(int t, atomic_long *at, long value) {
    int h = atomic_load(&head);
    if (h / HOLDS < t) return true;
    if (h / HOLDS == t && atomic_compare_exchange_strong(&head, &h, h + 1)) return true;
    return !atomic_compare_exchange_strong(at, &value, TAKEN);
}

static void enqueue(long value) {
    unsigned first = begin_at(1);
    for (;;) {
        int t = atomic_load(&tail);
        for (unsigned i = 0; i < K; i++) {
            atomic_long *at = &slot[t][(first + i) % K];
            long nothing = 0;
            if (atomic_compare_exchange_strong(at, &nothing, value)) {
                if (is_found(t, at, value)) return;
                break;
            }
        }
        atomic_compare_exchange_strong(&tail, &t, t + 1);
    }
}

static long dequeue(void) {
    unsigned first = begin_at(2);
    for (;;) {
        int h = atomic_load(&head), s = h / HOLDS;
        for (unsigned i = 0; i < K; i++) {
            atomic_long *at = &slot[s][(first + i) % K];
            long value = atomic_load(at);
            if (value > 0 && atomic_compare_exchange_strong(at, &value, TAKEN)) return value;
        }
        int t = atomic_load(&tail);
        if (s == t && h == atomic_load(&head)) return 0;
        if (s < t) atomic_compare_exchange_strong(&head, &h, (s + 1) * HOLDS);
    }
}

PLUMB_OBJECT("queue")
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { long v = dequeue(); return v ? plumb_int(v) : plumb_empty(); }
