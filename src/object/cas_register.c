/* Register with compare-and-set: cas(old, new) writes new and returns true where the register holds old, else false.
 * State: its value. */
#include "object/leave_out.h"
#include "object/register.h"
#include "object/types.h"

#include <assert.h>

enum { WRITE, READ, CAS };

static const method methods[] = {
    [WRITE] = {"write", "set store put w", 1, 1, ARG_VALUE, RESULT_VOID, 0},
    [READ] = {"read", "get load r", 0, 0, ARG_VALUE, RESULT_VALUE, ROLE_OBSERVES},
    [CAS] = {"cas", "compareandset compareandswap compareexchange", 2, 2, ARG_VALUE, RESULT_BOOL, 0},
};

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    assert(s->n == 1 && op->method <= CAS);
    if (choice) return STEP_ILLEGAL;
    if (op->method == WRITE) {
        s->w[0] = op->arg[0];
        *res = VALUE_NONE;
    } else if (op->method == READ) {
        *res = s->w[0];
    } else {
        *res = value_bool(s->w[0] == op->arg[0]);
        if (*res == VALUE_TRUE) s->w[0] = op->arg[1];
    }
    return step_if(operation_fits(op, *res));
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->method == CAS && (op->res == VALUE_FALSE || op->arg[0] == op->arg[1]);
}

static bool overwrites(const operation *op) { return op->method == WRITE; }

/* As in a register; a compare-and-set that succeeded, or may have, ties the old value to the new one. One that failed
 * says that something else was there. */
static void leave_out_values(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        value v = view.method == READ ? view.res : view.arg[0];
        if (view.method == CAS && view.res == VALUE_FALSE) out->flags[i] |= LEAVE_FRAGILE;
        else if (v != VALUE_UNKNOWN) out->group[i] = value_group(g, v);
        if (view.method == CAS && view.res != VALUE_FALSE) value_groups_join(g, view.arg[0], view.arg[1]);
    }
    value_groups_finish(g, out, n);
    leave_out_epochs(o, h, op, n, overwrites, out);
}

/* A write whose value no operation finds is not needed; a compare-and-set that failed may need any value but one. */
static value brings(const object *o, const operation *op) {
    (void)o;
    return op->method == CAS ? op->arg[1] : op->arg[0];
}

static int looks_for(const object *o, const operation *op, value v[2]) {
    (void)o;
    if (op->method == WRITE) return 0;
    if (op->res == VALUE_FALSE && op->method == CAS) return LOOKS_FOR_ANY;
    v[0] = op->method == READ ? op->res : op->arg[0];
    return 1;
}

OBJECT_RECORD(object_type_cas_register, "cas-register", "a register with compare-and-set", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .takes_init = true, .init = register_init, .step = step,
              .changes_nothing = changes_nothing, .leave_out = leave_out_values, .describe = register_describe,
              .why_not = register_why_not, .brings = brings, .looks_for = looks_for,
              .wider = &object_type_wide_register);
