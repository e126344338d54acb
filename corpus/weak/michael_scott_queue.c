/* Michael and Scott's queue with the orders that it needs; nodes are not used again.
 *
 * BUG_PUBLISH: a node is linked with a relaxed compare-and-swap: its value may not be there. BUG_NEXT: the link is
 * followed from a relaxed load. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

#ifdef BUG_PUBLISH
#define LINKS memory_order_relaxed
#else
#define LINKS memory_order_release
#endif
#ifdef BUG_NEXT
#define FOLLOWS memory_order_relaxed
#else
#define FOLLOWS memory_order_acquire
#endif

struct node {
    int value;
    struct node *_Atomic next;
};
static struct node first;
static struct node *_Atomic head = &first, *_Atomic tail = &first;

PLUMB_OBJECT("queue")
PLUMB_THREADS("enq(1) deq | enq(2) deq")
PLUMB_THREADS("enq(1) enq(2) | deq | deq")

static bool swaps(struct node *_Atomic *at, struct node *was, struct node *is) {
    return atomic_compare_exchange_strong_explicit(at, &was, is, LINKS, memory_order_relaxed);
}

PLUMB_OP(enq, v) {
    struct node *n = malloc(sizeof *n);
    n->value = (int)v;
    atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
    for (;;) {
        struct node *t = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&t->next, FOLLOWS);
        if (next) swaps(&tail, t, next);
        else if (swaps(&t->next, NULL, n)) {
            swaps(&tail, t, n);
            return plumb_none();
        }
    }
}

PLUMB_OP(deq) {
    for (;;) {
        struct node *h = atomic_load_explicit(&head, memory_order_acquire);
        struct node *next = atomic_load_explicit(&h->next, FOLLOWS);
        if (!next) return plumb_empty();
        const int value = next->value;
        if (swaps(&head, h, next)) return plumb_int(value);
    }
}
