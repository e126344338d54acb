/* The queue of Michael and Scott: a list with a dummy node in front; head and tail are swung by compare-and-swap.
 *
 * BUG_HEAD: dequeue writes head instead of swinging it: two dequeues take the same value.
 * BUG_TAIL: enqueue writes tail->next instead of swinging it: of two enqueues one is lost. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
    _Atomic(struct node *) next;
    long value;
} node;

typedef struct queue {
    _Atomic(node *) head, tail;
} queue;

static queue *q;

static node *node_new(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    atomic_init(&n->next, (node *)0);
    return n;
}

static void enqueue(long value) {
    node *n = node_new(value);
    for (;;) {
        node *tail = atomic_load(&q->tail);
        node *next = atomic_load(&tail->next);
        if (tail != atomic_load(&q->tail)) continue;
        if (next) {
            atomic_compare_exchange_strong(&q->tail, &tail, next);
            continue;
        }
#ifdef BUG_TAIL
        atomic_store(&tail->next, n);
#else
        if (!atomic_compare_exchange_strong(&tail->next, &next, n)) continue;
#endif
        atomic_compare_exchange_strong(&q->tail, &tail, n);
        return;
    }
}

static bool dequeue(long *value) {
    for (;;) {
        node *head = atomic_load(&q->head);
        node *tail = atomic_load(&q->tail);
        node *next = atomic_load(&head->next);
        if (head != atomic_load(&q->head)) continue;
        if (head == tail && !next) return false;
        if (head == tail) {
            atomic_compare_exchange_strong(&q->tail, &tail, next);
            continue;
        }
        *value = next->value;
#ifdef BUG_HEAD
        atomic_store(&q->head, next);
        return true;
#else
        if (atomic_compare_exchange_strong(&q->head, &head, next)) return true;
#endif
    }
}

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_SETUP {
    node *dummy = node_new(0);
    q = malloc(sizeof *q);
    atomic_init(&q->head, dummy);
    atomic_init(&q->tail, dummy);
}
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
