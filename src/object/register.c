/* Multi-writer register. State: its value. */
#include "object/leave_out.h"
#include "object/types.h"

enum { WRITE, READ };

static const method methods[] = {
    [WRITE] = {"write", "set store put w", 1, 1, ARG_VALUE, RESULT_VOID, 0},
    [READ] = {"read", "get load r", 0, 0, ARG_VALUE, RESULT_VALUE, ROLE_OBSERVES},
};

static void init(const object *o, state *s) { state_set(s, &o->init, 1); }

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    if (choice) return STEP_ILLEGAL;
    if (op->method == WRITE) {
        s->w[0] = op->arg[0];
        *res = VALUE_NONE;
        return STEP_LEGAL;
    }
    *res = s->w[0];
    return op->res == VALUE_UNKNOWN || op->res == *res ? STEP_LEGAL : STEP_ILLEGAL;
}

/* The writes of a value leave together with all reads of it; a read may leave alone. */
static void leave_out_values(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new();
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (view.method == READ) out->flags[i] = LEAVE_ALONE;
        value v = view.method == WRITE ? view.arg[0] : view.res;
        if (view.method == READ && (v == o->init || v == VALUE_UNKNOWN)) continue;
        out->group[i] = value_group(g, v);
    }
    value_groups_finish(g, out, n);
}

static void describe(const object *o, const state *s, text *out) { value_print(o->values, s->w[0], out); }

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the register holds ");
    value_print(o->values, s->w[0], out);
}

const object_type object_type_register = {
    .name = "register",
    .summary = "a register that any client may write",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .takes_init = true,
    .init = init,
    .step = step,
    .leave_out = leave_out_values,
    .describe = describe,
    .why_not = why_not,
};
