/* A stack with elimination: a push and a pop that fail on the top meet in a slot and hand the value over directly.
 *
 * BUG_BRACE: a misplaced brace lets a push that could not leave its offer in the slot return as if it had been taken.
 * BUG_ASSIGNMENT: a pop that took an offer forgets to take over its value, and returns the one it saw on the stack.
 * BUG_ABA: popped nodes are freed at once (see treiber_stack.c). */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
    struct node *next;
    long value;
} node;

static _Atomic(node *) top;
static _Atomic(node *) slot; /* a push that offers its node */

static bool try_push(node *n) {
    node *t = atomic_load(&top);
    n->next = t;
    return atomic_compare_exchange_strong(&top, &t, n);
}

/* Offers the node for a moment. True: a pop took it. */
static bool offer(node *n) {
    node *none = NULL, *mine = n;
    if (!atomic_compare_exchange_strong(&slot, &none, n)) {
#ifdef BUG_BRACE
        return true;
#else
        return false;
#endif
    }
    return !atomic_compare_exchange_strong(&slot, &mine, (node *)0); /* could not be withdrawn: it was taken */
}

static void push(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    while (!try_push(n))
        if (offer(n)) return;
}

static bool pop(long *value) {
    for (;;) {
        node *t = atomic_load(&top);
        if (!t) return false;
        node *next = t->next;
        *value = t->value;
        if (atomic_compare_exchange_strong(&top, &t, next)) {
#ifdef BUG_ABA
            free(t);
#endif
            return true;
        }
        node *offered = atomic_load(&slot);
        if (offered && atomic_compare_exchange_strong(&slot, &offered, (node *)0)) {
#ifndef BUG_ASSIGNMENT
            *value = offered->value;
#endif
            return true;
        }
    }
}

PLUMB_OBJECT("stack")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_OP(push, v) { push(v); return plumb_none(); }
PLUMB_OP(pop) { long v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("push(1) push(2) : pop | pop push(3) | pop")
PLUMB_THREADS("push(1) : pop | push(2) | pop")
PLUMB_THREADS("push(1) : pop | push(2) | push(3) | pop")
PLUMB_THREADS("push(1) | push(2) | push(3)")
