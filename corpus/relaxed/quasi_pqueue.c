/* A priority queue that is relaxed by K (2): the values in order, behind a lock; deletemin takes one of the best K + 1,
 * but none is overtaken more than K times: every value counts, and who has been overtaken K times lets no worse one
 * pass. So it is quasi(K). -DK=0 is an ordinary priority queue.
 *
 * BUG_FAR: nothing is counted, and the next but one behind the best K + 1 may be taken as well. */
#include <plumbline/test.h>

#include <pthread.h>

#ifndef K
#define K 2
#endif
#ifdef BUG_FAR
enum { REACH = K + 3 };
#else
enum { REACH = K + 1 };
#endif
enum { PLACES = 32 };

static struct { long value; int overtaken; } entry[PLACES]; /* the best first */
static int entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void insert(long value) {
    pthread_mutex_lock(&lock);
    int i = entries++;
    for (; i > 0 && entry[i - 1].value > value; i--) entry[i] = entry[i - 1];
    entry[i].value = value;
    entry[i].overtaken = 0;
    pthread_mutex_unlock(&lock);
}

/* How many of the best may be taken now. */
static int reach(void) {
    int n = 0;
    while (n < entries && n < REACH) {
        n++;
#ifndef BUG_FAR
        if (entry[n - 1].overtaken == K) break;
#endif
    }
    return n;
}

static bool deletemin(long *value) {
    pthread_mutex_lock(&lock);
    int n = reach();
    if (n) {
        int chosen = (int)plumb_choose((unsigned)n);
        *value = entry[chosen].value;
        for (int i = 0; i < chosen; i++) entry[i].overtaken++;
        entries--;
        for (int i = chosen; i < entries; i++) entry[i] = entry[i + 1];
    }
    pthread_mutex_unlock(&lock);
    return n > 0;
}

PLUMB_OBJECT("pqueue-min")
PLUMB_OP(insert, v) { insert(v); return plumb_none(); }
PLUMB_OP(deletemin) { long v; return deletemin(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("insert(4) insert(2) : insert(1) deletemin | insert(3) deletemin : deletemin deletemin")
PLUMB_THREADS(
    "insert(5) insert(2) insert(4) : insert(1) deletemin | insert(3) deletemin : deletemin deletemin deletemin")
