/* A right plug-in whose states have pointers: a stack of any values as a linked list. */
#include <plumbline/object.h>

#include <stdlib.h>

enum { PUSH, POP };

typedef struct node {
    plumb_value v;
    struct node *below;
} node;

typedef struct stack {
    node *top;
} stack;

static const plumb_method methods[] = {
    [PUSH] = {.name = "push",
              .min_args = 1,
              .max_args = 1,
              .arguments = PLUMB_TAKES_VALUES,
              .returns = PLUMB_RETURNS_NOTHING},
    [POP] = {.name = "pop", .returns = PLUMB_RETURNS_REMOVED},
};

static plumb_value apply(void *state, const plumb_operation *op, void *context) {
    stack *s = state;
    (void)context;
    if (op->method == PUSH) {
        node *n = malloc(sizeof *n);
        *n = (node){op->arg[0], s->top};
        s->top = n;
        return plumb_none();
    }
    if (!s->top) return plumb_empty();
    node *n = s->top;
    plumb_value v = n->v;
    s->top = n->below;
    free(n);
    return v;
}

static void copy(void *to, const void *from, void *context) {
    (void)context;
    node **end = &((stack *)to)->top;
    for (const node *n = ((const stack *)from)->top; n; n = n->below) {
        *end = malloc(sizeof **end);
        **end = (node){n->v, NULL};
        end = &(*end)->below;
    }
}

static bool same(const plumb_value *a, const plumb_value *b) {
    return a->kind == b->kind && a->size == b->size && a->as.integer == b->as.integer;
}

static bool equal(const void *a, const void *b, void *context) {
    (void)context;
    const node *x = ((const stack *)a)->top, *y = ((const stack *)b)->top;
    while (x && y && same(&x->v, &y->v)) {
        x = x->below;
        y = y->below;
    }
    return !x && !y;
}

static uint64_t hash(const void *state, void *context) {
    (void)context;
    uint64_t h = 1;
    for (const node *n = ((const stack *)state)->top; n; n = n->below)
        h = h * 31 + (uint64_t)n->v.as.integer + n->v.kind;
    return h;
}

static void release(void *state, void *context) {
    (void)context;
    for (node *n = ((stack *)state)->top, *below; n; n = below) {
        below = n->below;
        free(n);
    }
}

static const plumb_object definition = {
    .struct_size = sizeof(plumb_object),
    .name = "linked-stack",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .state_size = sizeof(stack),
    .apply = apply,
    .copy = copy,
    .equal = equal,
    .hash = hash,
    .release = release,
};

const plumb_object *plumb_object_get(void) { return &definition; }
