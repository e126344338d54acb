/* What execution graphs have no events for: VOLATILE (a copied structure), SIZES (atomic accesses of two sizes at one
 * place), ASSEMBLY, DEADLINE; and what schedules have no room for: MANY writes, ALTERNATIVES. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#if defined VOLATILE
struct both {
    int a, b;
};
static volatile struct both v, w;
static int work(void) {
    v = w;
    return v.a;
}
#elif defined ASSEMBLY
static int v;
static int work(void) {
#ifdef ONLY_FENCE
    __asm__ volatile("mfence" ::: "memory");
#elif defined MOV
    __asm__ volatile("movl $1,%0" : "=m"(v));
#else
    __asm__ volatile("lock; incl %0" : "+m"(v));
#endif
    return 0;
}
#elif defined MANY
static _Atomic int v;
static int work(void) {
    for (int i = 0; i < 300; i++) atomic_store_explicit(&v, i, memory_order_relaxed);
    return 0;
}
#elif defined ALTERNATIVES
#include <plumbline/test.h>
static int work(void) { return (int)plumb_choose(256); }
#elif defined SIZES
static _Atomic uint64_t v;
static int work(void) {
    atomic_fetch_add((_Atomic uint32_t *)&v, 1);
#ifdef RELAXED_TOO /* an order for which rc11 is asked for without being named */
    atomic_load_explicit(&v, memory_order_relaxed);
#endif
    return (int)atomic_fetch_add(&v, 1);
}
#else
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int v;
static int work(void) {
    pthread_mutex_lock(&m);
    const struct timespec until = {0};
    if (!v++) pthread_cond_timedwait(&c, &m, &until);
    pthread_cond_signal(&c);
    return pthread_mutex_unlock(&m);
}
#endif

static void *run(void *p) {
    work();
    return p;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, run, NULL);
    pthread_create(&t[1], NULL, run, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
