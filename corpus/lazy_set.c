/* The lazy list: removal first marks a node, then unlinks it; contains takes no lock at all (it is wait-free).
 *
 * BUG_ONE_LOCK: only the predecessor is locked, not the node itself: an add behind a node that is being removed is
 * lost.
 * BUG_VALIDATE: add and remove do not look at the mark of the predecessor: what they link in behind a removed node is
 * lost.
 *
 * The points at which add and remove take effect are marked for `plumb explore --monitor points`; contains has no fixed
 * one.
 * WRONG_REMOVE: the object is right; remove is marked where the node is unlinked, but contains may have missed it
 * before. */
#include <plumbline/test.h>

#include "list_set.h"

static bool still_there(node *pred, node *curr) {
#ifndef BUG_VALIDATE
    if (atomic_load(&pred->removed) || atomic_load(&curr->removed)) return false;
#endif
    return atomic_load(&pred->next) == curr;
}

static void let_go(node *pred, node *curr) {
#ifndef BUG_ONE_LOCK
    pthread_mutex_unlock(&curr->lock);
#else
    (void)curr;
#endif
    pthread_mutex_unlock(&pred->lock);
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
#ifndef BUG_ONE_LOCK
        pthread_mutex_lock(&curr->lock);
#endif
        if (still_there(*pred, curr)) return curr;
        let_go(*pred, curr);
    }
}

PLUMB_OBJECT("set")
PLUMB_SETUP { list_setup(); }
PLUMB_OP(add, k) {
    node *pred, *curr = locate(k, &pred);
    bool fresh = curr->key != k;
    if (fresh) {
        atomic_store(&pred->next, node_new(k, curr));
        plumb_linearizes_here();
    }
    let_go(pred, curr);
    return plumb_bool(fresh);
}
PLUMB_OP(remove, k) {
    node *pred, *curr = locate(k, &pred);
    bool found = curr->key == k;
    if (found) {
        atomic_store(&curr->removed, true);
#ifndef WRONG_REMOVE
        plumb_linearizes_here();
#endif
        atomic_store(&pred->next, atomic_load(&curr->next));
#ifdef WRONG_REMOVE
        plumb_linearizes_here();
#endif
    }
    let_go(pred, curr);
    return plumb_bool(found);
}
PLUMB_OP(contains, k) {
    node *n = atomic_load(&head->next);
    while (n->key < k) n = atomic_load(&n->next);
    return plumb_bool(n->key == k && !atomic_load(&n->removed));
}
PLUMB_THREADS("add(1) : remove(1) | add(2) contains(2)")
PLUMB_THREADS("add(1) add(2) : remove(1) remove(2) | contains(2)")
PLUMB_THREADS("add(1) : remove(1) | contains(1) contains(1)")
