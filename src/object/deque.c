/* Double-ended queue; with a capacity, an add to a full deque returns `full`. State: the values from left to right. */
#include "object/leave_out.h"
#include "object/types.h"

enum { PUSHL, PUSHR, POPL, POPR };
enum { CAPACITY };

static const method methods[] = {
    [PUSHL] = {"pushl", "pushleft pushfront pushfirst addfirst addleft offerfirst", 1, 1, ARG_VALUE, RESULT_VOID,
               ROLE_ADDS},
    [PUSHR] = {"pushr", "pushright pushback pushlast addlast addright offerlast", 1, 1, ARG_VALUE, RESULT_VOID,
               ROLE_ADDS},
    [POPL] = {"popl", "popleft popfront popfirst removefirst removeleft pollfirst", 0, 0, ARG_VALUE, RESULT_REMOVED,
              ROLE_REMOVES},
    [POPR] = {"popr", "popright popback poplast removelast removeright polllast", 0, 0, ARG_VALUE, RESULT_REMOVED,
              ROLE_REMOVES},
};
static const method_end ends[] = {[PUSHL] = END_LEFT, [PUSHR] = END_RIGHT, [POPL] = END_LEFT, [POPR] = END_RIGHT};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result step_push(const object *o, state *s, const operation *op, value *res) {
    bool full = o->parameter[CAPACITY] && s->n >= o->parameter[CAPACITY];
    *res = full ? VALUE_FULL : VALUE_NONE;
    if (!full) state_insert(s, op->method == PUSHL ? 0 : s->n, op->arg[0]);
    return step_if(operation_fits(op, *res));
}

static uint32_t end_of(const state *s, const operation *op) { return op->method == POPL ? 0 : s->n - 1; }

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    if (op->method <= PUSHR) return step_push(o, s, op, res);
    *res = s->n ? s->w[end_of(s, op)] : VALUE_EMPTY;
    if (s->n) state_remove(s, end_of(s, op));
    return step_if(operation_fits(op, *res));
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_EMPTY || op->res == VALUE_FULL;
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    if (op->method <= PUSHR) {
        text_printf(out, "the deque holds %u values", s->n);
        if (o->parameter[CAPACITY]) text_printf(out, " of at most %lld", (long long)o->parameter[CAPACITY]);
        else text_add(out, ", and none is too many: it has no capacity");
    } else if (s->n == 0) {
        text_add(out, "the deque is empty");
    } else {
        text_printf(out, "the %s end of the deque is ", op->method == POPL ? "left" : "right");
        value_print(o->values, s->w[end_of(s, op)], out);
    }
}

const object_type object_type_deque = {
    .name = "deque",
    .summary = "added to and removed from at both ends",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .parameters = {[CAPACITY] = {"capacity", 0, 0, 1 << 30, "values it can hold; 0: no limit"}},
    .init = init,
    .step = step,
    .changes_nothing = changes_nothing,
    .leave_out = leave_out_by_value,
    .by_value = true,
    .why_not = why_not,
    .brings = container_brings,
    .looks_for = container_looks_for,
    .ends = ends,
};
