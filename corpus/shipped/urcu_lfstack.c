/* The lock-free stack of liburcu, as liburcu-dev ships it. Pop must be within a read-side critical section of RCU, or
 * hold a lock: the caller has to keep a popped node from coming back.
 *
 * Without a flag: pop holds the stack's own mutex.
 * BUG_ABA: neither, and nodes are used again at once, from a list that each thread keeps.
 * BUG_FREE: neither, and nodes are freed at once. */
#define _LGPL_SOURCE
#include <plumbline/test.h>

#include <stdlib.h>
#include <urcu/lfstack.h>

typedef struct item {
    struct cds_lfs_node node;
    long value;
} item;

static struct cds_lfs_stack stack;
static _Thread_local struct { item *item[4]; unsigned first, last; } spares; /* the oldest is used first */

static item *item_new(void) {
    if (spares.first == spares.last) return malloc(sizeof(item));
    return spares.item[spares.first++ % 4];
}

static void item_done(item *i) {
#ifdef BUG_ABA
    spares.item[spares.last++ % 4] = i;
#else
    free(i);
#endif
}

PLUMB_OBJECT("stack")
PLUMB_SETUP { cds_lfs_init(&stack); }
PLUMB_OP(push, v) {
    item *i = item_new();
    i->value = v;
    cds_lfs_node_init(&i->node);
    cds_lfs_push(&stack, &i->node);
    return plumb_none();
}
PLUMB_OP(pop) {
#if defined BUG_ABA || defined BUG_FREE
    struct cds_lfs_node *n = __cds_lfs_pop(&stack);
#else
    struct cds_lfs_node *n = cds_lfs_pop_blocking(&stack);
#endif
    if (!n) return plumb_empty();
    item *i = caa_container_of(n, item, node);
    long v = i->value;
    item_done(i);
    return plumb_int(v);
}
PLUMB_THREADS("push(1) push(2) : pop | pop pop push(3) | pop")
PLUMB_THREADS("push(1) pop | push(2) pop")
