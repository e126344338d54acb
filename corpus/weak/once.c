/* Initialised once: double-checked locking, or, with STATES, a state that is claimed, worked on and done, for whose end
 * the others wait.
 *
 * BUG_PUBLISH: it is published with a relaxed store. BUG_CHECK: the first check is a relaxed load. BUG_DONE: of the
 * states, done is a relaxed store. BUG_LATE: and who finds the state claimed waits with relaxed loads. */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined BUG_DONE || defined BUG_LATE
#define STATES
#endif
#if defined BUG_PUBLISH || defined BUG_DONE
#define PUBLISHES memory_order_relaxed
#else
#define PUBLISHES memory_order_release
#endif
#if defined BUG_CHECK || defined BUG_LATE
#define CHECKS memory_order_relaxed
#else
#define CHECKS memory_order_acquire
#endif

static int made;
#ifdef STATES
enum { FRESH, CLAIMED, DONE };
static int value;
static atomic_int state;

static int get(void) {
    int expected = FRESH;
    if (atomic_load_explicit(&state, CHECKS) != DONE) {
        if (atomic_compare_exchange_strong_explicit(&state, &expected, CLAIMED, memory_order_relaxed,
                                                    memory_order_relaxed)) {
            value = 42;
            made++;
            atomic_store_explicit(&state, DONE, PUBLISHES);
        } else
            while (atomic_load_explicit(&state, CHECKS) != DONE) continue;
    }
    return value;
}
#else
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *_Atomic object;

static int get(void) {
    int *o = atomic_load_explicit(&object, CHECKS);
    if (!o) {
        pthread_mutex_lock(&m);
        o = atomic_load_explicit(&object, memory_order_relaxed);
        if (!o) {
            o = malloc(sizeof *o);
            *o = 42;
            made++;
            atomic_store_explicit(&object, o, PUBLISHES);
        }
        pthread_mutex_unlock(&m);
    }
    return *o;
}
#endif

static void *gets(void *p) {
    assert(get() == 42);
    return p;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, gets, NULL);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    assert(made == 1);
    return 0;
}
