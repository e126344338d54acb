/* The unbounded k-FIFO queue of Kirsch, Lippautz and Payer: a list of segments of K + 1 (2) slots. An enqueue puts its
 * value into a free slot of the last segment, a dequeue takes one from any slot of the first: quasi(K), not
 * linearizable. All of it by compare-and-swap; a slot, and the pointer to the first segment, carry a version that
 * changes with every write.
 *
 * A dequeue that finds the first segment empty marks it and takes it off the list. An enqueue may have been slow and
 * put its value there just now: so it looks again whether its value will be seen, and takes it back if not
 * ("committed").
 *
 * BUG_COMMIT: an enqueue does not look again. The value may be in a segment that is no longer in the list: lost. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

#ifndef K
#define K 1
#endif
enum { SLOTS = K + 1, VERSION_BITS = 16 };

typedef struct segment {
    _Atomic(struct segment *) next;
    atomic_bool deleted;
    atomic_ulong slot[SLOTS]; /* value, version; value 0: free */
} segment;
static atomic_ulong head;     /* segment, version */
static _Atomic(segment *) tail;

static unsigned long word(unsigned long value, unsigned long version) {
    return value << VERSION_BITS | (version & ((1ul << VERSION_BITS) - 1));
}
static unsigned long next_version(unsigned long value, unsigned long old) { return word(value, old + 1); }
static segment *segment_of(unsigned long w) { return (segment *)(w >> VERSION_BITS); }

/* A slot that is free, or one that is not, from any of them on; -1: there is none. */
static int find(segment *s, bool is_free, unsigned first, unsigned long *old) {
    for (unsigned i = 0; i < SLOTS; i++) {
        unsigned at = (first + i) % SLOTS;
        *old = atomic_load(&s->slot[at]);
        if ((*old >> VERSION_BITS == 0) == is_free) return (int)at;
    }
    return -1;
}

static void advance_tail(segment *last) {
    segment *next = atomic_load(&last->next);
    if (!next) {
        segment *fresh = calloc(1, sizeof *fresh);
        if (atomic_compare_exchange_strong(&last->next, &next, fresh)) next = fresh;
    }
    atomic_compare_exchange_strong(&tail, &last, next);
}

static void advance_head(unsigned long first) {
    segment *s = segment_of(first), *next = atomic_load(&s->next);
    if (atomic_load(&head) != first || !next) return;
    atomic_store(&s->deleted, true);
    atomic_compare_exchange_strong(&head, &first, word((unsigned long)next, first + 1));
}

/* Will the value be seen? If not it is taken back, unless another thread was faster. */
static bool committed(segment *s, unsigned i, unsigned long mine) {
    if (atomic_load(&s->slot[i]) != mine) return true;
    unsigned long first = atomic_load(&head), expected = mine;
    if (!atomic_load(&s->deleted)) {
        if (segment_of(first) != s) return true;
        if (atomic_compare_exchange_strong(&head, &first, next_version(first >> VERSION_BITS, first)))
            return true; /* no thread takes it off now */
    }
    return !atomic_compare_exchange_strong(&s->slot[i], &expected, next_version(0, mine));
}

static void enqueue(long value) {
    for (;;) {
        segment *last = atomic_load(&tail);
        unsigned long old;
        int i = find(last, true, 0, &old);
        if (last != atomic_load(&tail)) continue;
        if (i < 0) {
            advance_tail(last);
            continue;
        }
        unsigned long mine = next_version((unsigned long)value, old);
        if (!atomic_compare_exchange_strong(&last->slot[i], &old, mine)) continue;
#ifndef BUG_COMMIT
        if (!committed(last, (unsigned)i, mine)) continue;
#endif
        return;
    }
}

/* A thread that takes a value from the last segment first begins another one: until then slots are only filled,
 * and when all of them were free, one after the other, the queue was empty at the first look. */
static bool dequeue(long *value) {
    unsigned from = plumb_choose(SLOTS);
    for (;;) {
        unsigned long first = atomic_load(&head), old;
        segment *s = segment_of(first);
        int i = find(s, false, from, &old);
        segment *last = atomic_load(&tail);
        if (first != atomic_load(&head)) continue;
        if (i >= 0) {
            if (s == last) advance_tail(last);
            *value = (long)(old >> VERSION_BITS);
            if (atomic_compare_exchange_strong(&s->slot[i], &old, next_version(0, old))) return true;
        } else if (s == last) {
            if (last == atomic_load(&tail)) return false;
        } else
            advance_head(first);
    }
}

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_SETUP {
    segment *s = calloc(1, sizeof *s);
    atomic_store(&head, word((unsigned long)s, 0));
    atomic_store(&tail, s);
}
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("enq(1) enq(2) : enq(3) | deq : deq deq")
PLUMB_THREADS("enq(1) enq(2) enq(3) : deq | deq : deq")
PLUMB_THREADS("enq(1) : enq(2) deq | deq : deq")
PLUMB_THREADS("enq(1) : deq deq | enq(2) : deq")
