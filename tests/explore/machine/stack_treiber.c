/* Treiber's stack that frees what it pops: with memory that is used again, the ABA problem. GIVE_UP: a pop that fails
 * four times says empty, which no reduction may hide. */
#include <plumbline/test.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct node { struct node *next; int v; } node;
static _Atomic(node *) top;

PLUMB_OBJECT("stack")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_OP(push, v) {
    node *n = malloc(sizeof *n);
    n->v = (int)v;
    node *t = atomic_load(&top);
    do n->next = t;
    while (!atomic_compare_exchange_strong(&top, &t, n));
    return plumb_none();
}
PLUMB_OP(pop) {
    int tries = 0;
    for (;;) {
        node *t = atomic_load(&top);
        if (!t) return plumb_empty();
#ifdef GIVE_UP
        if (tries++ == 4) return plumb_empty();
#endif
        node *n = t->next;
        if (atomic_compare_exchange_strong(&top, &t, n)) {
            int v = t->v;
            free(t);
            return plumb_int(v);
        }
        (void)tries;
    }
}
PLUMB_THREADS("push(1) push(2) : pop | pop push(3) | pop")
