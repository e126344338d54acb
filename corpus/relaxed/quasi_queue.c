/* A queue that is relaxed by K (2): a list of segments of K + 1 cells. Enqueues fill the last segment cell by cell; a
 * dequeue takes any value of the first one. No value is overtaken by more than the K others of its segment, so the
 * queue is quasi(K), and for K > 0 not linearizable. -DK=0 is an ordinary queue. Enqueues have a lock, dequeues another
 * one; they meet at the counters only.
 *
 * BUG_FAR: when one value is left in the first segment, one of the second may be taken instead, again and again.
 * BUG_TWICE: a dequeue marks the cell when it no longer holds the lock, so that two may take one value.
 * BUG_EMPTY: a dequeue that picks a cell whose value is gone finds the queue empty. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef K
#define K 2
#endif

typedef struct segment {
    struct segment *next;
    atomic_int filled;    /* cells that have been written */
    long value[K + 1];
    bool taken[K + 1];
} segment;

static segment *head, *tail;
static pthread_mutex_t enqueuing = PTHREAD_MUTEX_INITIALIZER, dequeuing = PTHREAD_MUTEX_INITIALIZER;

static void enqueue(long value) {
    pthread_mutex_lock(&enqueuing);
    int i = atomic_load(&tail->filled);
    tail->value[i] = value;
    if (i == K) tail->next = calloc(1, sizeof *tail); /* ready before any thread can see that this one is full */
    atomic_store(&tail->filled, i + 1);
    if (i == K) tail = tail->next;
    pthread_mutex_unlock(&enqueuing);
}

/* A cell of the segment with a value, any of those there are; -1: there is none. */
static int pick(const segment *s, int filled) {
#ifdef BUG_EMPTY
    int any = filled ? (int)plumb_choose((unsigned)filled) : 0;
    return filled && !s->taken[any] ? any : -1;
#else
    int cell[K + 1], n = 0;
    for (int i = 0; i < filled; i++)
        if (!s->taken[i]) cell[n++] = i;
    return n ? cell[plumb_choose((unsigned)n)] : -1;
#endif
}

static int left_in(const segment *s, int filled) {
    int n = 0;
    for (int i = 0; i < filled; i++) n += !s->taken[i];
    return n;
}

static bool dequeue(long *value) {
    pthread_mutex_lock(&dequeuing);
    int filled = atomic_load(&head->filled);
    if (filled == K + 1 && !left_in(head, filled)) {
        head = head->next;
        filled = atomic_load(&head->filled);
    }
    segment *from = head;
#ifdef BUG_FAR
    int further = filled == K + 1 ? atomic_load(&head->next->filled) : 0;
    if (left_in(head, filled) == 1 && left_in(head->next, further) && plumb_choose(2))
        from = head->next, filled = further;
#endif
    int i = pick(from, filled);
    bool found = i >= 0;
    if (found) *value = from->value[i];
#ifdef BUG_TWICE
    pthread_mutex_unlock(&dequeuing);
    if (found) from->taken[i] = true;
#else
    if (found) from->taken[i] = true;
    pthread_mutex_unlock(&dequeuing);
#endif
    return found;
}

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_SETUP { head = tail = calloc(1, sizeof *head); }
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("enq(1) enq(2) : enq(3) deq | enq(4) deq : deq deq")
PLUMB_THREADS("enq(1) enq(2) enq(3) enq(4) : enq(5) deq | enq(6) deq : deq deq deq deq")
