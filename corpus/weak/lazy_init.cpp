// Double-checked locking: the first who needs the object makes it, under a mutex; others find it without one.
//
// BUG_LOAD: the pointer is loaded relaxed. REFERENCE: the pointer is a plain one behind
// std::atomic_ref (C++20). BUG_REFERENCE: the same, stored relaxed.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct object {
    int a = 1, b = 1;
};

#ifdef BUG_REFERENCE
constexpr auto stores = std::memory_order_relaxed;
#else
constexpr auto stores = std::memory_order_release;
#endif
#ifdef BUG_LOAD
constexpr auto loads = std::memory_order_relaxed;
#else
constexpr auto loads = std::memory_order_acquire;
#endif

static std::mutex m;
#if defined REFERENCE || defined BUG_REFERENCE
static object *plain;
static std::atomic_ref<object *> where() { return std::atomic_ref<object *>(plain); }
#else
static std::atomic<object *> made;
static std::atomic<object *> &where() { return made; }
#endif

static object *get() {
    object *o = where().load(loads);
    if (o) return o;
    std::lock_guard<std::mutex> held(m);
    o = where().load(std::memory_order_relaxed);
    if (!o) {
        o = new object;
        where().store(o, stores);
    }
    return o;
}

int main() {
    auto use = [] {
        object *o = get();
        assert(o->a == o->b);
    };
    std::thread first(use), second(use);
    first.join();
    second.join();
    delete get();
}
