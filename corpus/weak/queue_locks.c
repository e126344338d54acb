/* Queue locks of Mellor-Crummey and Scott (MCS), and of Craig, Landin and Hagersten (CLH): each thread waits at a word
 * of its own, or of the one before it.
 *
 * Without a flag: MCS. CLH (right). BUG_HANDOVER: MCS hands the lock over with a relaxed store. BUG_LINK: its predecessor
 * is told of the node with a relaxed store. BUG_CLH: CLH gives back with a relaxed store. BUG_SWAP: the swap of the tail
 * of CLH orders nothing, and the node's own word is not known to the next thread. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined BUG_HANDOVER || defined BUG_CLH
#define GIVES memory_order_relaxed
#else
#define GIVES memory_order_release
#endif
#ifdef BUG_LINK
#define LINKS memory_order_relaxed
#else
#define LINKS memory_order_release
#endif
#ifdef BUG_SWAP
#define SWAPS memory_order_relaxed
#else
#define SWAPS memory_order_acq_rel
#endif

struct node {
    struct node *_Atomic next;
    atomic_int locked;
};
static struct node nodes[3];
static struct node *_Atomic tail;
static int counter;

#if defined CLH || defined BUG_CLH || defined BUG_SWAP
static void lock(struct node *me) {
    atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, me, SWAPS);
    while (atomic_load_explicit(&before->locked, memory_order_acquire)) continue;
}
static void unlock(struct node *me) { atomic_store_explicit(&me->locked, 0, GIVES); }
#else
static void lock(struct node *me) {
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->locked, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&tail, me, SWAPS);
    if (!before) return;
    atomic_store_explicit(&before->next, me, LINKS);
    while (atomic_load_explicit(&me->locked, memory_order_acquire)) continue;
}
static void unlock(struct node *me) {
    struct node *next = atomic_load_explicit(&me->next, memory_order_acquire), *mine = me;
    if (!next) {
        if (atomic_compare_exchange_strong_explicit(&tail, &mine, NULL, memory_order_release, memory_order_relaxed))
            return;
        while (!(next = atomic_load_explicit(&me->next, memory_order_acquire))) continue;
    }
    atomic_store_explicit(&next->locked, 0, GIVES);
}
#endif

static void *adds(void *p) {
    struct node *me = p;
    lock(me);
    counter++;
    unlock(me);
    return NULL;
}

int main(void) {
    pthread_t t[2];
#if defined CLH || defined BUG_CLH || defined BUG_SWAP
    atomic_store(&tail, &nodes[2]); /* free */
#endif
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, adds, &nodes[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    plumb_assert(counter == 2);
    return 0;
}
