/* The owner's end and the thieves' end of Chase and Lev's deque, with the orders of Lê, Pop, Cohen and Zappa Nardelli.
 *
 * BUG_TAKE: without the owner's seq_cst fence both may take the last value. BUG_STEAL: without the thief's. BUG_PUSH: the
 * value is not published before the index. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>

enum { PLACES = 4, VALUES = 2 };
static atomic_int place[PLACES];
static atomic_long top, bottom;
static atomic_int taken[VALUES + 1];

static void got(int v) { plumb_assert(v > 0 && v <= VALUES && !atomic_fetch_add(&taken[v], 1)); }

static void push(int v) {
    const long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&place[b % PLACES], v, memory_order_relaxed);
#ifndef BUG_PUSH
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static void take(void) {
    const long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
#ifndef BUG_TAKE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    long t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return;
    }
    const int v = atomic_load_explicit(&place[b % PLACES], memory_order_relaxed);
    if (t < b) {
        got(v);
        return;
    }
    if (atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed)) got(v);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static void *steals(void *p) {
    long t = atomic_load_explicit(&top, memory_order_acquire);
#ifndef BUG_STEAL
    atomic_thread_fence(memory_order_seq_cst);
#endif
    const long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b) return p;
    const int v = atomic_load_explicit(&place[t % PLACES], memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed)) got(v);
    return p;
}

static void *owns(void *p) {
    for (int v = 1; v <= VALUES; v++) push(v);
    for (int v = 1; v <= VALUES; v++) take();
    return p;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, owns, NULL);
    pthread_create(&t[1], NULL, steals, NULL);
    pthread_create(&t[2], NULL, steals, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    return 0;
}
