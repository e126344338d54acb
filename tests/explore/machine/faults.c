/* Timed waits that run out and what ends without a reason, chosen by CASE: which of them are wrong is said in
 * tests/explore/test_faults.sh. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#ifndef N
#define N 3
#endif
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_int word, owner, claims, top;
static int ready;

static int times_out(void) {
    struct timespec until, now;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 1000;
    if (!sem_timedwait(&semaphore, &until)) return 0;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(now.tv_sec > until.tv_sec || (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
    return 1;
}
/* N time-outs, each while the other thread is one step further. */
static void *consume_late(void *n) {
    int k = 0;
    (void)n;
    for (int i = 0; i < N; i++)
        if (times_out() && atomic_load(&word) == i) k++;
    assert(k != N);
    return NULL;
}
/* N time-outs before the other thread does anything. */
static void *consume_never(void *n) {
    int late = 0;
    (void)n;
    for (int i = 0; i < N; i++) late += times_out();
    assert(late != N || atomic_load(&word));
    return NULL;
}
static void *produce(void *n) {
    (void)n;
    for (int i = 1; i <= N; i++) atomic_store(&word, i);
    sem_post(&semaphore);
    return NULL;
}

static void *claim_weak(void *n) {
    int none = 0;
    if (atomic_compare_exchange_weak(&owner, &none, (int)(long)n + 1)) atomic_fetch_add(&claims, 1);
    return NULL;
}
static void *claim_strong(void *n) {
    int none = 0;
    if (atomic_compare_exchange_strong(&owner, &none, (int)(long)n + 1)) atomic_fetch_add(&claims, 1);
    return NULL;
}
static void *count_weak(void *n) {
    int t = atomic_load(&top);
    (void)n;
    while (!atomic_compare_exchange_weak(&top, &t, t + 1))
        ;
    return NULL;
}
/* Gives up the second time. */
static void *count_twice(void *n) {
    (void)n;
    for (int i = 0, t = 0; i < 2 && !atomic_compare_exchange_weak(&top, &t, t + 1); i++)
        ;
    return NULL;
}

static void *await_if(void *n) {
    (void)n;
    pthread_mutex_lock(&mutex);
    if (!ready) pthread_cond_wait(&condition, &mutex);
    assert(ready);
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void *await_while(void *n) {
    (void)n;
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    assert(ready);
    pthread_mutex_unlock(&mutex);
    return NULL;
}
static void *announce(void *n) {
    (void)n;
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void both(void *(*f)(void *), void *(*g)(void *)) {
    pthread_t a, b;
    sem_init(&semaphore, 0, 0);
    pthread_create(&a, NULL, f, (void *)0);
    pthread_create(&b, NULL, g, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

int main(void) {
    if (CASE == 1) both(consume_late, produce);
    if (CASE == 2) both(consume_never, produce);
    if (CASE == 3) {
        both(claim_weak, claim_weak);
        assert(claims == 1);
    }
    if (CASE == 4) {
        both(claim_strong, claim_strong);
        assert(claims == 1);
    }
    if (CASE == 5) {
        both(count_weak, count_weak);
        assert(top == 2);
    }
    if (CASE == 6) {
        both(count_twice, count_twice);
        assert(top == 2);
    }
    if (CASE == 7) both(await_if, announce);
    if (CASE == 8) both(await_while, announce);
    return 0;
}
