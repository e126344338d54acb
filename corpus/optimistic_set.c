/* A set as a sorted list that is walked without locks; the two nodes found are locked, and then it is made sure that
 * they are still neighbours and reachable.
 *
 * BUG_VALIDATE: it is not made sure that the predecessor can still be reached: an element is linked in behind a removed
 * node. */
#include <plumbline/test.h>

#include "list_set.h"

static bool still_there(node *pred, node *curr) {
#ifndef BUG_VALIDATE
    node *n = head;
    while (n->key < pred->key) n = atomic_load(&n->next);
    if (n != pred) return false;
#endif
    return atomic_load(&pred->next) == curr;
}

static node *locate(long key, node **pred) {
    for (;;) {
        *pred = head;
        node *curr = atomic_load(&head->next);
        while (curr->key < key) {
            *pred = curr;
            curr = atomic_load(&curr->next);
        }
        pthread_mutex_lock(&(*pred)->lock);
        pthread_mutex_lock(&curr->lock);
        if (still_there(*pred, curr)) return curr;
        pthread_mutex_unlock(&curr->lock);
        pthread_mutex_unlock(&(*pred)->lock);
    }
}

static void let_go(node *pred, node *curr) {
    pthread_mutex_unlock(&curr->lock);
    pthread_mutex_unlock(&pred->lock);
}

PLUMB_OBJECT("set")
PLUMB_SETUP { list_setup(); }
PLUMB_OP(add, k) {
    node *pred, *curr = locate(k, &pred);
    bool fresh = curr->key != k;
    if (fresh) atomic_store(&pred->next, node_new(k, curr));
    let_go(pred, curr);
    return plumb_bool(fresh);
}
PLUMB_OP(remove, k) {
    node *pred, *curr = locate(k, &pred);
    bool found = curr->key == k;
    if (found) atomic_store(&pred->next, atomic_load(&curr->next));
    let_go(pred, curr);
    return plumb_bool(found);
}
PLUMB_OP(contains, k) {
    node *pred, *curr = locate(k, &pred);
    bool found = curr->key == k;
    let_go(pred, curr);
    return plumb_bool(found);
}
PLUMB_THREADS("add(1) : remove(1) | add(2) contains(2)")
PLUMB_THREADS("add(1) add(2) : remove(2) | remove(1)")
