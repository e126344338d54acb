/* A queue of nodes in an array, taken from a free list and given back to it: indices instead of pointers, as libraries
 * for systems without malloc have it. Every link carries a counter against ABA.
 *
 * BUG_COUNTER: the free list's top has no counter: a node can be on the free list twice after an ABA, and two enqueues
 * share it.
 * BUG_EARLY: dequeue gives the old dummy back before it has read the value out of the new one, which is the old one's
 * successor and may be dequeued and reused meanwhile. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdint.h>

enum { NODES = 4, NIL = 0 };
typedef uint64_t link; /* index in the low half, counter in the high half */
typedef struct node {
    _Atomic link next;
    atomic_long value;
} node;

static node pool[NODES + 1];
static _Atomic link free_top, head, tail;

static uint32_t index_of(link l) { return (uint32_t)l; }
static link link_to(uint32_t i, link old) { return ((old >> 32) + 1) << 32 | i; }

static uint32_t node_take(void) {
    for (;;) {
        link top = atomic_load(&free_top);
        if (index_of(top) == NIL) return NIL;
        link next = atomic_load(&pool[index_of(top)].next);
#ifdef BUG_COUNTER
        if (atomic_compare_exchange_strong(&free_top, &top, (link)index_of(next))) return index_of(top);
#else
        if (atomic_compare_exchange_strong(&free_top, &top, link_to(index_of(next), top))) return index_of(top);
#endif
    }
}

static void node_give(uint32_t i) {
    for (;;) {
        link top = atomic_load(&free_top);
        atomic_store(&pool[i].next, link_to(index_of(top), atomic_load(&pool[i].next)));
#ifdef BUG_COUNTER
        if (atomic_compare_exchange_strong(&free_top, &top, (link)i)) return;
#else
        if (atomic_compare_exchange_strong(&free_top, &top, link_to(i, top))) return;
#endif
    }
}

static bool enqueue(long value) {
    uint32_t i = node_take();
    if (i == NIL) return false;
    atomic_store(&pool[i].value, value);
    atomic_store(&pool[i].next, link_to(NIL, atomic_load(&pool[i].next)));
    for (;;) {
        link last = atomic_load(&tail), next = atomic_load(&pool[index_of(last)].next);
        if (last != atomic_load(&tail)) continue;
        if (index_of(next) != NIL) {
            atomic_compare_exchange_strong(&tail, &last, link_to(index_of(next), last));
        } else if (atomic_compare_exchange_strong(&pool[index_of(last)].next, &next, link_to(i, next))) {
            atomic_compare_exchange_strong(&tail, &last, link_to(i, last));
            return true;
        }
    }
}

static bool dequeue(long *value) {
    for (;;) {
        link first = atomic_load(&head), last = atomic_load(&tail), next = atomic_load(&pool[index_of(first)].next);
        if (first != atomic_load(&head)) continue;
        if (index_of(first) == index_of(last)) {
            if (index_of(next) == NIL) return false;
            atomic_compare_exchange_strong(&tail, &last, link_to(index_of(next), last));
            continue;
        }
#ifndef BUG_EARLY
        *value = atomic_load(&pool[index_of(next)].value);
#endif
        if (!atomic_compare_exchange_strong(&head, &first, link_to(index_of(next), first))) continue;
        node_give(index_of(first));
#ifdef BUG_EARLY
        *value = atomic_load(&pool[index_of(next)].value);
#endif
        return true;
    }
}

PLUMB_OBJECT("queue")
PLUMB_SETUP {
    for (uint32_t i = 1; i <= NODES; i++) atomic_init(&pool[i].next, i < NODES ? i + 1 : NIL);
    atomic_init(&free_top, 1);
    uint32_t dummy = node_take();
    atomic_store(&pool[dummy].next, NIL);
    atomic_store(&head, dummy);
    atomic_store(&tail, dummy);
}
PLUMB_OP(enq, v) { plumb_assert(enqueue(v)); return plumb_none(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("enq(1) : deq | deq enq(2)")
PLUMB_THREADS("enq(1) : deq | enq(2) deq enq(3)")
PLUMB_THREADS("enq(1) | enq(2) enq(3) deq deq enq(4) deq")
