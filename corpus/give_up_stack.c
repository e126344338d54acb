/* A stack whose pop gives up after four failed attempts and says "empty".
 *
 * BUG_GIVE_UP: four other pops between its readings make a pop answer "empty" of a stack that never was. A reduction
 * that takes the retry loop for pure would skip exactly these executions; so this case guards the reductions, too. */
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
    node *t = atomic_load(&top);
    do n->next = t;
    while (!atomic_compare_exchange_weak(&top, &t, n));
}

static bool pop(long *value) {
#ifdef BUG_GIVE_UP
    for (int attempt = 0; attempt < 4; attempt++) {
#else
    for (;;) {
#endif
        node *t = atomic_load(&top);
        if (!t) return false;
        if (!atomic_compare_exchange_strong(&top, &t, t->next)) continue;
        *value = t->value;
        return true;
    }
    return false;
}

PLUMB_OBJECT("stack")
PLUMB_OP(push, v) { push(v); return plumb_none(); }
PLUMB_OP(pop) { long v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("push(1) push(2) push(3) push(4) push(5) : pop pop pop pop | pop")
