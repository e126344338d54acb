/* The wait-free concurrent queue of liburcu, as liburcu-dev ships it: enqueue is one exchange, dequeue takes a mutex.
 *
 * BUG_UNLOCKED: dequeue without the mutex that it is documented to need. */
#define _LGPL_SOURCE /* the functions themselves, not calls of the library */
#include <plumbline/test.h>

#include <stdlib.h>
#include <urcu/wfcqueue.h>

typedef struct item {
    struct cds_wfcq_node node;
    long value;
} item;

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;

PLUMB_OBJECT("queue")
PLUMB_SETUP { cds_wfcq_init(&head, &tail); }
PLUMB_OP(enq, v) {
    item *i = malloc(sizeof *i);
    i->value = v;
    cds_wfcq_node_init(&i->node);
    cds_wfcq_enqueue(&head, &tail, &i->node);
    return plumb_none();
}
PLUMB_OP(deq) {
#ifdef BUG_UNLOCKED
    struct cds_wfcq_node *n = __cds_wfcq_dequeue_blocking(&head, &tail);
#else
    struct cds_wfcq_node *n = cds_wfcq_dequeue_blocking(&head, &tail);
#endif
    if (!n) return plumb_empty();
    item *i = caa_container_of(n, item, node);
    long v = i->value;
    free(i);
    return plumb_int(v);
}
