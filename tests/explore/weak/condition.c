/* Condition variables and atomics of every order: what a waiter sees, who is woken, and signals that come too early.
 * HANDOVER (one waiter), TWO (two waiters, one signal for each), LOST (the flag is set outside of the mutex), UNHEARD
 * (a signal to whoever waits first: the other one waits for ever). */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, data, first;
static atomic_int hint;

static void *waits(void *p) {
    pthread_mutex_lock(&m);
#ifdef LOST
    if (!atomic_load_explicit(&hint, memory_order_relaxed)) pthread_cond_wait(&c, &m);
#else
    while (!ready) pthread_cond_wait(&c, &m);
    ready--;
    if (!first) first = (int)(long)p;
    plumb_assert(data == 42);
#endif
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *signals(void *p) {
#ifdef LOST
    atomic_store_explicit(&hint, 1, memory_order_relaxed);
    pthread_cond_signal(&c);
#else
    atomic_store_explicit(&hint, 1, memory_order_relaxed);
    pthread_mutex_lock(&m);
    data = 42;
#if defined TWO || defined UNHEARD
    ready = 2;
#else
    ready = 1;
#endif
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&c);
#ifdef TWO
    pthread_cond_signal(&c);
#endif
#endif
    return p;
}

int main(void) {
    pthread_t t[3];
    unsigned n = 0;
    pthread_create(&t[n++], NULL, waits, (void *)1);
#if defined TWO || defined UNHEARD
    pthread_create(&t[n++], NULL, waits, (void *)2);
#endif
    pthread_create(&t[n++], NULL, signals, NULL);
    while (n) pthread_join(t[--n], NULL);
    plumb_outcome("first=%d", first);
    return 0;
}
