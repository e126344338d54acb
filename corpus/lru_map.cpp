/* A map that keeps its entries in the order of their last use, behind a spin lock. All of it is made by the
 * constructors of global objects, before the first execution.
 *
 * BUG_UNLOCKED: get takes itself for a mere look and does not lock; but it moves the entry to the front. */
#include <plumbline/test.h>

#include <atomic>
#include <list>
#include <mutex>
#include <unordered_map>

class spin_lock {
    std::atomic_flag taken = ATOMIC_FLAG_INIT;

public:
    void lock() {
        while (taken.test_and_set(std::memory_order_acquire)) {}
    }
    void unlock() { taken.clear(std::memory_order_release); }
};

struct entry {
    int64_t key, value;
};

static spin_lock lock;
static std::list<entry> recent{{7, 70}}; /* newest first */
static std::unordered_map<int64_t, std::list<entry>::iterator> where{{7, recent.begin()}};

static void put(int64_t key, int64_t value) {
    std::lock_guard<spin_lock> held(lock);
    auto found = where.find(key);
    if (found != where.end()) recent.erase(found->second);
    recent.push_front({key, value});
    where[key] = recent.begin();
}

static bool get(int64_t key, int64_t *value) {
#ifndef BUG_UNLOCKED
    std::lock_guard<spin_lock> held(lock);
#endif
    auto found = where.find(key);
    if (found == where.end()) return false;
    recent.splice(recent.begin(), recent, found->second);
    *value = found->second->value;
    return true;
}

PLUMB_OBJECT("kv")
PLUMB_OP(put, k, v) {
    put(k, v);
    return plumb_none();
}
PLUMB_OP(get, k) {
    int64_t v;
    return get(k, &v) ? plumb_int(v) : plumb_none();
}
