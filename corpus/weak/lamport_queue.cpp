// Lamport's queue for one producer and one consumer, in C++; each side remembers the other's index and looks again
// only when the queue seems full or empty. Elements are objects with two members.
//
// BUG_PUSH: the tail is stored relaxed. BUG_LOOK: the head is looked at relaxed by the producer, which then
// overwrites an element that is still being read.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef BUG_PUSH
constexpr auto pushes = std::memory_order_relaxed;
#else
constexpr auto pushes = std::memory_order_release;
#endif
#ifdef BUG_LOOK
constexpr auto looks = std::memory_order_relaxed;
#else
constexpr auto looks = std::memory_order_acquire;
#endif

struct element {
    int a, b;
};

class queue {
    static constexpr unsigned cells = 2;
    element cell[cells] = {};
    std::atomic<unsigned> head{0}, tail{0};
    unsigned head_known = 0, tail_known = 0; // of the producer, of the consumer

  public:
    bool push(const element &e) {
        const unsigned t = tail.load(std::memory_order_relaxed);
        if (t - head_known == cells) head_known = head.load(looks);
        if (t - head_known == cells) return false;
        cell[t % cells] = e;
        tail.store(t + 1, pushes);
        return true;
    }
    bool pop(element &e) {
        const unsigned h = head.load(std::memory_order_relaxed);
        if (h == tail_known) tail_known = tail.load(std::memory_order_acquire);
        if (h == tail_known) return false;
        e = cell[h % cells];
        head.store(h + 1, std::memory_order_release);
        return true;
    }
};

static queue q;

int main() {
    std::thread producer([] {
        for (int i = 1; i <= 3; i++) q.push({i, i});
    });
    std::thread consumer([] {
        element e{};
        for (int i = 0, last = 0; i < 3; i++)
            if (q.pop(e)) {
                assert(e.a == e.b && e.a > last);
                last = e.a;
            }
    });
    producer.join();
    consumer.join();
}
