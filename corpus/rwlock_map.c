/* A map under a reader-writer lock.
 *
 * BUG_UPGRADE: compare-and-set looks under the read lock, lets go, and writes under the write lock: the value may have
 * changed. */
#include <plumbline/test.h>

#include <pthread.h>

enum { KEYS = 4 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct { bool used; int64_t value; } slot[KEYS];

static bool map_cas(int64_t key, int64_t old, int64_t new) {
#ifdef BUG_UPGRADE
    pthread_rwlock_rdlock(&lock);
    bool same = slot[key].used && slot[key].value == old;
    pthread_rwlock_unlock(&lock);
    if (!same) return false;
    pthread_rwlock_wrlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
    bool same = slot[key].used && slot[key].value == old;
#endif
    if (same) slot[key].value = new;
    pthread_rwlock_unlock(&lock);
    return same;
}

PLUMB_OBJECT("kv")
PLUMB_OP(get, key) {
    pthread_rwlock_rdlock(&lock);
    plumb_value v = slot[key].used ? plumb_int(slot[key].value) : plumb_none();
    pthread_rwlock_unlock(&lock);
    return v;
}
PLUMB_OP(put, key, v) {
    pthread_rwlock_wrlock(&lock);
    slot[key].used = true;
    slot[key].value = v;
    pthread_rwlock_unlock(&lock);
    return plumb_none();
}
PLUMB_OP(cas, key, old, new) { return plumb_bool(map_cas(key, old, new)); }
