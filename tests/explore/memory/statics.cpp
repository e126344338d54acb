// Static objects are destroyed, and handlers of atexit run, before leaks are counted; what they do not free is a leak.
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::vector<int> numbers;
static std::string words;
static int *freed;
int *volatile lost;
static void at_exit() { std::free(freed); }
static void run() {
    static std::vector<int> local;
    std::lock_guard<std::mutex> l(mutex);
    numbers.push_back(1);
    local.push_back(1);
    words += "more than what fits into a string without memory of its own";
#ifdef LEAK
    lost = new int(1);
#endif
}
int main() {
    freed = static_cast<int *>(std::malloc(64));
    std::atexit(at_exit);
    std::thread a(run), b(run);
    a.join();
    b.join();
}
