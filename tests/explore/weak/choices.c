/* Choices of threads, among accesses that later writes revisit; with IN_MAIN all of them are made before there are
 * threads, which comes to the same. */
#include <plumbline/test.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static unsigned made[3];
static int r[4];

static unsigned choice(unsigned number, unsigned n) {
#ifdef IN_MAIN
    (void)n;
    return made[number];
#else
    return made[number] = plumb_choose(n);
#endif
}

static void *first(void *p) {
    r[0] = atomic_load_explicit(&x, memory_order_relaxed);
    if (choice(0, 2)) atomic_store_explicit(&y, 1 + (int)choice(1, 3), memory_order_relaxed);
    r[1] = atomic_load_explicit(&x, memory_order_acquire);
    return p;
}

static void *second(void *p) {
    r[2] = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, choice(2, 2) ? 7 : r[2], memory_order_release);
    r[3] = atomic_load_explicit(&y, memory_order_relaxed);
    return p;
}

int main(void) {
    pthread_t t[2];
#ifdef IN_MAIN
    made[0] = plumb_choose(2);
    if (made[0]) made[1] = plumb_choose(3);
    made[2] = plumb_choose(2);
#endif
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    plumb_outcome("c=%u%u%u r=%d%d%d%d x=%d y=%d", made[0], made[1], made[2], r[0], r[1], r[2], r[3], x, y);
    return 0;
}
