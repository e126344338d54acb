// What happens once, under a weak memory model: statics of functions, pthread_once, call_once, an initializer that
// throws the first time. PEEK: who did not call it does not know of it. CALLERS: nor do two callers know of each other.
#include <atomic>
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <thread>

static std::atomic<int> made{0}, tries{0};
static int initial() {
    made.fetch_add(1, std::memory_order_relaxed);
    return 7;
}

#ifdef STATIC
static int get() {
    static int value = initial();
    return value;
}
#elif defined THROWS
static int second_time() {
    if (!tries.fetch_add(1, std::memory_order_relaxed)) throw 1;
    return initial();
}
static int get() {
    for (;;) try {
            static int value = second_time();
            return value;
        } catch (int) {}
}
#else
static int value;
static void make() { value = initial(); }
#ifdef PTHREAD
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int get() { return pthread_once(&once, make), value; }
#else
static std::once_flag once;
static int get() { return std::call_once(once, make), value; }
#endif
#endif

#ifdef PEEK
static std::atomic<int> called{0};
static void first() {
    get();
    called.store(1, std::memory_order_relaxed);
}
static void second() {
    if (called.load(std::memory_order_relaxed)) assert(value == 7);
}
#elif defined CALLERS
int x;
static void first() {
    x = 1;
    get();
}
static void second() {
    get();
    x = 2;
}
#else
static void first() { assert(get() == 7); }
#define second first
#endif

int main() {
    std::thread a(first), b(second);
    a.join();
    b.join();
    assert(made == 1);
}
