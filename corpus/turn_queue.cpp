/* A bounded queue for many producers and consumers in which every place has a turn: even, it is empty and waits for a
 * producer of that round; odd, it is full. Tickets are drawn by compare-and-swap when the place is ready.
 *
 * BUG_EMPTY: a place that is not ready, and tickets that have not moved meanwhile, are taken for an empty or a full
 * queue; but a slow producer may hold the place while others behind it are done.
 * BUG_WRAP: how many elements there are is computed without a sign: when more were taken meanwhile than had been put
 * when the ticket was read, it is a huge number, and the producer answers that the queue is full. */
#include <plumbline/test.h>

#include <atomic>

template <class T, unsigned N> class turn_queue {
    struct place {
        std::atomic<unsigned> turn{0};
        T value{};
    };
    place places[N];
    std::atomic<unsigned> puts{0}, takes{0};

    bool is_over(std::atomic<unsigned> &tickets, unsigned &ticket, bool putting) {
        unsigned before = ticket;
        ticket = tickets.load();
#ifdef BUG_EMPTY
        (void)putting;
        return ticket == before;
#elif defined BUG_WRAP
        return ticket == before && (putting ? ticket - takes.load() >= N : ticket == puts.load());
#else
        // as signed numbers: meanwhile more may have been taken than had been put when `ticket` was read
        return ticket == before && (putting ? int(ticket - takes.load()) >= int(N) : ticket == puts.load());
#endif
    }

public:
    bool put(T v) {
        for (unsigned t = puts.load();;) {
            place &p = places[t % N];
            if (p.turn.load() != t / N * 2) {
                if (is_over(puts, t, true)) return false;
            } else if (puts.compare_exchange_strong(t, t + 1)) {
                p.value = v;
                p.turn.store(t / N * 2 + 1);
                return true;
            }
        }
    }
    bool take(T &v) {
        for (unsigned t = takes.load();;) {
            place &p = places[t % N];
            if (p.turn.load() != t / N * 2 + 1) {
                if (is_over(takes, t, false)) return false;
            } else if (takes.compare_exchange_strong(t, t + 1)) {
                v = p.value;
                p.turn.store(t / N * 2 + 2);
                return true;
            }
        }
    }
};

static turn_queue<int64_t, 2> queue;

PLUMB_OBJECT("queue(capacity=2)")
PLUMB_OP(enq, v) { return queue.put(v) ? plumb_none() : plumb_full(); }
PLUMB_OP(deq) {
    int64_t v;
    return queue.take(v) ? plumb_int(v) : plumb_empty();
}
