/* A bounded ring for many producers and consumers: every place has a sequence number that says whose turn it is.
 *
 * BUG_EMPTY: as such rings are often written: a consumer that finds its place not filled yet says "empty". But the
 * producer of that place may only be slow, and another one behind it long done: "empty" is wrong, and so is "full" in a
 * producer.
 * BUG_PUBLISH: the producer makes its place visible before it has written the value: a consumer takes what was there
 * before.
 * BUG_FREE: the consumer gives its place back before it has read the value: the next producer overwrites it. */
#include <plumbline/test.h>

#include <stdatomic.h>

enum { PLACES = 2 };
typedef struct place {
    atomic_long turn;
    atomic_long value;
} place;

static place ring[PLACES];
static atomic_long head, tail;

static bool ring_put(long value) {
    for (;;) {
        long at = atomic_load(&tail);
        place *p = &ring[at % PLACES];
        long behind = atomic_load(&p->turn) - at;
        if (behind < 0) {
#ifdef BUG_EMPTY
            return false;
#else
            if (at - atomic_load(&head) >= PLACES) return false;
            continue;
#endif
        }
        if (behind > 0 || !atomic_compare_exchange_strong(&tail, &at, at + 1)) continue;
#ifdef BUG_PUBLISH
        atomic_store(&p->turn, at + 1);
        atomic_store(&p->value, value);
#else
        atomic_store(&p->value, value);
        atomic_store(&p->turn, at + 1);
#endif
        return true;
    }
}

static bool ring_get(long *value) {
    for (;;) {
        long at = atomic_load(&head);
        place *p = &ring[at % PLACES];
        long behind = atomic_load(&p->turn) - (at + 1);
        if (behind < 0) {
#ifdef BUG_EMPTY
            return false;
#else
            if (atomic_load(&tail) == at) return false;
            continue;
#endif
        }
        if (behind > 0 || !atomic_compare_exchange_strong(&head, &at, at + 1)) continue;
#ifdef BUG_FREE
        atomic_store(&p->turn, at + PLACES);
        *value = atomic_load(&p->value);
#else
        *value = atomic_load(&p->value);
        atomic_store(&p->turn, at + PLACES);
#endif
        return true;
    }
}

PLUMB_OBJECT("queue(capacity=2)")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_SETUP {
    for (int i = 0; i < PLACES; i++) atomic_init(&ring[i].turn, i);
}
PLUMB_OP(enq, v) { return ring_put(v) ? plumb_none() : plumb_full(); }
PLUMB_OP(deq) { long v; return ring_get(&v) ? plumb_int(v) : plumb_empty(); }
