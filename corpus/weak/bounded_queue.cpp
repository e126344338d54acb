// Vyukov's bounded queue of several producers and consumers: each place has a turn, which says who may use it.
//
// BUG_PUBLISH: a value's turn is published with a relaxed store. BUG_LOOK: the consumer reads the turn with a relaxed
// load. BUG_RETURN: the consumer hands its place back with a relaxed store: it is written while it is still read.
#include <plumbline/test.h>

#include <atomic>

#ifdef BUG_PUBLISH
#define PUBLISHES std::memory_order_relaxed
#else
#define PUBLISHES std::memory_order_release
#endif
#ifdef BUG_LOOK
#define LOOKS std::memory_order_relaxed
#else
#define LOOKS std::memory_order_acquire
#endif
#ifdef BUG_RETURN
#define RETURNS std::memory_order_relaxed
#else
#define RETURNS std::memory_order_release
#endif

template <class T, unsigned places> class bounded_queue {
    struct cell {
        std::atomic<unsigned> turn;
        T value;
    };
    cell cells[places];
    std::atomic<unsigned> pushed{0}, popped{0};

public:
    bounded_queue() {
        for (unsigned i = 0; i < places; i++) cells[i].turn.store(i, std::memory_order_relaxed);
    }
    bool push(const T &v) {
        unsigned at = pushed.load(std::memory_order_relaxed);
        for (;;) {
            cell &c = cells[at % places];
            const int ahead = int(c.turn.load(std::memory_order_acquire) - at);
            if (ahead < 0) return false;
            if (ahead > 0) at = pushed.load(std::memory_order_relaxed);
            else if (pushed.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
                c.value = v;
                c.turn.store(at + 1, PUBLISHES);
                return true;
            }
        }
    }
    bool pop(T &v) {
        unsigned at = popped.load(std::memory_order_relaxed);
        for (;;) {
            cell &c = cells[at % places];
            const int ahead = int(c.turn.load(LOOKS) - (at + 1));
            if (ahead < 0) return false;
            if (ahead > 0) at = popped.load(std::memory_order_relaxed);
            else if (popped.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
                v = c.value;
                c.turn.store(at + places, RETURNS);
                return true;
            }
        }
    }
};

static bounded_queue<int, 2> q;

PLUMB_OP(push, v) { return plumb_bool(q.push(int(v))); }
PLUMB_OP(pop) {
    int v = 0;
    return q.pop(v) ? plumb_int(v) : plumb_empty();
}
PLUMB_THREADS("push(1) push(2) push(3) | pop pop")
PLUMB_THREADS("push(1) | push(2) | pop")
