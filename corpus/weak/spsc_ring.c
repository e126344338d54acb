/* A ring of one producer and one consumer: indices are published behind what they point to.
 *
 * BUG_PUSH: the producer's index is published with a relaxed store: the value may not be there. BUG_POP: the consumer's
 * is: the place may be written while it is still read. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef BUG_PUSH
#define PUSHES memory_order_relaxed
#else
#define PUSHES memory_order_release
#endif
#ifdef BUG_POP
#define POPS memory_order_relaxed
#else
#define POPS memory_order_release
#endif
enum { PLACES = 2, VALUES = 3 };

static int place[PLACES];
static atomic_uint pushed, popped;

static bool push(int v) {
    const unsigned at = atomic_load_explicit(&pushed, memory_order_relaxed);
    if (at - atomic_load_explicit(&popped, memory_order_acquire) == PLACES) return false;
    place[at % PLACES] = v;
    atomic_store_explicit(&pushed, at + 1, PUSHES);
    return true;
}
static bool pop(int *v) {
    const unsigned at = atomic_load_explicit(&popped, memory_order_relaxed);
    if (at == atomic_load_explicit(&pushed, memory_order_acquire)) return false;
    *v = place[at % PLACES];
    atomic_store_explicit(&popped, at + 1, POPS);
    return true;
}

static void *produces(void *p) {
    for (int i = 0; i < VALUES; i++) push(i + 1);
    return p;
}
static void *consumes(void *p) {
    int last = 0, v = 0;
    for (int i = 0; i < VALUES; i++)
        if (pop(&v)) {
            plumb_assert(v == last + 1);
            last = v;
        }
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, produces, NULL);
    pthread_create(&t[1], NULL, consumes, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
