/* THREADS of them add to one counter, without an order. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int n;
static int plain[THREADS];
static void *adds(void *p) {
    int *own = p;
    *own = 1;
    if ((long)(own - plain) % 10 == 0) atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
    return malloc(1);
}
int main(void) {
    pthread_t t[THREADS];
    int sum = 0;
    void *room;
    for (long i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, adds, &plain[i]);
    for (long i = 0; i < THREADS; i++) {
        pthread_join(t[i], &room);
        sum += plain[i];
#ifdef LEAK
        if (i)
#endif
            free(room);
    }
    plumb_outcome("n=%d sum=%d", atomic_load_explicit(&n, memory_order_relaxed), sum);
    return 0;
}
