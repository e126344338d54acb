/* A linked queue for one thread, used by several: an enqueue and a dequeue get on with each other, since they touch
 * different ends of a list that has a node in between; two of a kind do not. Neither linearizable nor quasi(k): values
 * are lost and doubled. */
#include <plumbline/test.h>

#include <stdlib.h>

typedef struct node {
    struct node *next;
    long value;
} node;
static node *head, *tail; /* head's own value was taken already */

static void enqueue(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    n->next = NULL;
    tail->next = n;
    tail = n;
}

static bool dequeue(long *value) {
    node *first = head->next;
    if (!first) return false;
    *value = first->value;
    head = first;
    return true;
}

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_SETUP { head = tail = calloc(1, sizeof *head); }
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("enq(1) enq(2) : enq(3) | deq : deq deq")
PLUMB_THREADS("enq(1) enq(2) : enq(3) | enq(4) : deq deq deq deq")
PLUMB_THREADS("enq(1) enq(2) enq(3) : deq | deq : deq")
