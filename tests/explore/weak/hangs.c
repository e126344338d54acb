/* Loops that wait. FLAG: it is given only by a thread that saw the other's store, which FENCED makes sure of under
 * RC11. COUNTS: the loop counts its looks, so it is not proved to wait. BIT: a lock in one bit of a word that changes:
 * what a failed compare-and-swap expects next is made of what it found. */
#include <pthread.h>
#include <stdatomic.h>

#ifdef BIT
static atomic_long word = 2;

static long lock_word(void) {
    long now = atomic_load_explicit(&word, memory_order_relaxed) & ~1L;
    while (!atomic_compare_exchange_strong_explicit(&word, &now, now | 1, memory_order_acquire, memory_order_relaxed))
        now &= ~1L;
    return now;
}
static void *first(void *p) {
    const long was = lock_word();
    atomic_store_explicit(&word, was + 2, memory_order_release);
    return p;
}
#define SECOND first
#else
static atomic_int x, y, flag;
int looks;

static void fence(void) {
#ifdef FENCED
    atomic_thread_fence(memory_order_seq_cst);
#endif
}
static void *first(void *p) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    fence();
    if (atomic_load_explicit(&y, memory_order_relaxed)) atomic_store_explicit(&flag, 1, memory_order_release);
    return p;
}
static void *second(void *p) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    fence();
    if (!atomic_load_explicit(&x, memory_order_relaxed)) {
        int n = 0;
        while (!atomic_load_explicit(&flag, memory_order_acquire)) n++;
#ifdef COUNTS
        looks = n;
#endif
    }
    return p;
}
#define SECOND second
#endif

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, SECOND, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
