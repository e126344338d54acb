/* An object of one's own: a counter from 0 to 3. inc and try_dec say whether they could.
 *
 *     cc -shared -fPIC -o bounded_counter.so bounded_counter.c $(pkg-config --cflags plumbline)
 *     plumb check --object ./bounded_counter.so right.jsonl wrong.jsonl */
#include <plumbline/object.h>

#include <stdio.h>

enum { LIMIT = 3 };
enum { INC, TRY_DEC, GET };

typedef struct counter {
    int64_t n;
} counter;

static const plumb_method methods[] = {
    [INC] = {.name = "inc", .returns = PLUMB_RETURNS_BOOL},
    [TRY_DEC] = {.name = "try_dec", .returns = PLUMB_RETURNS_BOOL},
    [GET] = {.name = "get", .returns = PLUMB_RETURNS_INTEGER, .readonly = 1},
};

static plumb_value apply(void *state, const plumb_operation *op, void *context) {
    counter *c = state;
    (void)context;
    switch (op->method) {
    case INC:
        if (c->n == LIMIT) return plumb_bool(false);
        c->n++;
        return plumb_bool(true);
    case TRY_DEC:
        if (c->n == 0) return plumb_bool(false);
        c->n--;
        return plumb_bool(true);
    default: return plumb_int(c->n);
    }
}

static int describe(const void *state, char *text, size_t size, void *context) {
    (void)context;
    return snprintf(text, size, "%d of %d", (int)((const counter *)state)->n, LIMIT);
}

static int why(const void *state, const plumb_operation *op, char *text, size_t size, void *context) {
    (void)op;
    (void)context;
    return snprintf(text, size, "the count is %d", (int)((const counter *)state)->n);
}

const plumb_object plumb_object_definition = {
    .struct_size = sizeof(plumb_object),
    .name = "bounded-counter",
    .summary = "counts from 0 to 3",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .state_size = sizeof(counter),
    .apply = apply,
    .describe = describe,
    .why = why,
};
