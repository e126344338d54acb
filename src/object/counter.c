/* Counter. What inc, dec and add return is the new value, where they are used with a result. State: the count, as 64 bits. */
#include "object/leave_out.h"
#include "object/types.h"

enum { INC, DEC, GET, ADD };

static const method methods[] = {
    [INC] = {"inc", "increment incr", 0, 1, ARG_INT, RESULT_MAYBE_INT, 0},
    [DEC] = {"dec", "decrement decr", 0, 1, ARG_INT, RESULT_MAYBE_INT, 0},
    [GET] = {"get", "read value load", 0, 0, ARG_INT, RESULT_INT, ROLE_OBSERVES},
    [ADD] = {"add", NULL, 1, 1, ARG_INT, RESULT_MAYBE_INT, 0},
};

static void init(const object *o, state *s) {
    state_reserve(s, 2);
    s->n = 2;
    state_put_int(s, 0, value_kind_of(o->values, o->init) == KIND_INT ? value_as_int(o->values, o->init) : 0);
}

/* Modulo 2^64: no overflow. */
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

static void leave_out_excursions(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    excursions *x = excursions_new();
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        if (!object_negligible(o, &view)) out->group[i] = excursion(x, view.key, &view, (int64_t)change_of(o, &view), true);
    }
    excursions_finish(x, out);
}

static bool settle(const object *o, const history *h, const uint32_t *op, uint32_t n, value *init_value) {
    return settle_sum(o, h, op, n, change_of, init_value);
}

static void describe(const object *o, const state *s, text *out) {
    (void)o;
    text_int(out, state_int(s, 0));
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the count is ");
    describe(o, s, out);
}

static bool check(const object *o, const history *h, const char *file, error *e) {
    if (o->init == VALUE_NONE || value_kind_of(h->values, o->init) == KIND_INT) return true;
    return error_set(e, EXIT_USAGE, "%s: the initial value of a %s is '%.40s'; expected an integer", file, o->type->name, o->init_text);
}

const object_type object_type_counter = {
    .name = "counter",
    .summary = "counts up and down",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .takes_init = true,
    .init = init,
    .step = step,
    .changes_nothing = changes_nothing,
    .leave_out = leave_out_excursions,
    .settle = settle,
    .describe = describe,
    .why_not = why_not,
    .check = check,
};
