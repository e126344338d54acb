/* A reader announces the node that it is about to look into and looks again whether it is still there; who takes the
 * node out frees it only when no reader has announced it (Michael).
 *
 * BUG_FENCE: nothing orders the announcement before the second look: both may miss the other's store. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int *_Atomic shared, *_Atomic hazard;

static void fence(void) {
#ifndef BUG_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *reads(void *p) {
    int *n = atomic_load_explicit(&shared, memory_order_acquire);
    if (!n) return p;
    atomic_store_explicit(&hazard, n, memory_order_release);
    fence();
    if (atomic_load_explicit(&shared, memory_order_acquire) == n) assert(*n == 1);
    atomic_store_explicit(&hazard, NULL, memory_order_release);
    return p;
}

static void *removes(void *p) {
    int *n = atomic_exchange_explicit(&shared, NULL, memory_order_acq_rel);
    fence();
    if (atomic_load_explicit(&hazard, memory_order_acquire) != n) free(n);
    return p;
}

int main(void) {
    pthread_t t[2];
    int *n = malloc(sizeof *n);
    *n = 1;
    atomic_store(&shared, n);
    pthread_create(&t[0], NULL, reads, NULL);
    pthread_create(&t[1], NULL, removes, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
