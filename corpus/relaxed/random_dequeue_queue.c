/* The random-dequeue queue of Afek, Korland and Yanovsky: the list of Michael and Scott, but a dequeue goes up to K (1)
 * nodes further than the head and takes the value it finds there, by marking the node. Marked nodes are left in the
 * list; the head moves on when the first ones are marked. Only the K nodes behind it can ever overtake a node, so it is
 * quasi(K) and, for K > 0, not linearizable.
 *
 * BUG_WINDOW: marked nodes do not count when a dequeue goes further. Then the first value can be overtaken again and
 * again. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

#ifndef K
#define K 1
#endif

typedef struct node {
    _Atomic(struct node *) next;
    atomic_int taken;
    long value;
} node;
static _Atomic(node *) head, tail; /* the head's own value is gone */

static void enqueue(long value) {
    node *n = calloc(1, sizeof *n);
    n->value = value;
    for (;;) {
        node *last = atomic_load(&tail), *none = NULL;
        if (atomic_compare_exchange_strong(&last->next, &none, n)) {
            atomic_compare_exchange_strong(&tail, &last, n);
            return;
        }
        atomic_compare_exchange_strong(&tail, &last, none);
    }
}

static void move_head(node *first) {
    node *next = atomic_load(&first->next);
    if (next && atomic_load(&next->taken)) atomic_compare_exchange_strong(&head, &first, next);
}

/* The first node that can be taken, at least so many behind the head if there are so many. */
static node *find(node *first, unsigned skip) {
    node *best = NULL;
    unsigned seen = 0;
    for (node *n = atomic_load(&first->next); n && seen <= K; n = atomic_load(&n->next)) {
        bool taken = atomic_load(&n->taken);
#ifdef BUG_WINDOW
        if (taken) continue;
#endif
        if (!taken && (!best || seen <= skip)) best = n;
        seen++;
    }
    return best;
}

static bool dequeue(long *value) {
    unsigned skip = plumb_choose(K + 1);
    for (;;) {
        node *first = atomic_load(&head);
        node *n = find(first, skip);
        int no = 0;
        if (first != atomic_load(&head)) continue;
        if (!n) {
            node *next = atomic_load(&first->next);
            if (!next) return false;
            if (atomic_load(&next->taken)) move_head(first);
            continue;
        }
        if (!atomic_compare_exchange_strong(&n->taken, &no, 1)) continue;
        *value = n->value;
        move_head(first);
        return true;
    }
}

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_SETUP { node *n = calloc(1, sizeof *n); n->taken = 1; atomic_store(&head, n); atomic_store(&tail, n); }
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("enq(1) enq(2) : enq(3) | deq : deq deq")
PLUMB_THREADS("enq(1) enq(2) enq(3) : deq | deq : deq")
PLUMB_THREADS("enq(1) enq(2) enq(3) enq(4) : deq | deq : deq deq")
