/* A thread goes to sleep when it sees nothing to do; who brings work wakes it only if it says that it sleeps.
 *
 * BUG_FENCE: nothing orders the sleeper's word before its last look, nor the work before the look at that word: each may
 * miss the other's store, and the sleeper sleeps for ever. BUG_SPIN: the same with a flag that is awaited. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>

static atomic_int work, sleeps, woken;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void fence(void) {
#if !defined BUG_FENCE && !defined BUG_SPIN
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void sleep_until_woken(void) {
#ifdef BUG_SPIN
    while (!atomic_load_explicit(&woken, memory_order_acquire)) continue;
#else
    pthread_mutex_lock(&m);
    while (!atomic_load_explicit(&woken, memory_order_relaxed)) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
#endif
}

static void wake(void) {
    pthread_mutex_lock(&m);
    atomic_store_explicit(&woken, 1, memory_order_release);
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
}

static void *waits(void *p) {
    atomic_store_explicit(&sleeps, 1, memory_order_relaxed);
    fence();
    if (!atomic_load_explicit(&work, memory_order_relaxed)) sleep_until_woken();
    return p;
}
static void *brings(void *p) {
    atomic_store_explicit(&work, 1, memory_order_relaxed);
    fence();
    if (atomic_load_explicit(&sleeps, memory_order_relaxed)) wake();
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, waits, NULL);
    pthread_create(&t[1], NULL, brings, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
