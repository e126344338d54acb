/* Treiber's stack with its linearization points marked: for `plumb explore --monitor points`. A pop that finds nothing
 * changes nothing and needs no mark.
 *
 * BUG_CAS: push writes top instead of swinging it; the marks are right, the object is wrong.
 * BUG_POP: the same for pop.
 * WRONG_PUSH, WRONG_POP: the object is right; the mark stands where top was read, not where it changed.
 * WRONG_MISSING: the object is right; pop has no mark. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
    struct node *next;
    long value;
} node;

static _Atomic(node *) top;

static void push(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
#ifdef BUG_CAS
    n->next = atomic_load(&top);
    atomic_store(&top, n);
    plumb_linearizes_here();
#else
    bool done = false;
    node *t = atomic_load(&top);
#ifdef WRONG_PUSH
    plumb_linearizes_here();
#endif
    while (!done) {
        n->next = t;
        done = atomic_compare_exchange_strong(&top, &t, n);
    }
#ifndef WRONG_PUSH
    plumb_linearizes_here();
#endif
#endif
}

static bool pop(long *value) {
    for (;;) {
        node *t = atomic_load(&top);
        if (!t) return false;
#ifdef WRONG_POP
        plumb_linearizes_here();
#endif
#ifdef BUG_POP
        atomic_store(&top, t->next);
        plumb_linearizes_here();
        *value = t->value;
        return true;
#endif
        if (!atomic_compare_exchange_strong(&top, &t, t->next)) {
#ifdef WRONG_POP
            t = atomic_load(&top);
#endif
            continue;
        }
#if !defined WRONG_POP && !defined WRONG_MISSING
        plumb_linearizes_here();
#endif
        *value = t->value;
        return true;
    }
}

PLUMB_OBJECT("stack")
PLUMB_OP(push, v) { push(v); return plumb_none(); }
PLUMB_OP(pop) { long v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("push(1) : push(2) | pop pop")
PLUMB_THREADS("push(1) pop | push(2) pop")
