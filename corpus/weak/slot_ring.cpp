// A ring of one producer and one consumer without indices that both know (FastForward): a slot that holds a pointer is
// full, and the consumer empties it when it is done with what it points to.
//
// BUG_PUT: a slot is filled with a relaxed store. BUG_GET: it is read with a relaxed load. BUG_CLEAR: it is emptied
// with a relaxed store: the message is written while it is still read.
#include <plumbline/test.h>

#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG_PUT
constexpr auto puts_it = std::memory_order_relaxed;
#else
constexpr auto puts_it = std::memory_order_release;
#endif
#ifdef BUG_GET
constexpr auto gets_it = std::memory_order_relaxed;
#else
constexpr auto gets_it = std::memory_order_acquire;
#endif
#ifdef BUG_CLEAR
constexpr auto clears_it = std::memory_order_relaxed;
#else
constexpr auto clears_it = std::memory_order_release;
#endif

struct message {
    int text;
};
static message messages[1];
static std::atomic<message *> slot[1];

static void produce() {
    for (int i = 0; i < 2; i++) {
        while (slot[0].load(std::memory_order_acquire)) continue;
        messages[0].text = i + 1;
        slot[0].store(&messages[0], puts_it);
    }
}

static void consume() {
    for (int i = 0; i < 2; i++) {
        message *m;
        while (!(m = slot[0].load(gets_it))) continue;
        assert(m->text == i + 1);
        slot[0].store(nullptr, clears_it);
    }
}

int main() {
    std::thread p(produce), c(consume);
    p.join();
    c.join();
}
