/* Operations that take effect together: tickets with multiplicity. next() returns the number of a ticket; calls that
 * are made at the same time may get the same one, calls one after the other never do (after the queues with
 * multiplicity of Castaneda, Rajsbaum and Raynal, 2020). No order of two calls explains that both got 0, but the set of
 * both does.
 *
 *     cc -shared -fPIC -o tickets.so tickets.c $(pkg-config --cflags plumbline)
 *     plumb check --object ./tickets.so tickets-right.jsonl tickets-wrong.jsonl */
#include <plumbline/object.h>

#include <stdio.h>

typedef struct tickets {
    int64_t next;
} tickets;

static const plumb_method methods[] = {{.name = "next", .returns = PLUMB_RETURNS_INTEGER}};

static plumb_value apply(void *state, const plumb_operation *op, void *context) {
    (void)op;
    (void)context;
    return plumb_int(((tickets *)state)->next++);
}

/* All that take part get the same ticket. */
static enum plumb_step together(void *state, const plumb_operation *op, uint32_t n, uint64_t begins, uint64_t ends,
                                uint32_t choice, plumb_value *result, void *context) {
    tickets *t = state;
    (void)op;
    (void)begins;
    (void)ends;
    (void)context;
    if (choice) return PLUMB_ILLEGAL;
    for (uint32_t i = 0; i < n; i++) result[i] = plumb_int(t->next);
    t->next++;
    return PLUMB_LEGAL;
}

static int describe(const void *state, char *text, size_t size, void *context) {
    (void)context;
    return snprintf(text, size, "ticket %d is next", (int)((const tickets *)state)->next);
}

const plumb_object plumb_object_definition = {
    .struct_size = sizeof(plumb_object),
    .name = "tickets",
    .summary = "numbers that only calls made at the same time share",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .state_size = sizeof(tickets),
    .apply = apply,
    .together = together,
    .describe = describe,
};
