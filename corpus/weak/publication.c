/* A node is filled in and published by a pointer, as read-copy-update does it: readers follow the pointer.
 *
 * BUG_PUBLISH: published with a relaxed store, the node's content may not be there yet. BUG_FOLLOW: followed from a
 * relaxed load. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BUG_PUBLISH
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif
#ifdef BUG_FOLLOW
#define FOLLOW memory_order_relaxed
#else
#define FOLLOW memory_order_acquire
#endif

struct config {
    int a, b;
};
static struct config first = {1, 1};
static struct config *_Atomic now = &first;

static void *updates(void *p) {
    struct config *fresh = malloc(sizeof *fresh);
    fresh->a = fresh->b = 2;
    atomic_store_explicit(&now, fresh, PUBLISH);
    return p;
}
static void *reads(void *p) {
    const struct config *c = atomic_load_explicit(&now, FOLLOW);
    assert(c->a == c->b);
    return p;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, updates, NULL);
    pthread_create(&t[1], NULL, reads, NULL);
    pthread_create(&t[2], NULL, reads, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    free(atomic_load(&now));
    return 0;
}
