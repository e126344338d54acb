/* The two-lock queue of Michael and Scott: one lock for the head, one for the tail.
 *
 * BUG_HEAD_LOCK: the lock on the head is taken in two steps (look, then set), so two dequeues get in together.
 * BUG_TAIL_LOCK: the same on the tail: an enqueued value is lost. */
#include <plumbline/test.h>

#include <stdatomic.h>
#include <stdlib.h>

typedef struct node {
    _Atomic(struct node *) next;
    long value;
} node;

typedef struct lock {
    atomic_int held;
} lock;

static node *head, *tail;
static lock head_lock, tail_lock;

static void lock_take(lock *l, bool in_one_step) {
    if (in_one_step) {
        while (atomic_exchange(&l->held, 1)) {}
    } else {
        while (atomic_load(&l->held)) {}
        atomic_store(&l->held, 1);
    }
}

static void lock_give(lock *l) { atomic_store(&l->held, 0); }

#ifdef BUG_HEAD_LOCK
#define HEAD_LOCK_IS_ATOMIC false
#else
#define HEAD_LOCK_IS_ATOMIC true
#endif
#ifdef BUG_TAIL_LOCK
#define TAIL_LOCK_IS_ATOMIC false
#else
#define TAIL_LOCK_IS_ATOMIC true
#endif

static void enqueue(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    atomic_init(&n->next, (node *)0);
    lock_take(&tail_lock, TAIL_LOCK_IS_ATOMIC);
    atomic_store(&tail->next, n);
    tail = n;
    lock_give(&tail_lock);
}

static bool dequeue(long *value) {
    lock_take(&head_lock, HEAD_LOCK_IS_ATOMIC);
    node *next = atomic_load(&head->next);
    bool found = next != NULL;
    if (found) {
        *value = next->value;
        head = next;
    }
    lock_give(&head_lock);
    return found;
}

PLUMB_OBJECT("queue")
PLUMB_VALUES_INTERCHANGEABLE
PLUMB_SETUP {
    head = tail = calloc(1, sizeof *head);
}
PLUMB_OP(enq, v) { enqueue(v); return plumb_none(); }
PLUMB_OP(deq) { long v; return dequeue(&v) ? plumb_int(v) : plumb_empty(); }
