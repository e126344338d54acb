/* Litmus tests in C: one of SB, MP, LB, IRIW, TWO_PLUS_TWO, CORR, WRC, S, RTEST; W and R are the orders of stores and
 * loads. What the registers and, where it matters, memory hold at the end is the outcome. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define STORE(where, value) atomic_store_explicit(&(where), value, JOIN(memory_order_, W))
#define LOAD(where) atomic_load_explicit(&(where), JOIN(memory_order_, R))
#define RELAXED_STORE(where, value) atomic_store_explicit(&(where), value, memory_order_relaxed)
#define RELAXED_LOAD(where) atomic_load_explicit(&(where), memory_order_relaxed)

static atomic_int x, y;
static int r1, r2, r3, r4;

#define THREAD(name, ...) \
    static void *name(void *p) { \
        __VA_ARGS__ \
        return p; \
    }

#if defined SB
THREAD(first, STORE(x, 1); r1 = LOAD(y);)
THREAD(second, STORE(y, 1); r2 = LOAD(x);)
#elif defined MP
THREAD(first, RELAXED_STORE(x, 1); STORE(y, 1);)
THREAD(second, r1 = LOAD(y); r2 = RELAXED_LOAD(x);)
#elif defined LB
THREAD(first, r1 = LOAD(x); STORE(y, 1);)
THREAD(second, r2 = LOAD(y); STORE(x, 1);)
#elif defined IRIW
THREAD(first, STORE(x, 1);)
THREAD(second, r1 = LOAD(x); r2 = LOAD(y);)
THREAD(third, r3 = LOAD(y); r4 = LOAD(x);)
THREAD(fourth, STORE(y, 1);)
#elif defined TWO_PLUS_TWO
THREAD(first, STORE(x, 1); STORE(y, 2);)
THREAD(second, STORE(y, 1); STORE(x, 2);)
#elif defined CORR
THREAD(first, STORE(x, 1); STORE(x, 2);)
THREAD(second, r1 = LOAD(x); r2 = LOAD(x);)
#elif defined WRC
THREAD(first, STORE(x, 1);)
THREAD(second, r1 = LOAD(x); STORE(y, 1);)
THREAD(third, r2 = LOAD(y); r3 = LOAD(x);)
#elif defined S
THREAD(first, STORE(x, 2); STORE(y, 1);)
THREAD(second, r1 = LOAD(y); STORE(x, 1);)
#else
THREAD(first, STORE(x, 1); STORE(y, 1);)
THREAD(second, STORE(y, 2); r1 = LOAD(x);)
#endif

int main(void) {
    pthread_t t[4];
    int n = 0;
    pthread_create(&t[n++], NULL, first, NULL);
    pthread_create(&t[n++], NULL, second, NULL);
#if defined IRIW || defined WRC
    pthread_create(&t[n++], NULL, third, NULL);
#endif
#if defined IRIW
    pthread_create(&t[n++], NULL, fourth, NULL);
#endif
    while (n) pthread_join(t[--n], NULL);
#if defined SB
    plumb_outcome("r1=%d r2=%d", r1, r2);
#else
    plumb_outcome("r1=%d r2=%d r3=%d r4=%d x=%d y=%d", r1, r2, r3, r4, atomic_load(&x), atomic_load(&y));
#endif
    return 0;
}
