/* Flat combining: a thread leaves its request in its own place, and the one that holds the lock answers all of them.
 *
 * BUG_REQUEST: a request is flagged with a relaxed store. BUG_ANSWER: an answer is. BUG_LOCK: the lock is left with a
 * relaxed store. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef BUG_REQUEST
#define REQUESTS memory_order_relaxed
#else
#define REQUESTS memory_order_release
#endif
#ifdef BUG_ANSWER
#define ANSWERS memory_order_relaxed
#else
#define ANSWERS memory_order_release
#endif
#ifdef BUG_LOCK
#define LEAVES memory_order_relaxed
#else
#define LEAVES memory_order_release
#endif
enum { THREADS = 2 };

static struct request {
    atomic_bool asked;
    int adds, before;
} request[THREADS];
static atomic_bool locked;
static int count;

static void combine(void) {
    for (int i = 0; i < THREADS; i++) {
        struct request *r = &request[i];
        if (!atomic_load_explicit(&r->asked, memory_order_acquire)) continue;
        r->before = count;
        count += r->adds;
        atomic_store_explicit(&r->asked, false, ANSWERS);
    }
}

static int add(int me, int n) {
    struct request *r = &request[me];
    r->adds = n;
    atomic_store_explicit(&r->asked, true, REQUESTS);
    while (atomic_load_explicit(&r->asked, memory_order_acquire)) {
        if (atomic_exchange_explicit(&locked, true, memory_order_acquire)) continue;
        combine();
        atomic_store_explicit(&locked, false, LEAVES);
    }
    return r->before;
}

static int before[THREADS];
static void *adds(void *p) {
    const int me = p != NULL;
    before[me] = add(me, me + 1);
    return p;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, adds, NULL);
    pthread_create(&t[1], NULL, adds, &count);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    plumb_assert(before[0] + before[1] == 1 + (before[1] == 0));
    return 0;
}
