/* A time-stamped stack: every thread pushes into a pool of its own and stamps the element; pop takes the youngest that it finds
 * in any pool.
 *
 * BUG_STAMP: the element is stamped before it is put into the pool: a push that was overtaken looks older than it is. With the
 * stamp taken afterwards (an element without a stamp counts as the youngest) it is right.
 * BUG_EMPTY: pop says "empty" after one walk over the pools, though elements came into pools that it had passed. */
#include <plumbline/test.h>

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef BUG_EMPTY
#define CHECK_POOLS_AGAIN false
#else
#define CHECK_POOLS_AGAIN true
#endif

enum { POOLS = 3 };
typedef struct node {
    struct node *next;
    atomic_long stamp;
    atomic_bool taken;
    long value;
} node;

static _Atomic(node *) pool[POOLS];
static atomic_long clock_now;
static atomic_int next_pool;
static _Thread_local int my_pool;

static _Atomic(node *) *own_pool(void) {
    if (!my_pool) my_pool = atomic_fetch_add(&next_pool, 1) % POOLS + 1;
    return &pool[my_pool - 1];
}

static void push(long value) {
    node *n = malloc(sizeof *n);
    _Atomic(node *) *mine = own_pool();
    n->value = value;
    atomic_init(&n->taken, false);
#ifdef BUG_STAMP
    atomic_init(&n->stamp, atomic_fetch_add(&clock_now, 1));
    n->next = atomic_load(mine);
    atomic_store(mine, n);
#else
    atomic_init(&n->stamp, LONG_MAX);
    n->next = atomic_load(mine);
    atomic_store(mine, n);
    atomic_store(&n->stamp, atomic_fetch_add(&clock_now, 1));
#endif
}

static node *youngest_of(int p) {
    for (node *n = atomic_load(&pool[p]); n; n = n->next)
        if (!atomic_load(&n->taken)) return n;
    return NULL;
}

static bool pop(long *value) {
    for (;;) {
        node *best = NULL, *top[POOLS];
        long best_stamp = -1;
        for (int p = 0; p < POOLS; p++) {
            top[p] = atomic_load(&pool[p]);
            node *n = youngest_of(p);
            long stamp = n ? atomic_load(&n->stamp) : -1;
            if (n && stamp > best_stamp) best = n, best_stamp = stamp;
        }
        bool expected = false;
        if (best) {
            if (!atomic_compare_exchange_strong(&best->taken, &expected, true)) continue;
            *value = best->value;
            return true;
        }
        bool quiet = true;
        for (int p = 0; p < POOLS; p++) quiet &= CHECK_POOLS_AGAIN ? atomic_load(&pool[p]) == top[p] : true;
        if (quiet) return false;
    }
}

PLUMB_OBJECT("stack")
PLUMB_OP(push, v) { push(v); return plumb_none(); }
PLUMB_OP(pop) { long v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("push(1) : push(2) pop | pop")
PLUMB_THREADS("push(1) | push(2) pop | pop")
PLUMB_THREADS("push(1) push(2) | push(3) pop pop")
