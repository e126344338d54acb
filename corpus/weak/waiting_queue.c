/* Vyukov's queue of many producers and one consumer: a producer takes the last node's place by an exchange, and links
 * itself behind it. The consumer waits for the link.
 *
 * BUG_LINK: the link is a relaxed store: the value may not be there. BUG_SWAP: the exchange is relaxed: the link may
 * come before the empty one that its node began with, and the consumer waits for ever. BUG_FOLLOW: the consumer follows
 * the link from a relaxed load. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

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
#ifdef BUG_FOLLOW
#define FOLLOWS memory_order_relaxed
#else
#define FOLLOWS memory_order_acquire
#endif

struct node {
    struct node *_Atomic next;
    int value;
};
static struct node first;
static struct node *_Atomic last = &first;

static void *produces(void *p) {
    struct node *n = malloc(sizeof *n);
    n->value = p ? 2 : 1;
    atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&last, n, SWAPS);
    atomic_store_explicit(&before->next, n, LINKS);
    return p;
}

static void *consumes(void *p) {
    struct node *at = &first, *next;
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        while (!(next = atomic_load_explicit(&at->next, FOLLOWS))) continue;
        sum += next->value;
        at = next;
    }
    assert(sum == 3);
    return p;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, produces, NULL);
    pthread_create(&t[1], NULL, produces, &first);
    pthread_create(&t[2], NULL, consumes, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    return 0;
}
