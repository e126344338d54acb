/* The last of those who refer to a node frees it.
 *
 * BUG_DROP: who drops its reference does not release what it read there, so the node may be freed under it. BUG_LAST:
 * the last one does not acquire what the others did. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BUG_DROP
#define DROPS memory_order_relaxed
#else
#define DROPS memory_order_release
#endif

struct node {
    atomic_int references;
    int used[2];
};
static struct node *shared;

static void drop(struct node *n) {
    if (atomic_fetch_sub_explicit(&n->references, 1, DROPS) != 1) return;
#ifndef BUG_LAST
    atomic_thread_fence(memory_order_acquire);
#endif
    free(n);
}

static void *uses(void *p) {
    shared->used[p != NULL] = 1;
    drop(shared);
    return p;
}

int main(void) {
    pthread_t t[2];
    shared = malloc(sizeof *shared);
    *shared = (struct node){.references = 2};
    pthread_create(&t[0], NULL, uses, NULL);
    pthread_create(&t[1], NULL, uses, &shared);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
