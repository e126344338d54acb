/* A time-stamped stack: every thread pushes into a pool of its own and stamps the element; pop takes the youngest that
 * it finds in any pool.
 *
 * The element is put into the pool first and stamped afterwards; one without a stamp counts as the youngest.
 * BUG_CLOCK: the clock is advanced by reading and writing. A sleepy writer sets it back, and an older element gets the
 * same stamp as a younger one: pop takes the wrong one. */
#include <plumbline/test.h>

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

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

static long clock_tick(void) {
#ifdef BUG_CLOCK
    long now = atomic_load(&clock_now);
    atomic_store(&clock_now, now + 1);
    return now;
#else
    return atomic_fetch_add(&clock_now, 1);
#endif
}

static void push(long value) {
    node *n = malloc(sizeof *n);
    _Atomic(node *) *mine = own_pool();
    n->value = value;
    atomic_init(&n->taken, false);
    atomic_init(&n->stamp, LONG_MAX);
    n->next = atomic_load(mine);
    atomic_store(mine, n);
    atomic_store(&n->stamp, clock_tick());
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
        for (int p = 0; p < POOLS; p++) quiet &= atomic_load(&pool[p]) == top[p];
        if (quiet) return false;
    }
}

PLUMB_OBJECT("stack")
PLUMB_OP(push, v) { push(v); return plumb_none(); }
PLUMB_OP(pop) { long v; return pop(&v) ? plumb_int(v) : plumb_empty(); }
PLUMB_THREADS("push(1) : push(2) pop | pop")
PLUMB_THREADS("push(1) | push(2) push(3) | push(4) pop")
