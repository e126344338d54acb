/* Litmus tests with volatile accesses, or with relaxed atomics (ATOMIC); MESSAGE: a flag and what it announces. */
#include <assert.h>
#include <plumbline/test.h>
#include <pthread.h>
#include <stdatomic.h>

static int r1 = 9, r2 = 9;
#ifdef ATOMIC
static atomic_int x, y;
#define GET(v) atomic_load_explicit(&(v), memory_order_relaxed)
#define PUT(v, to) atomic_store_explicit(&(v), to, memory_order_relaxed)
#else
static volatile int x, y;
#define GET(v) (v)
#define PUT(v, to) ((v) = (to))
#endif

static void *first(void *p) {
#if defined SB
    PUT(x, 1), r1 = GET(y);
#elif defined MP || defined MESSAGE
    PUT(x, 1), PUT(y, 1);
#elif defined LB
    r1 = GET(x), PUT(y, 1);
#elif defined TWO_PLUS_TWO
    PUT(x, 1), PUT(y, 2);
#elif defined CORR
    PUT(x, 1), PUT(x, 2);
#else
    PUT(x, GET(x) + 1), PUT(x, GET(x) + 1);
#endif
    return p;
}

static void *second(void *p) {
#if defined SB
    PUT(y, 1), r2 = GET(x);
#elif defined MP
    r1 = GET(y), r2 = GET(x);
#elif defined MESSAGE
    if (GET(y)) assert(GET(x));
#elif defined LB
    r2 = GET(y), PUT(x, 1);
#elif defined TWO_PLUS_TWO
    PUT(y, 1), PUT(x, 2);
#elif defined CORR
    r1 = GET(x), r2 = GET(x);
#else
    PUT(x, GET(x) + 1), r1 = GET(x);
#endif
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    plumb_outcome("r1=%d r2=%d x=%d y=%d", r1, r2, (int)x, (int)y);
    return 0;
}
