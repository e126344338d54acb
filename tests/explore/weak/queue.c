/* Michael and Scott's queue. PUBLISH is the order of the swaps that publish a node and move the tail. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define PUBLISHES JOIN(memory_order_, PUBLISH)

#ifdef ATOMIC_VALUE
typedef atomic_int content;
#define CONTENT_SET(n, v) atomic_store_explicit(&(n)->v_, v, memory_order_relaxed)
#define CONTENT_GET(n) atomic_load_explicit(&(n)->v_, memory_order_relaxed)
#else
typedef int content;
#define CONTENT_SET(n, v) ((n)->v_ = (v))
#define CONTENT_GET(n) ((n)->v_)
#endif

typedef struct node {
    content v_;
    _Atomic(struct node *) next;
} node;
static _Atomic(node *) head, tail;

static node *node_new(int v) {
    node *n = malloc(sizeof *n);
    CONTENT_SET(n, v);
    atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
    return n;
}
static node *load(_Atomic(node *) *from) { return atomic_load_explicit(from, memory_order_acquire); }
static bool swap(_Atomic(node *) *at, node *was, node *is) {
    return atomic_compare_exchange_strong_explicit(at, &was, is, PUBLISHES, memory_order_relaxed);
}

PLUMB_OBJECT("queue")
PLUMB_SETUP {
    node *n = node_new(0);
    atomic_store(&head, n);
    atomic_store(&tail, n);
}
PLUMB_OP(enq, x) {
    node *n = node_new((int)x);
    for (;;) {
        node *t = load(&tail), *next = load(&t->next);
        if (t != load(&tail)) continue;
        if (next) swap(&tail, t, next);
        else if (swap(&t->next, NULL, n)) {
            swap(&tail, t, n);
            return plumb_none();
        }
    }
}
PLUMB_OP(deq) {
    for (;;) {
        node *h = load(&head), *t = load(&tail), *next = load(&h->next);
        if (h != load(&head)) continue;
        if (h == t && !next) return plumb_empty();
        if (h == t) swap(&tail, t, next);
        else {
            int v = CONTENT_GET(next);
            if (swap(&head, h, next)) return plumb_int(v);
        }
    }
}
PLUMB_THREADS("enq(1) enq(2) | deq | deq")
