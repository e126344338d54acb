/* A counter whose step misbehaves when it sees one of these amounts: sleeps for ever, loops for ever, eats memory. */
#include <plumbline/object.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLEEP = 4242, LOOP = 4243, EAT = 4244 };

typedef struct {
    int64_t n;
} counter;

static volatile unsigned long turns;

static void eat(void) {
    enum { PIECE = 1 << 20 };
    for (;;) {
        char *p = malloc(PIECE);
        if (p) memset(p, 1, PIECE);
        else pause();
    }
}

static plumb_value apply(void *state, const plumb_operation *op, void *context) {
    counter *c = state;
    (void)context;
    if (op->method == 1) return plumb_int(c->n);
    int64_t amount = op->arg[0].as.integer;
    if (amount == SLEEP)
        for (;;) pause();
    if (amount == LOOP)
        for (;;) turns++;
    if (amount == EAT) eat();
    c->n += amount;
    return plumb_none();
}

static const plumb_method methods[] = {
    {.name = "add", .min_args = 1, .max_args = 1, .returns = PLUMB_RETURNS_NOTHING},
    {.name = "get", .returns = PLUMB_RETURNS_INTEGER, .readonly = 1},
};

const plumb_object plumb_object_definition = {
    .struct_size = sizeof(plumb_object),
    .name = "stubborn",
    .methods = methods,
    .method_count = 2,
    .state_size = sizeof(counter),
    .apply = apply,
};
