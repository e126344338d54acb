/* The lazy list: removal first marks a node, then unlinks it; contains takes no lock at all (it is wait-free).
 *
 * BUG_CONTAINS: contains does not look at the mark: an element that was removed is still found by a slow walk.
 * BUG_VALIDATE: add and remove do not look at the mark of the predecessor: what they link in behind a removed node is lost. */
#include <plumbline/test.h>

#include "list_set.h"

static bool still_there(node *pred, node *curr) {
#ifndef BUG_VALIDATE
    if (atomic_load(&pred->removed) || atomic_load(&curr->removed)) return false;
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
    if (found) {
        atomic_store(&curr->removed, true);
        atomic_store(&pred->next, atomic_load(&curr->next));
    }
    let_go(pred, curr);
    return plumb_bool(found);
}
PLUMB_OP(contains, k) {
    node *n = atomic_load(&head->next);
    while (n->key < k) n = atomic_load(&n->next);
#ifdef BUG_CONTAINS
    return plumb_bool(n->key == k);
#else
    return plumb_bool(n->key == k && !atomic_load(&n->removed));
#endif
}
PLUMB_THREADS("add(1) : remove(1) | add(2) contains(2)")
PLUMB_THREADS("add(1) add(2) : remove(1) remove(2) | contains(2)")
PLUMB_THREADS("add(1) : remove(1) | contains(1) contains(1)")
