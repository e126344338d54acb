/* The Snark deque, with a double-word compare-and-swap on the two hats. It was published with a proof and has two bugs
 * that a mechanical verification found years later. Here the deque as published, with plumb_dcas as the machine's
 * instruction.
 *
 * As published (no flag is right; the corrected one is not Snark any more):
 *   BUG_EMPTY: popRight says "empty" when it sees its own hat's node dead, though the deque held something throughout.
 *   BUG_TWICE: the same value is popped from both ends.
 * The default here takes a lock around each operation: a right deque to compare with. */
#include <plumbline/test.h>

#include <pthread.h>
#include <stdlib.h>

typedef struct node {
    volatile uint64_t right, left; /* node * */
    long value;
} node;

static node *dummy;
static volatile uint64_t left_hat, right_hat;

#define NODE(word) ((node *)(uintptr_t)(word))
#define WORD(pointer) ((uint64_t)(uintptr_t)(pointer))

static node *node_new(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    return n;
}

static void push_right(long value) {
    node *n = node_new(value);
    n->right = WORD(dummy);
    for (;;) {
        uint64_t rh = right_hat, rhr = NODE(rh)->right;
        if (rhr == rh) {
            n->left = WORD(dummy);
            uint64_t lh = left_hat;
            if (plumb_dcas(&right_hat, rh, WORD(n), &left_hat, lh, WORD(n))) return;
        } else {
            n->left = rh;
            if (plumb_dcas(&right_hat, rh, WORD(n), &NODE(rh)->right, rhr, WORD(n))) return;
        }
    }
}

static void push_left(long value) {
    node *n = node_new(value);
    n->left = WORD(dummy);
    for (;;) {
        uint64_t lh = left_hat, lhl = NODE(lh)->left;
        if (lhl == lh) {
            n->right = WORD(dummy);
            uint64_t rh = right_hat;
            if (plumb_dcas(&left_hat, lh, WORD(n), &right_hat, rh, WORD(n))) return;
        } else {
            n->right = lh;
            if (plumb_dcas(&left_hat, lh, WORD(n), &NODE(lh)->left, lhl, WORD(n))) return;
        }
    }
}

static bool pop_right(long *value) {
    for (;;) {
        uint64_t rh = right_hat, lh = left_hat;
        if (NODE(rh)->right == rh) return false;
        if (rh == lh) {
            if (plumb_dcas(&right_hat, rh, WORD(dummy), &left_hat, lh, WORD(dummy))) {
                *value = NODE(rh)->value;
                return true;
            }
        } else {
            uint64_t rhl = NODE(rh)->left;
            if (plumb_dcas(&right_hat, rh, rhl, &NODE(rh)->left, rhl, rh)) {
                *value = NODE(rh)->value;
                NODE(rh)->right = WORD(dummy);
                return true;
            }
        }
    }
}

static bool pop_left(long *value) {
    for (;;) {
        uint64_t lh = left_hat, rh = right_hat;
        if (NODE(lh)->left == lh) return false;
        if (lh == rh) {
            if (plumb_dcas(&left_hat, lh, WORD(dummy), &right_hat, rh, WORD(dummy))) {
                *value = NODE(lh)->value;
                return true;
            }
        } else {
            uint64_t lhr = NODE(lh)->right;
            if (plumb_dcas(&left_hat, lh, lhr, &NODE(lh)->right, lhr, lh)) {
                *value = NODE(lh)->value;
                NODE(lh)->left = WORD(dummy);
                return true;
            }
        }
    }
}

#if defined BUG_EMPTY || defined BUG_TWICE
#define ALONE(statement) statement
#else
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
#define ALONE(statement) (pthread_mutex_lock(&one_at_a_time), statement, pthread_mutex_unlock(&one_at_a_time))
#endif

PLUMB_OBJECT("deque")
PLUMB_SETUP {
    dummy = node_new(0);
    dummy->left = dummy->right = WORD(dummy);
    left_hat = right_hat = WORD(dummy);
}
PLUMB_OP(pushl, v) { ALONE(push_left(v)); return plumb_none(); }
PLUMB_OP(pushr, v) { ALONE(push_right(v)); return plumb_none(); }
PLUMB_OP(popl) { long v = 0; bool found; ALONE(found = pop_left(&v)); return found ? plumb_int(v) : plumb_empty(); }
PLUMB_OP(popr) { long v = 0; bool found; ALONE(found = pop_right(&v)); return found ? plumb_int(v) : plumb_empty(); }
#ifdef BUG_TWICE
PLUMB_THREADS("pushr(1) pushr(2) : popr pushr(3) | popl popl | popr")
#else
PLUMB_THREADS("pushr(1) pushr(2) : popl popl | popr pushr(3)")
PLUMB_THREADS("pushl(1) : popr | pushr(2) popl")
PLUMB_THREADS("pushr(1) pushr(2) : popr | popl pushl(3) popl")
#endif
