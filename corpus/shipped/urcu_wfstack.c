/* The wait-free stack of liburcu, as liburcu-dev ships it: push is one exchange, pop takes a mutex and waits for
 * half-done pushes.
 *
 * BUG_UNLOCKED: pop without the mutex that it is documented to need, and nodes are freed at once. */
#define _LGPL_SOURCE
#include <plumbline/test.h>

#include <stdlib.h>
#include <urcu/wfstack.h>

typedef struct item {
    long value;
    struct cds_wfs_node node;
} item;

static struct cds_wfs_stack stack;

PLUMB_OBJECT("stack")
PLUMB_SETUP { cds_wfs_init(&stack); }
PLUMB_OP(push, v) {
    item *i = malloc(sizeof *i);
    i->value = v;
    cds_wfs_node_init(&i->node);
    cds_wfs_push(&stack, &i->node);
    return plumb_none();
}
PLUMB_OP(pop) {
#ifdef BUG_UNLOCKED
    struct cds_wfs_node *n = __cds_wfs_pop_blocking(&stack);
#else
    struct cds_wfs_node *n = cds_wfs_pop_blocking(&stack);
#endif
    if (!n) return plumb_empty();
    item *i = caa_container_of(n, item, node);
    long v = i->value;
    free(i);
    return plumb_int(v);
}
