/* Threads that are created in the middle of what their creator does: what it has done so far happens before all that
 * they do.
 *
 * LOCKED: with a lock at the end, so that steps have vector clocks. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_long count, turns, added;

static void end(void) {
#ifdef LOCKED
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#endif
}

static void *add(void *unused) {
    (void)unused;
    atomic_fetch_add(&added, 1); /* says nothing of the creator */
    long before = atomic_load(&count);
    atomic_fetch_add(&turns, 1);
    atomic_store(&count, before + 1);
    end();
    return NULL;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, add, NULL);
    atomic_fetch_add(&turns, 2);
    long seen = atomic_load(&count);
    atomic_store(&turns, seen);
    pthread_create(&second, NULL, add, NULL);
    atomic_fetch_add(&count, 2);
    seen = atomic_load(&turns);
    atomic_store(&turns, seen + 4);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
