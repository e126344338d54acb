/* A queue as a plug-in, for docs/TOGETHER.md: what it is is said by what it does, and nothing else. */
#include <plumbline/object.h>

#include <string.h>

enum { ROOM = 16 };

typedef struct line {
    int64_t n, at[ROOM];
} line;

static const plumb_method methods[] = {
    {.name = "enq", .min_args = 1, .max_args = 1, .returns = PLUMB_RETURNS_NOTHING},
    {.name = "deq", .returns = PLUMB_RETURNS_REMOVED},
};

static plumb_value apply(void *state, const plumb_operation *op, void *context) {
    line *q = state;
    (void)context;
    if (op->method == 0) {
        if (q->n < ROOM) q->at[q->n++] = op->arg[0].as.integer;
        return plumb_none();
    }
    if (!q->n) return plumb_empty();
    int64_t first = q->at[0];
    memmove(q->at, q->at + 1, (size_t)--q->n * sizeof *q->at);
    q->at[q->n] = 0;
    return plumb_int(first);
}

const plumb_object plumb_object_definition = {
    .struct_size = sizeof(plumb_object),
    .name = "line",
    .methods = methods,
    .method_count = 2,
    .state_size = sizeof(line),
    .apply = apply,
};
