#include <plumbline/test.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct node { _Atomic(struct node *) next; int v; } node;
static _Atomic(node *) head, tail;
PLUMB_OBJECT("queue")
PLUMB_SETUP { node *n = calloc(1, sizeof *n); head = n; tail = n; }
PLUMB_OP(enq, v) {
    node *n = malloc(sizeof *n); n->v = (int)v; atomic_store(&n->next, NULL);
    for (;;) {
        node *t = atomic_load(&tail), *x = atomic_load(&t->next);
        if (t != atomic_load(&tail)) continue;
        if (x) { atomic_compare_exchange_strong(&tail, &t, x); continue; }
        node *e = NULL;
        if (atomic_compare_exchange_strong(&t->next, &e, n)) {
            atomic_compare_exchange_strong(&tail, &t, n);
            return plumb_none();
        }
    }
}
PLUMB_OP(deq) {
    for (;;) {
        node *h = atomic_load(&head), *t = atomic_load(&tail), *x = atomic_load(&h->next);
        if (h != atomic_load(&head)) continue;
        if (h == t) { if (!x) return plumb_empty(); atomic_compare_exchange_strong(&tail, &t, x); continue; }
        int v = x->v;
        if (atomic_compare_exchange_strong(&head, &h, x)) return plumb_int(v);
    }
}
PLUMB_THREADS("enq(1) enq(2) | deq deq")
