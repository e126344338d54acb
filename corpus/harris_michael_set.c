/* The lock-free list of Harris and Michael: the lowest bit of a node's next pointer says that the node is removed;
 * the thread that walks past a removed node unlinks it.
 *
 * BUG_ONE_STEP: remove unlinks the node without marking it first: an add behind it at the same moment is lost. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct node {
    long key;
    atomic_uintptr_t next; /* bit 0: this node is removed */
} node;

static node *head;

static node *pointer(uintptr_t p) { return (node *)(p & ~(uintptr_t)1); }
static bool marked(uintptr_t p) { return p & 1; }

static node *node_new(long key, node *next) {
    node *n = malloc(sizeof *n);
    n->key = key;
    atomic_init(&n->next, (uintptr_t)next);
    return n;
}

/* pred->key < key <= curr->key, and pred->next was curr, both unmarked. */
static node *locate(long key, node **pred) {
again:
    *pred = head;
    for (node *curr = pointer(atomic_load(&head->next));;) {
        uintptr_t next = atomic_load(&curr->next);
        if (marked(next)) {
            uintptr_t expected = (uintptr_t)curr;
            if (!atomic_compare_exchange_strong(&(*pred)->next, &expected, (uintptr_t)pointer(next))) goto again;
            curr = pointer(next);
        } else {
            if (curr->key >= key) return curr;
            *pred = curr;
            curr = pointer(next);
        }
    }
}

PLUMB_OBJECT("set")
PLUMB_SETUP { head = node_new(-1000, node_new(1000, NULL)); }
PLUMB_OP(add, k) {
    for (;;) {
        node *pred, *curr = locate(k, &pred);
        if (curr->key == k) return plumb_bool(false);
        uintptr_t expected = (uintptr_t)curr;
        node *n = node_new(k, curr);
        if (atomic_compare_exchange_strong(&pred->next, &expected, (uintptr_t)n)) return plumb_bool(true);
        free(n);
    }
}
PLUMB_OP(remove, k) {
    for (;;) {
        node *pred, *curr = locate(k, &pred);
        if (curr->key != k) return plumb_bool(false);
        uintptr_t next = atomic_load(&curr->next), expected = (uintptr_t)curr;
        if (marked(next)) continue;
#ifndef BUG_ONE_STEP
        if (!atomic_compare_exchange_strong(&curr->next, &next, next | 1)) continue;
        atomic_compare_exchange_strong(&pred->next, &expected, next);
        return plumb_bool(true);
#else
        if (atomic_compare_exchange_strong(&pred->next, &expected, next)) return plumb_bool(true);
#endif
    }
}
PLUMB_OP(contains, k) {
    node *n = pointer(atomic_load(&head->next));
    while (n->key < k) n = pointer(atomic_load(&n->next));
    return plumb_bool(n->key == k && !marked(atomic_load(&n->next)));
}
PLUMB_THREADS("add(1) : remove(1) | add(2) contains(2)")
PLUMB_THREADS("add(1) : remove(1) | remove(1) add(1)")
