/* A right plug-in whose methods see results: an enq may find it full and a deq may find it empty at any time. Values
 * that it does not know as such (strings, say) are refused. */
#include <plumbline/object.h>
#include <string.h>

#ifndef NAME
#define NAME "weak-queue"
#endif

enum { ENQ, DEQ, SIZE = 8 };

typedef struct weak_queue {
    int64_t item[SIZE];
    uint64_t n;
} weak_queue;

static const plumb_method methods[] = {
    [ENQ] = {.name = "enq", .min_args = 1, .max_args = 1, .returns = PLUMB_RETURNS_VALUE},
    [DEQ] = {.name = "deq", .returns = PLUMB_RETURNS_VALUE},
};

static bool enq(weak_queue *q, const plumb_operation *op) {
    if (op->result.kind == PLUMB_FULL) return true;
    if (q->n == SIZE || (op->result.kind != PLUMB_NONE && op->result.kind != PLUMB_UNKNOWN)) return false;
    q->item[q->n++] = op->arg[0].as.integer;
    return true;
}

static bool step(void *state, const plumb_operation *op, void *context) {
    weak_queue *q = state;
    (void)context;
    if (op->method == ENQ) return enq(q, op);
    if (op->result.kind == PLUMB_EMPTY || op->result.kind == PLUMB_UNKNOWN) return true;
    if (op->result.kind != PLUMB_INT || !q->n || q->item[0] != op->result.as.integer) return false;
    memmove(q->item, q->item + 1, sizeof q->item - sizeof *q->item);
    q->item[SIZE - 1] = 0;
    q->n--;
    return true;
}

const plumb_object plumb_object_definition = {
    .struct_size = sizeof(plumb_object),
    .name = NAME,
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .state_size = sizeof(weak_queue),
    .step = step,
};
