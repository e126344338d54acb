/* LIFO stack; with a capacity, a push on a full stack returns `full`. State: the values from bottom to top. */
#include "object/leave_out.h"
#include "object/types.h"

enum { PUSH, POP };
enum { CAPACITY };

static const method methods[] = {
    [PUSH] = {"push", "add put insert", 1, 1, ARG_VALUE, RESULT_VOID, ROLE_ADDS},
    [POP] = {"pop", "remove poll take get delete", 0, 0, ARG_VALUE, RESULT_REMOVED, ROLE_REMOVES},
};
static const method_end ends[] = {[PUSH] = END_RIGHT, [POP] = END_RIGHT};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    if (op->method == POP) {
        *res = s->n ? s->w[s->n - 1] : VALUE_EMPTY;
        if (s->n) s->n--;
        return step_if(operation_fits(op, *res));
    }
    bool full = o->parameter[CAPACITY] && s->n >= o->parameter[CAPACITY];
    *res = full ? VALUE_FULL : VALUE_NONE;
    if (!full) state_push(s, op->arg[0]);
    return step_if(operation_fits(op, *res));
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_EMPTY || op->res == VALUE_FULL;
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    if (op->method == PUSH) {
        text_printf(out, "the stack holds %u values", s->n);
        if (o->parameter[CAPACITY]) text_printf(out, " of at most %lld", (long long)o->parameter[CAPACITY]);
        else text_add(out, ", and none is too many: it has no capacity");
    } else if (s->n == 0) {
        text_add(out, "the stack is empty");
    } else {
        text_add(out, "the top of the stack is ");
        value_print(o->values, s->w[s->n - 1], out);
    }
}

const object_type object_type_stack = {
    .name = "stack",
    .aliases = "lifo",
    .summary = "last in, first out",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .parameters = {[CAPACITY] = {"capacity", 0, 0, 1 << 30, "values it can hold; 0: no limit"}},
    .init = init,
    .step = step,
    .changes_nothing = changes_nothing,
    .leave_out = leave_out_by_value,
    .why_not = why_not,
    .brings = container_brings,
    .looks_for = container_looks_for,
    .ends = ends,
};
