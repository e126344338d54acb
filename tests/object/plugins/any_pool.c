/* A right plug-in with a nondeterministic step: a pool of small integers, of which take() takes any. */
#include <plumbline/object.h>

enum { PUT, TAKE, SIZE = 8 };

typedef struct pool {
    uint32_t count[SIZE];
} pool;

static const plumb_method methods[] = {
    [PUT] = {.name = "put", .min_args = 1, .max_args = 1, .returns = PLUMB_RETURNS_NOTHING},
    [TAKE] = {.name = "take", .returns = PLUMB_RETURNS_REMOVED},
};

static enum plumb_step take(pool *p, uint32_t choice, plumb_value *result) {
    uint32_t kinds = 0, chosen = SIZE;
    for (uint32_t i = 0; i < SIZE; i++)
        if (p->count[i] && kinds++ == choice) chosen = i;
    *result = plumb_empty();
    if (kinds == 0) return choice == 0 ? PLUMB_LEGAL : PLUMB_ILLEGAL;
    if (chosen == SIZE) return PLUMB_ILLEGAL;
    *result = plumb_int(chosen);
    p->count[chosen]--;
    return choice + 1 < kinds ? PLUMB_LEGAL_MORE : PLUMB_LEGAL;
}

static enum plumb_step step_nth(void *state, const plumb_operation *op, uint32_t choice, plumb_value *result,
                                void *context) {
    (void)context;
    if (op->method == TAKE) return take(state, choice, result);
    *result = plumb_none();
    ((pool *)state)->count[(uint64_t)op->arg[0].as.integer % SIZE]++;
    return choice == 0 ? PLUMB_LEGAL : PLUMB_ILLEGAL;
}

const plumb_object plumb_object_definition = {
    .struct_size = sizeof(plumb_object),
    .name = "any-pool",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .state_size = sizeof(pool),
    .step_nth = step_nth,
};
