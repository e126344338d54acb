/* A set as a sorted list with hand-over-hand locking: a thread holds at most two neighbouring nodes.
 *
 * BUG_UNLOCK: the lock on the predecessor is given back before the next one is held; a neighbour can be removed
 * in between, and what is linked in behind it is lost. */
#include <plumbline/test.h>

#include "list_set.h"

/* Both returned nodes are locked: pred->key < key <= curr->key. */
static node *locate(long key, node **pred) {
    *pred = head;
    pthread_mutex_lock(&(*pred)->lock);
    node *curr = atomic_load(&(*pred)->next);
    pthread_mutex_lock(&curr->lock);
    while (curr->key < key) {
        pthread_mutex_unlock(&(*pred)->lock);
        *pred = curr;
#ifdef BUG_UNLOCK
        pthread_mutex_unlock(&(*pred)->lock);
        curr = atomic_load(&(*pred)->next);
        pthread_mutex_lock(&curr->lock);
        pthread_mutex_lock(&(*pred)->lock);
#else
        curr = atomic_load(&curr->next);
        pthread_mutex_lock(&curr->lock);
#endif
    }
    return curr;
}

static void let_go(node *pred, node *curr) {
    pthread_mutex_unlock(&curr->lock);
    pthread_mutex_unlock(&pred->lock);
}

static bool set_add(long key) {
    node *pred, *curr = locate(key, &pred);
    bool fresh = curr->key != key;
    if (fresh) atomic_store(&pred->next, node_new(key, curr));
    let_go(pred, curr);
    return fresh;
}

static bool set_remove(long key) {
    node *pred, *curr = locate(key, &pred);
    bool found = curr->key == key;
    if (found) atomic_store(&pred->next, atomic_load(&curr->next));
    let_go(pred, curr);
    return found;
}

static bool set_contains(long key) {
    node *pred, *curr = locate(key, &pred);
    bool found = curr->key == key;
    let_go(pred, curr);
    return found;
}

PLUMB_OBJECT("set")
PLUMB_SETUP { list_setup(); }
PLUMB_OP(add, k) { return plumb_bool(set_add(k)); }
PLUMB_OP(remove, k) { return plumb_bool(set_remove(k)); }
PLUMB_OP(contains, k) { return plumb_bool(set_contains(k)); }
PLUMB_THREADS("add(1) add(2) : remove(1) | remove(2) contains(2)")
PLUMB_THREADS("add(1) : remove(1) | add(2) contains(2)")
PLUMB_THREADS("add(1) add(2) : remove(1) | add(3) contains(3)")
