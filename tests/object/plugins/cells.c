/* A right plug-in with a relational step, and parts: registers told apart by their first argument, that hold any
 * value. */
#include <plumbline/object.h>

enum { WRITE, READ };

typedef struct cell {
    plumb_value held;
} cell;

static const plumb_method methods[] = {
    [WRITE] = {.name = "write",
               .min_args = 2,
               .max_args = 2,
               .arguments = PLUMB_TAKES_VALUES,
               .returns = PLUMB_RETURNS_NOTHING},
    [READ] = {.name = "read", .min_args = 1, .max_args = 1, .arguments = PLUMB_TAKES_VALUES, .readonly = 1},
};

static bool step(void *state, const plumb_operation *op, void *context) {
    cell *c = state;
    const plumb_value *r = &op->result;
    (void)context;
    if (op->method == WRITE) {
        c->held = op->arg[1];
        return true;
    }
    return r->kind == PLUMB_UNKNOWN ||
           (r->kind == c->held.kind && r->size == c->held.size && r->as.integer == c->held.as.integer);
}

static plumb_value partition(const plumb_operation *op, void *context) {
    (void)context;
    return op->arg[0];
}

const plumb_object plumb_object_definition = {
    .struct_size = sizeof(plumb_object),
    .name = "cells",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .state_size = sizeof(cell),
    .step = step,
    .partition = partition,
};
