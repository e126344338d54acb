/* Dekker's and Peterson's entry: who has said that it wants to enter, and does not see the other's wish, enters.
 *
 * Without a flag: both with seq_cst fences. PETERSON (right): Peterson's, whose turn is exchanged:
 * the later exchange has read from the earlier. BUG_FENCE: without the fences, each may miss the other's store.
 * BUG_PETERSON: Peterson's with a turn that is stored, even behind a fence the later store may come first in
 * modification order. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn, inside;

static void fence(void) {
#ifndef BUG_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static int may_enter(int me) {
#if defined PETERSON || defined BUG_PETERSON
#ifdef PETERSON
    atomic_exchange_explicit(&turn, !me, memory_order_acq_rel);
#else
    atomic_store_explicit(&turn, !me, memory_order_release);
    fence();
#endif
    return !atomic_load_explicit(&wants[!me], memory_order_acquire) ||
           atomic_load_explicit(&turn, memory_order_acquire) == me;
#else
    (void)turn;
    fence();
    return !atomic_load_explicit(&wants[!me], memory_order_acquire);
#endif
}

static void *enters(void *p) {
    const int me = (int)(long)p;
    atomic_store_explicit(&wants[me], 1, memory_order_release);
    if (may_enter(me)) {
        assert(atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed) == 0);
        atomic_fetch_sub_explicit(&inside, 1, memory_order_relaxed);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (long i = 0; i < 2; i++) pthread_create(&t[i], NULL, enters, (void *)i);
    for (long i = 0; i < 2; i++) pthread_join(t[i], NULL);
    return 0;
}
