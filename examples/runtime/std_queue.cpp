// std::queue behind a mutex, in C++17: recorded, monitored and guarded.
// std_queue record FILE | monitor | guard   [wrong]
#include <plumbline/wrap_guard.hpp>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

struct locked_queue {
    std::queue<long> q;
    std::mutex m;
    void push(long v) { std::lock_guard lock(m); q.push(v); }
    std::optional<long> pop() {
        std::lock_guard lock(m);
        if (q.empty()) return std::nullopt;
        long v = q.front();
        q.pop();
        return v;
    }
};

template <class Do> static void in_threads(Do what) {
    std::vector<std::thread> threads;
    for (long t = 0; t < 2; t++)
        threads.emplace_back([=] {
            for (long i = 0; i < 50000; i++) what(t << 32 | i, (i * 7 + t) % 3);
        });
    for (auto &t : threads) t.join();
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "monitor";
    bool wrong = !std::strcmp(argv[argc - 1], "wrong");
    locked_queue q;
    if (!std::strcmp(how, "guard")) {
        plumbline::guard g("queue");
        int enq = g.method("enq"), deq = g.method("deq");
        std::atomic<int> worst = 0;
        in_threads([&](long v, long dice) {
            auto push = [&] { if (!wrong || v % 1000) q.push(v); };
            int a = dice ? g.apply(deq, [&] { return q.pop(); }).how : g.apply(enq, push, v).how;
            if (a && !worst) worst = a;
        });
        std::puts(worst == PLUMB_VERIFIED ? "every answer was verified" : "an answer was refused");
        return worst;
    }
    plumb_record_options o = {};
    bool records = !std::strcmp(how, "record") && argc > 2;
    if (records) o.path = argv[2];
    plumbline::recorder rec("queue", o);
    int enq = rec.method("enq"), deq = rec.method("deq");
    plumb_verifier *v = records ? nullptr : plumb_verify_start(rec.get(), nullptr);
    in_threads([&](long x, long dice) {
        if (dice) rec.apply(deq, [&] { return q.pop(); });
        else rec.apply(enq, [&] { if (!wrong || x % 1000) q.push(x); }, x);
    });
    if (!v) return 0;
    plumb_verdict found = plumb_verify_stop(v);
    std::printf("%s%s\n",
                found == PLUMB_LINEARIZABLE ? "linearizable"
                : found == PLUMB_VIOLATION  ? "violation: "
                                            : "undecided: ",
                plumb_verify_reason(v));
    plumb_verify_free(v);
    return found;
}
