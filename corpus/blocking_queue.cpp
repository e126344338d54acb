/* A bounded queue that blocks: those who put wait while it is full, those who take while it is empty.
 *
 * BUG_ONE_CONDITION: both wait on one condition variable and notify_one wakes the wrong kind: all sleep (lost wake-up).
 * BUG_IF: the condition is looked at once, not again after waking: another was faster, the queue is empty. */
#include <plumbline/test.h>

#include <condition_variable>
#include <mutex>

enum { ROOM = 1 };
static std::mutex mutex;
static std::condition_variable not_full, not_empty;
static int item[ROOM + 2], count;

#ifdef BUG_ONE_CONDITION
#define not_full not_empty
#endif
#ifdef BUG_IF
#define WAIT_WHILE(condition, variable, lock) if (condition) variable.wait(lock)
#else
#define WAIT_WHILE(condition, variable, lock) while (condition) variable.wait(lock)
#endif

static void queue_put(int v) {
    std::unique_lock<std::mutex> lock(mutex);
    WAIT_WHILE(count == ROOM, not_full, lock);
    item[count++] = v;
    not_empty.notify_one();
}

static int queue_take() {
    std::unique_lock<std::mutex> lock(mutex);
    WAIT_WHILE(count == 0, not_empty, lock);
    plumb_assert(count > 0);
    int v = item[0];
    for (int i = 1; i < count; i++) item[i - 1] = item[i];
    count--;
    not_full.notify_one();
    return v;
}

PLUMB_OBJECT("queue")
PLUMB_OP(enq, v) { queue_put((int)v); return plumb_none(); }
PLUMB_OP(deq) { return plumb_int(queue_take()); }
PLUMB_THREADS("enq(1) enq(2) | deq | deq")
PLUMB_THREADS("enq(1) | enq(2) | deq deq")
