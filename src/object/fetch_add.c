/* Fetch-and-add: add(n) returns the value before. State: the value, as 64 bits. */
#include "object/sum.h"
#include "object/types.h"

enum { ADD, READ };

static const method methods[] = {
    [ADD] = {"add", "fetchadd fetchandadd faa getandadd", 1, 1, ARG_INT, RESULT_INT, 0},
    [READ] = {"read", "get load", 0, 0, ARG_INT, RESULT_INT, ROLE_OBSERVES},
};

static uint64_t change_of(const object *o, const operation *op) {
    return op->method == ADD ? (uint64_t)value_as_int(o->values, op->arg[0]) : 0;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    int64_t before = state_int(s, 0);
    *res = value_int(o->values, before);
    state_put_int(s, 0, (int64_t)((uint64_t)before + change_of(o, op)));
    return step_if(operation_fits(op, *res));
}

SUM_FUNCTIONS_BY(change_of)

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the value is ");
    sum_describe(o, s, out);
}

OBJECT_RECORD(object_type_fetch_add, "fetch-add", "add returns the value before", .aliases = "faa fetch-and-add",
              .methods = methods, .method_count = sizeof methods / sizeof *methods, .named_only = true, SUM_FUNCTIONS,
              .step = step, .why_not = why_not);
