/* A stack of segments of K + 1 cells: pushes fill the top one and begin another, a pop takes any value of the top one.
 * With K = 0, as it stands, it is an ordinary stack: linearizable, and so quasi(k) for every k. -DK=2 is quasi(2) and
 * not linearizable: an older value of the top segment may leave first, and only the K others of its segment ever can.
 *
 * BUG_EMPTY: a pop takes one from the count before it takes the lock, and gives it back when there was none: meanwhile
 * the count is too low, and another one finds a stack empty that is not. BUG_FAR (K = 2): a pop takes from the segment
 * below the top as well. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>

#if !defined K && defined BUG_FAR
#define K 2
#elif !defined K
#define K 0
#endif
enum { PLACES = 32 };

static long value[PLACES]; /* segment s has its values at (K + 1) s and behind */
static int used[PLACES];   /* how many are in each segment */
static int top;            /* the segment that is filled */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef BUG_EMPTY
static atomic_int count;
#endif

static void push(long v) {
    pthread_mutex_lock(&lock);
    if (used[top] == K + 1) top++;
    value[(K + 1) * top + used[top]++] = v;
    pthread_mutex_unlock(&lock);
#ifdef BUG_EMPTY
    atomic_fetch_add(&count, 1);
#endif
}

/* The others of the segment keep their order. */
static long take(int segment, int cell) {
    long *from = &value[(K + 1) * segment], v = from[cell];
    used[segment]--;
    for (int i = cell; i < used[segment]; i++) from[i] = from[i + 1];
    return v;
}

static int segment_of_pop(void) {
    while (!used[top] && top) top--;
#ifdef BUG_FAR
    if (top && used[top - 1] && plumb_choose(2)) return top - 1;
#endif
    return top;
}

static bool pop(long *v) {
#ifdef BUG_EMPTY
    if (atomic_fetch_sub(&count, 1) <= 0) {
        atomic_fetch_add(&count, 1);
        return false;
    }
#endif
    pthread_mutex_lock(&lock);
    int s = segment_of_pop();
    bool found = used[s] > 0;
    if (found) *v = take(s, (int)plumb_choose((unsigned)used[s]));
    pthread_mutex_unlock(&lock);
    return found;
}

PLUMB_OBJECT("stack")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_OP(push, v) { push(v); return plumb_none(); }
PLUMB_OP(pop) { long v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("push(1) push(2) : push(3) pop | push(4) pop : pop pop")
PLUMB_THREADS("push(1) push(2) push(3) : push(4) pop | push(5) pop : pop")
PLUMB_THREADS("push(1) : pop pop | push(2) pop : pop")
