/* A hash set with two buckets, a lock for each, and a counter of its elements for all threads.
 *
 * BUG_SIZE: the counter is read and written back in two steps, so additions get lost; `contains` takes an empty counter
 * for a proof that there is nothing to find. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>

enum { BUCKETS = 2, PLACES = 4 };
typedef struct bucket {
    pthread_mutex_t lock;
    long key[PLACES]; /* 0: free */
} bucket;

static bucket table[BUCKETS] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};
static atomic_int elements;

static void count(int by) {
#ifdef BUG_SIZE
    atomic_store(&elements, atomic_load(&elements) + by);
#else
    atomic_fetch_add(&elements, by);
#endif
}

static bool replace(long key, long from, long to) {
    bucket *b = &table[key % BUCKETS];
    for (int i = 0; i < PLACES; i++)
        if (b->key[i] == from) {
            b->key[i] = to;
            return true;
        }
    return false;
}

static bool change(long key, bool add) {
    bucket *b = &table[key % BUCKETS];
    pthread_mutex_lock(&b->lock);
    bool there = replace(key, key, key), changed = there != add;
    if (changed) {
        replace(key, add ? 0 : key, add ? key : 0);
        count(add ? 1 : -1);
    }
    pthread_mutex_unlock(&b->lock);
    return changed;
}

PLUMB_OBJECT("set")
PLUMB_OP(add, k) { return plumb_bool(change(k, true)); }
PLUMB_OP(remove, k) { return plumb_bool(change(k, false)); }
PLUMB_OP(contains, k) {
    bucket *b = &table[k % BUCKETS];
    if (atomic_load(&elements) == 0) return plumb_bool(false);
    pthread_mutex_lock(&b->lock);
    bool there = replace(k, k, k);
    pthread_mutex_unlock(&b->lock);
    return plumb_bool(there);
}
PLUMB_THREADS("add(1) | add(2) remove(2) contains(1)")
PLUMB_THREADS("add(1) remove(1) | add(2) contains(2)")
