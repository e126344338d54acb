// C++ as people write it: threads, locks, shared pointers, statics, thread_local, exceptions. The first argument says which.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int shared;
static std::mutex lock;
static std::condition_variable ready;
static std::atomic<int> word;
struct alignas(16) pair { long a, b; };
static std::atomic<pair> two;
static thread_local std::vector<int> own;
static std::shared_ptr<int> pointer;

template <class A, class B> static void both(A a, B b) { std::thread x(a), y(b); x.join(); y.join(); }

static int depth(int n) {
    if (n == 0) throw std::runtime_error("deep");
    word++;
    return depth(n - 1) + 1;
}

static void throws_and_catches() {
    for (int i = 1; i < 3; i++) {
        try { depth(i); assert(false); }
        catch (const std::exception &e) {
            word++; // another thread may run here while this exception is being handled
            assert(!strcmp(e.what(), "deep"));
            try { word++; throw i; } catch (int caught) { word++; assert(caught == i); }
            assert(!strcmp(e.what(), "deep"));
        }
        assert(std::uncaught_exceptions() == 0);
    }
}

struct counted { static std::atomic<int> alive; counted() { alive++; } ~counted() { alive--; } };
std::atomic<int> counted::alive;
static int the_static() { static std::string s = (word++, std::string("a string that is long enough for the heap")); return (int)s.size(); }

int main(int argc, char **argv) {
    std::string what = argc > 1 ? argv[1] : "mutex";
    assert(shared == 0 && word == 0 && own.empty() && !pointer);
    if (what == "mutex") { both([] { std::lock_guard<std::mutex> g(lock); shared++; }, [] { std::lock_guard<std::mutex> g(lock); shared++; }); assert(shared == 2); }
    else if (what == "race") both([] { shared++; }, [] { shared++; });
    else if (what == "condition") both([] { std::unique_lock<std::mutex> g(lock); ready.wait(g, [] { return shared == 1; }); }, [] { { std::lock_guard<std::mutex> g(lock); shared = 1; } ready.notify_one(); });
    else if (what == "timed") both([] { std::unique_lock<std::mutex> g(lock); ready.wait_for(g, std::chrono::seconds(1), [] { return shared == 1; }); }, [] { { std::lock_guard<std::mutex> g(lock); shared = 1; } ready.notify_one(); });
    else if (what == "pair") both([] { pair p = two; while (!two.compare_exchange_strong(p, pair{p.a + 1, p.b - 1})) ; }, [] { pair p = two; assert(p.a == -p.b); });
    else if (what == "thread_local") { both([] { own.push_back(1); word++; own.push_back(2); assert(own.size() == 2); }, [] { word++; own.push_back(7); assert(own.size() == 1 && own[0] == 7); }); assert(own.empty()); }
    else if (what == "shared_ptr") { auto p = std::make_shared<counted>(); both([p] { auto q = p; word++; }, [p] { auto q = p; word++; }); p.reset(); assert(counted::alive == 0); }
    else if (what == "exceptions") both(throws_and_catches, throws_and_catches);
    else if (what == "uncaught") both([] { word++; throw std::runtime_error("nobody catches this"); }, [] { word++; });
    else if (what == "static") { both([] { assert(the_static() > 10); }, [] { assert(the_static() > 10); }); assert(word == 1); }
    else if (what == "call_once") { static std::once_flag once; both([] { std::call_once(once, [] { shared++; }); assert(shared == 1); }, [] { std::call_once(once, [] { shared++; }); assert(shared == 1); }); }
    else if (what == "call_once-throws") {
        static std::once_flag once;
        auto tries = [] { try { std::call_once(once, [] { if (word++ == 0) throw 1; shared++; }); } catch (int) {} };
        both(tries, tries);
        assert(shared == 1);
    }
    else if (what == "shared_mutex") { static std::shared_mutex m; both([] { std::shared_lock<std::shared_mutex> g(m); assert(shared % 2 == 0); }, [] { std::unique_lock<std::shared_mutex> g(m); shared++; shared++; }); }
    else if (what == "recursive") { static std::recursive_mutex m; auto f = [] { std::lock_guard<std::recursive_mutex> a(m); std::lock_guard<std::recursive_mutex> b(m); shared++; }; both(f, f); assert(shared == 2); }
    else if (what == "pointer-race") { both([] { pointer = std::make_shared<int>(1); }, [] { std::shared_ptr<int> q = pointer; }); }
    else return 64;
    return 0;
}
