/* The bounded k-FIFO queue: a ring of segments of K + 1 (2) slots, of which those between first and last are in use. An
 * enqueue puts its value into a free slot of the last segment, a dequeue takes one from any slot of the first:
 * quasi(K), not linearizable. First and last are numbers that only grow, with a version; number n is segment n %
 * SEGMENTS. An enqueue returns full when the ring is used up (the tests are smaller than that).
 *
 * BUG_COMMIT: an enqueue does not look again whether its segment is still in use. Its value may wait where no thread
 * looks until the ring comes round: lost. */
#include <plumbline/test.h>

#include <stdatomic.h>

#ifndef K
#define K 1
#endif
enum { SLOTS = K + 1, SEGMENTS = 8, VERSION_BITS = 16 };

static atomic_ulong slot[SEGMENTS][SLOTS]; /* value, version; value 0: free */
static atomic_ulong head, tail;            /* number of the segment, version */

static unsigned long word(unsigned long value, unsigned long version) {
    return value << VERSION_BITS | (version & ((1ul << VERSION_BITS) - 1));
}
static unsigned long value_of(unsigned long w) { return w >> VERSION_BITS; }
static atomic_ulong *segment_of(unsigned long position) { return slot[value_of(position) % SEGMENTS]; }

static int find(atomic_ulong *s, bool is_free, unsigned first, unsigned long *old) {
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned at = (first + i) % SLOTS;
        *old = atomic_load(&s[at]);
        if ((value_of(*old) == 0) == is_free) return (int)at;
    }
    return -1;
}

static void advance(atomic_ulong *which, unsigned long from) {
    atomic_compare_exchange_strong(which, &from, word(value_of(from) + 1, from + 1));
}

/* Will the value be seen? If not it is taken back, unless another thread was faster. */
static bool committed(unsigned long where, int i, unsigned long mine) {
    atomic_ulong *mine_at = &segment_of(where)[i];
    if (atomic_load(mine_at) != mine) return true;
    unsigned long first = atomic_load(&head), expected = mine;
    if (value_of(first) < value_of(where)) return true;
    if (value_of(first) == value_of(where) &&
        atomic_compare_exchange_strong(&head, &first, word(value_of(first), first + 1)))
        return true; /* who wanted to leave this segment behind looks again */
    return !atomic_compare_exchange_strong(mine_at, &expected, word(0, mine + 1));
}

static bool enqueue(long value) {
    for (;;) {
        unsigned long last = atomic_load(&tail), old;
        int i = find(segment_of(last), true, 0, &old);
        if (last != atomic_load(&tail)) continue;
        if (i < 0) {
            unsigned long first = atomic_load(&head);
            if (value_of(last) - value_of(first) == SEGMENTS - 1) return false;
            advance(&tail, last);
            continue;
        }
        unsigned long mine = word((unsigned long)value, old + 1);
        if (!atomic_compare_exchange_strong(&segment_of(last)[i], &old, mine)) continue;
#ifndef BUG_COMMIT
        if (!committed(last, i, mine)) continue;
#endif
        return true;
    }
}

/* A thread that takes a value from the last segment first begins another one: until then slots are only filled,
 * and when all of them were free, one after the other, the queue was empty at the first look. */
static bool dequeue(long *value) {
    unsigned from = plumb_choose(SLOTS);
    for (;;) {
        unsigned long first = atomic_load(&head), old;
        int i = find(segment_of(first), false, from, &old);
        unsigned long last = atomic_load(&tail);
        if (first != atomic_load(&head)) continue;
        if (i >= 0) {
            if (value_of(first) == value_of(last)) advance(&tail, last);
            *value = (long)value_of(old);
            if (atomic_compare_exchange_strong(&segment_of(first)[i], &old, word(0, old + 1))) return true;
        } else if (value_of(first) == value_of(last)) {
            if (last == atomic_load(&tail)) return false;
        } else
            advance(&head, first);
    }
}

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_OP(enq, v) { return enqueue(v) ? plumb_none() : plumb_full(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("enq(1) enq(2) : enq(3) | deq : deq deq")
PLUMB_THREADS("enq(1) enq(2) enq(3) : deq | deq : deq")
PLUMB_THREADS("enq(1) : enq(2) deq | deq : deq")
PLUMB_THREADS("enq(1) : deq deq | enq(2) : deq")
