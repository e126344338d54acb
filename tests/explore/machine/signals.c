/* Asynchronous signals, CASE:
 *   1 the handler sees two variables of one thread in the middle   2 it may not: they are one
 *   3 it takes a lock that its thread may hold   4 it counts, atomically   5 counts, not atomically, beside its own thread
 *   6 comes behind the last access of an operation   7 a main of its own   8 thread-local memory */
#include <plumbline/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static long low, high;
static atomic_int both, ended, came;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local long own, twin;

PLUMB_SIGNAL {
#if CASE == 1
    plumb_assert(low == high);
#elif CASE == 2
    plumb_assert(both % 2 == 0);
#elif CASE == 3
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#elif CASE == 4
    atomic_fetch_add(&came, 1);
#elif CASE == 5
    low++;
#elif CASE == 6
    plumb_assert(!ended);
#elif CASE == 8
    plumb_assert(own == twin);
#endif
}

#if CASE == 7
static void *run(void *p) {
    low++;
    high++;
    return p;
}
PLUMB_SIGNAL { assert(low == high || came); }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    pthread_join(t, NULL);
    return 0;
}
#else
PLUMB_OP(work) {
    low++;
    high++;
    own++;
    twin++;
    atomic_fetch_add(&both, 2);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    atomic_store(&ended, 1);
    return plumb_none();
}
PLUMB_OP(rest) { return plumb_none(); }
PLUMB_FINAL {
    if (CASE == 4) plumb_assert(came <= 1);
    if (CASE == 5) plumb_assert(low >= 1 && low != 1 + MISSED);
}
PLUMB_THREADS("work | rest")
#endif
