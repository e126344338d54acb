/* Which accesses order d = 1 before d = 2, by the bytes that they touch and the memory order that they are made with.
 * */
#include <pthread.h>
#include <stdatomic.h>

#ifndef T
#define T int
#endif
#define STORE(v, x, order) atomic_store_explicit(&(v), x, memory_order_##order)
#define LOAD(v, order) atomic_load_explicit(&(v), memory_order_##order)

_Alignas(64) int d;
_Alignas(64) struct { _Atomic T f, g; } s;
volatile int flag;

#if CASE == 1 /* g is another variable than f, though it lies in the same eight bytes: a race */
static void a(void) { d = 1; STORE(s.f, 1, release); }
static void b(void) { if (LOAD(s.f, relaxed)) STORE(s.g, 1, relaxed); }
static void c(void) { if (LOAD(s.g, acquire)) d = 2; }
#elif CASE == 2 /* a compare-and-swap that fails is relaxed: a race */
static void a(void) { d = 1; STORE(s.f, 1, release); }
static void b(void) {
    T e = 0;
    if (!atomic_compare_exchange_strong_explicit(&s.f, &e, 5, memory_order_acquire, memory_order_relaxed)) d = 2;
}
static void c(void) {}
#elif CASE == 3 /* one that fails and acquires: ordered */
static void a(void) { d = 1; STORE(s.f, 1, release); }
static void b(void) {
    T e = 0;
    if (!atomic_compare_exchange_strong_explicit(&s.f, &e, 5, memory_order_relaxed, memory_order_acquire)) d = 2;
}
static void c(void) {}
#elif CASE == 4 /* a relaxed store of another thread begins anew: a race */
static void a(void) { d = 1; STORE(s.f, 1, release); }
static void b(void) { if (LOAD(s.f, relaxed) == 1) STORE(s.f, 2, relaxed); }
static void c(void) { if (LOAD(s.f, acquire) == 2) d = 2; }
#elif CASE == 5 /* a relaxed update continues the release sequence: ordered */
static void a(void) { d = 1; STORE(s.f, 1, release); }
static void b(void) { atomic_fetch_add_explicit(&s.f, 1, memory_order_relaxed); }
static void c(void) { if (LOAD(s.f, acquire) == 2) d = 2; }
#elif CASE == 6 /* so does a relaxed store of the thread itself, in C11: ordered */
static void a(void) { d = 1; STORE(s.f, 1, release); STORE(s.f, 2, relaxed); }
static void b(void) { if (LOAD(s.f, acquire) == 2) d = 2; }
static void c(void) { STORE(s.g, 1, release); }
#elif CASE == 7 /* two fences: ordered */
static void a(void) { d = 1; atomic_thread_fence(memory_order_release); STORE(s.f, 1, relaxed); }
static void b(void) { if (LOAD(s.f, relaxed)) { atomic_thread_fence(memory_order_acquire); d = 2; } }
static void c(void) { STORE(s.g, 1, release); }
#elif CASE == 8 /* the second of them is missing: a race */
static void a(void) { d = 1; atomic_thread_fence(memory_order_release); STORE(s.f, 1, relaxed); }
static void b(void) { if (LOAD(s.f, relaxed)) d = 2; }
static void c(void) { STORE(s.g, 1, release); }
#elif CASE == 9 /* two variables of one granule, both released: ordered */
static void a(void) { d = 1; STORE(s.f, 1, release); STORE(s.g, 1, relaxed); }
static void b(void) { STORE(s.g, 2, release); }
static void c(void) { if (LOAD(s.f, acquire)) d = 2; }
#elif CASE == 10 /* volatile accesses order nothing: a race, but not one of the flag */
static void a(void) { d = 1; flag = 1; }
static void b(void) { if (flag) d = 2; }
static void c(void) {}
#elif CASE == 11 /* unless there are fences: ordered */
static void a(void) { d = 1; __asm__ volatile("mfence" ::: "memory"); flag = 1; }
static void b(void) { if (flag) { __asm__ volatile("mfence" ::: "memory"); d = 2; } }
static void c(void) {}
#endif

static void *run_a(void *p) { a(); return p; }
static void *run_b(void *p) { b(); return p; }
static void *run_c(void *p) { c(); return p; }
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, run_a, 0);
    pthread_create(&t[1], 0, run_b, 0);
    pthread_create(&t[2], 0, run_c, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
