/* Threads that wait: MUTEX, EXCHANGE (a lock by exchange, given back with the order RELEASE), DEADLOCK, FLAG. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef RELEASE
#define RELEASE release
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if defined MUTEX || defined EXCHANGE
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int lock;
static int seats[3], taken;
static void enter(void) {
#ifdef MUTEX
    pthread_mutex_lock(&mutex);
#else
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) continue;
#endif
}
static void leave(void) {
#ifdef MUTEX
    pthread_mutex_unlock(&mutex);
#else
    atomic_store_explicit(&lock, 0, JOIN(memory_order_, RELEASE));
#endif
}
static void *sit(void *p) {
    enter();
    seats[taken++] = (int)(size_t)p;
    leave();
    (void)mutex, (void)lock;
    return NULL;
}
int main(void) {
    pthread_t t[3];
    for (size_t i = 0; i < 3; i++) pthread_create(&t[i], NULL, sit, (void *)i);
    for (size_t i = 0; i < 3; i++) pthread_join(t[i], NULL);
    plumb_outcome("order=%d%d%d", seats[0], seats[1], seats[2]);
    return 0;
}
#else
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag;
static int data;
static void both(pthread_mutex_t *a, pthread_mutex_t *b) {
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}
static void *first(void *p) {
#ifdef DEADLOCK
    both(&one, &other);
#endif
    data = 42;
#ifndef NEVER
    atomic_store_explicit(&flag, 1, memory_order_release);
#endif
    return p;
}
static void *second(void *p) {
#ifdef DEADLOCK
    both(&other, &one);
#else
    while (!atomic_load_explicit(&flag, memory_order_acquire)) continue;
    plumb_assert(data == 42);
    (void)both, (void)one, (void)other;
#endif
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
#endif
