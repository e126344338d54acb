/* Michael and Scott's queue, recorded, monitored, guarded. Nodes are never freed, to keep it short. */
#include "run.h"

#include <stdatomic.h>

enum { ENQ, DEQ }; /* as `plumb objects` lists the methods of queue */

typedef struct node {
    int64_t v;
    _Atomic(struct node *) next;
} node;

static _Atomic(node *) head, tail;

static node *new_node(int64_t v) {
    node *n = calloc(1, sizeof *n);
    n->v = v;
    return n;
}

static void enqueue(int64_t v) {
    node *n = new_node(v);
    for (;;) {
        node *last = atomic_load(&tail), *next = atomic_load(&last->next);
        if (next) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, n)) {
            atomic_compare_exchange_strong(&tail, &last, n);
            return;
        }
    }
}

static int64_t dequeue(void) { /* -1: empty */
    for (;;) {
        node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);
        if (!next) return -1;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else {
            int64_t v = next->v;
            if (atomic_compare_exchange_strong(&head, &first, next)) return v;
        }
    }
}

void work(client *c) {
    for (unsigned i = 0; i < c->operations; i++) {
        int64_t v = (int64_t)c->number << 32 | i;
        if (dice(c) & 1) APPLY(c, ENQ, 1, PLUMB_WORD_INT(v), goes_wrong(c) ? (void)0 : enqueue(v), PLUMB_WORD_NONE);
        else APPLY(c, DEQ, 0, PLUMB_WORD_NONE, v = dequeue(), v < 0 ? PLUMB_WORD_EMPTY : PLUMB_WORD_INT(v));
    }
}

int main(int argc, char **argv) {
    head = tail = new_node(0);
    return run_example(argc, argv, "queue");
}
