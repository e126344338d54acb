/* Readers that say when they hold nothing (RCU by quiescent states): the writer replaces a node, waits until every
 * reader has passed such a state, and frees the old one.
 *
 * BUG_SAY: a reader says so with a relaxed store: it may still be reading. BUG_ASK: the writer asks with relaxed loads.
 * BUG_SWAP: the new node is published with a relaxed exchange. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BUG_SAY
#define SAYS memory_order_relaxed
#else
#define SAYS memory_order_release
#endif
#ifdef BUG_ASK
#define ASKS memory_order_relaxed
#else
#define ASKS memory_order_acquire
#endif
#ifdef BUG_SWAP
#define SWAPS memory_order_relaxed
#else
#define SWAPS memory_order_acq_rel
#endif

static int *_Atomic node;
static atomic_int grace, seen;

static void *reads(void *p) {
    const int *n = atomic_load_explicit(&node, memory_order_acquire);
    const int v = *n;
    assert(v == 1 || v == 2);
    atomic_store_explicit(&seen, 1 + atomic_load_explicit(&grace, memory_order_acquire), SAYS);
    return p;
}

static void *replaces(void *p) {
    int *new = malloc(sizeof *new);
    *new = 2;
    int *old = atomic_exchange_explicit(&node, new, SWAPS);
    atomic_store_explicit(&grace, 1, memory_order_release);
    while (!atomic_load_explicit(&seen, ASKS)) continue;
    free(old);
    return p;
}

int main(void) {
    pthread_t t[2];
    int *first = malloc(sizeof *first);
    *first = 1;
    atomic_init(&node, first);
    pthread_create(&t[0], NULL, reads, NULL);
    pthread_create(&t[1], NULL, replaces, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    free(atomic_load_explicit(&node, memory_order_relaxed));
    return 0;
}
