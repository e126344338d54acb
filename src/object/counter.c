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

static bool changes_nothing(const object *o, const operation *op) { return change_of(o, op) == 0; }

static void leave_out_changes(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    sum_leave_out(o, h, op, n, change_of, out);
}

static bool settle(const object *o, const history *h, const uint32_t *op, uint32_t n, value *init_value) {
    return sum_settle(o, h, op, n, change_of, init_value);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the count is ");
    sum_describe(o, s, out);
}

const object_type object_type_counter = {
    .name = "counter",
    .summary = "counts up and down",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .takes_init = true,
    .init = sum_init,
    .step = step,
    .changes_nothing = changes_nothing,
    .leave_out = leave_out_changes,
    .settle = settle,
    .describe = sum_describe,
    .why_not = why_not,
    .check_init = sum_check_init,
};
