/* Treiber's stack with the orders that it needs; nodes are not used again.
 *
 * BUG_PUSH: a node is published with a relaxed compare-and-swap. BUG_POP: the top is followed from a relaxed load. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

#ifdef BUG_PUSH
#define PUSHES memory_order_relaxed
#else
#define PUSHES memory_order_release
#endif
#ifdef BUG_POP
#define FOLLOWS memory_order_relaxed
#else
#define FOLLOWS memory_order_acquire
#endif

struct node {
    int value;
    struct node *next;
};
static struct node *_Atomic top;

PLUMB_OBJECT("stack")
PLUMB_THREADS("push(1) pop | push(2) pop")
PLUMB_THREADS("push(1) | push(2) | pop | pop")

PLUMB_OP(push, v) {
    struct node *n = malloc(sizeof *n);
    n->value = (int)v;
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, PUSHES, memory_order_relaxed)) continue;
    return plumb_none();
}

PLUMB_OP(pop) {
    struct node *n = atomic_load_explicit(&top, FOLLOWS);
    while (n && !atomic_compare_exchange_weak_explicit(&top, &n, n->next, FOLLOWS, FOLLOWS)) continue;
    return n ? plumb_int(n->value) : plumb_empty();
}
