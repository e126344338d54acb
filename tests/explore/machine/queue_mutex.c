/* A queue behind a mutex. */
#include <plumbline/test.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long items[16];
static unsigned first, end;

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_OP(enq, v) {
    pthread_mutex_lock(&lock);
    items[end++] = v;
    pthread_mutex_unlock(&lock);
    return plumb_none();
}
PLUMB_OP(deq) {
    pthread_mutex_lock(&lock);
    plumb_value r = first == end ? plumb_empty() : plumb_int(items[first++]);
    pthread_mutex_unlock(&lock);
    return r;
}
