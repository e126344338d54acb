/* An event count: who finds nothing says that it waits, looks again, and sleeps under a mutex until the count
 * changes; who brings something wakes only if another thread waits.
 *
 * BUG_FENCE: nothing orders the store before the look whether another thread waits, on either side: a lost wake-up.
 * BUG_FLAG: what was brought is flagged with a relaxed store. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef BUG_FLAG
#define FLAGS memory_order_relaxed
#else
#define FLAGS memory_order_release
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int there, waiters;
static int count, content;

static void fence(void) {
#ifndef BUG_FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *brings(void *p) {
    content = 7;
    atomic_store_explicit(&there, 1, FLAGS);
    fence();
    if (!atomic_load_explicit(&waiters, memory_order_relaxed)) return p;
    pthread_mutex_lock(&m);
    count++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return p;
}

static void *takes(void *p) {
    if (!atomic_load_explicit(&there, memory_order_acquire)) {
        pthread_mutex_lock(&m);
        const int then = count;
        pthread_mutex_unlock(&m);
        atomic_fetch_add_explicit(&waiters, 1, memory_order_relaxed);
        fence();
        if (!atomic_load_explicit(&there, memory_order_acquire)) {
            pthread_mutex_lock(&m);
            while (count == then) pthread_cond_wait(&changed, &m);
            pthread_mutex_unlock(&m);
        }
    }
    assert(content == 7);
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, brings, NULL);
    pthread_create(&t[1], NULL, takes, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
