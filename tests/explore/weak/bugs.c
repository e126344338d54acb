/* DEKKER: two threads meet where stores pass loads. MESSAGE: data is behind its flag. ORDER mends both. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define ORDERED JOIN(memory_order_, ORDER)

static atomic_int a, b, inside;

#ifdef DEKKER
static void enter(atomic_int *mine, atomic_int *other) {
    atomic_store_explicit(mine, 1, ORDERED);
    if (atomic_load_explicit(other, ORDERED)) return;
    assert(atomic_fetch_add_explicit(&inside, 1, ORDERED) == 0);
    atomic_fetch_sub_explicit(&inside, 1, ORDERED);
}
static void *first(void *p) {
    enter(&a, &b);
    return p;
}
static void *second(void *p) {
    enter(&b, &a);
    return p;
}
#else
static void *first(void *p) {
    atomic_store_explicit(&a, 1, ORDERED);
    atomic_store_explicit(&b, 1, ORDERED);
    return p;
}
static void *second(void *p) {
    if (atomic_load_explicit(&b, ORDERED)) assert(atomic_load_explicit(&a, ORDERED));
    (void)inside;
    return p;
}
#endif

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
