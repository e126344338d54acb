/* Counter. What inc, dec and add return is the new value, where they are used with a result. State: the count, as 64
 * bits. */
#include "object/sum.h"
#include "object/types.h"

enum { INC, DEC, GET, ADD };

static const method methods[] = {
    [INC] = {"inc", "increment incr", 0, 1, ARG_INT, RESULT_MAYBE_INT, 0},
    [DEC] = {"dec", "decrement decr", 0, 1, ARG_INT, RESULT_MAYBE_INT, 0},
    [GET] = {"get", "read value load", 0, 0, ARG_INT, RESULT_INT, ROLE_OBSERVES},
    [ADD] = {"add", NULL, 1, 1, ARG_INT, RESULT_MAYBE_INT, 0},
};

static uint64_t change_of(const object *o, const operation *op) {
    if (op->method == GET) return 0;
    uint64_t by = op->nargs ? (uint64_t)value_as_int(o->values, op->arg[0]) : 1;
    return op->method == DEC ? 0 - by : by;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    int64_t count = (int64_t)((uint64_t)state_int(s, 0) + change_of(o, op));
    state_put_int(s, 0, count);
    *res = op->res == VALUE_NONE ? VALUE_NONE : value_int(o->values, count);
    return step_if(operation_fits(op, *res));
}

SUM_FUNCTIONS_BY(change_of)

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the count is ");
    sum_describe(o, s, out);
}

OBJECT_RECORD(object_type_counter, "counter", "counts up and down", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, SUM_FUNCTIONS, .step = step, .why_not = why_not);
