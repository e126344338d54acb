/* Epochs: a reader says in which epoch it reads; who takes a node out frees it when no reader is in an epoch that may
 * have seen it.
 *
 * BUG_ENTER: nothing orders entering before what is read. BUG_LEAVE: leaving does not release what was read. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BUG_LEAVE
#define LEAVES memory_order_relaxed
#else
#define LEAVES memory_order_release
#endif

static int *_Atomic shared;
static atomic_int epoch = 1, reader; /* reader: its epoch; 0: it is in none */

static void fence(void) {
#ifndef BUG_ENTER
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *reads(void *p) {
    atomic_store_explicit(&reader, atomic_load_explicit(&epoch, memory_order_relaxed), memory_order_relaxed);
    fence();
    const int *n = atomic_load_explicit(&shared, memory_order_acquire);
    if (n) assert(*n == 1);
    atomic_store_explicit(&reader, 0, LEAVES);
    return p;
}

static void *removes(void *p) {
    int *n = atomic_exchange_explicit(&shared, NULL, memory_order_acq_rel);
    fence();
    const int now = 1 + atomic_fetch_add_explicit(&epoch, 1, memory_order_acq_rel);
    const int in = atomic_load_explicit(&reader, memory_order_acquire);
    if (!in || in >= now) free(n);
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
