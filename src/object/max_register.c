/* Max register: a read returns the greatest value written so far. State: that value. */
#include "object/leave_out.h"
#include "object/register.h"
#include "object/types.h"

#include <assert.h>

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    assert(s->n == 1);
    if (choice) return STEP_ILLEGAL;
    if (op->method == REGISTER_WRITE) {
        if (value_compare(o->values, op->arg[0], s->w[0]) > 0) s->w[0] = op->arg[0];
        assert(value_compare(o->values, op->arg[0], s->w[0]) <= 0);
        *res = VALUE_NONE;
    } else {
        *res = s->w[0];
    }
    return step_if(operation_fits(op, *res));
}

/* The writes of a value leave together with all reads of it: the greatest of the others stays the greatest. */
static void leave_out_values(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (view.method == REGISTER_READ) out->flags[i] = LEAVE_ALONE;
        value v = view.method == REGISTER_WRITE ? view.arg[0] : view.res;
        if (v != VALUE_UNKNOWN) out->group[i] = value_group(g, v);
    }
    value_groups_finish(g, out, n);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the greatest value written is ");
    value_print(o->values, s->w[0], out);
}

OBJECT_RECORD(object_type_max_register, "max-register", "a read returns the greatest value written",
              .methods = register_methods, .method_count = REGISTER_METHODS, .named_only = true, .takes_init = true,
              .init = register_init, .step = step, .leave_out = leave_out_values, .describe = register_describe,
              .why_not = why_not, .brings = register_brings, .looks_for = register_looks_for);
