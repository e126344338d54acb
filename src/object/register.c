/* Multi-writer register. State: its value. */
#include "object/register.h"

#include "object/leave_out.h"
#include "object/run.h"
#include "object/types.h"

#include <assert.h>

const method register_methods[REGISTER_METHODS] = {
    [REGISTER_WRITE] = {"write", "set store put w", 1, 1, ARG_VALUE, RESULT_VOID, 0},
    [REGISTER_READ] = {"read", "get load r", 0, 0, ARG_VALUE, RESULT_VALUE, ROLE_OBSERVES},
};

void register_init(const object *o, state *s) { state_set(s, &o->init, 1); }

step_result register_step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    assert(s->n == 1);
    if (choice) return STEP_ILLEGAL;
    if (op->method == REGISTER_WRITE) {
        s->w[0] = op->arg[0];
        *res = VALUE_NONE;
    } else {
        *res = s->w[0];
    }
    return step_if(operation_fits(op, *res));
}

OBJECT_RUN(register_step)

static bool overwrites(const operation *op) { return op->method == REGISTER_WRITE; }

/* The writes of a value leave together with all reads of it; a read may leave alone. Reads of the initial value belong
 * to the writes of that value, if there are any. */
void register_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    value_groups_assign(g, h, op, n, (const bool[]){[REGISTER_WRITE] = true, [REGISTER_READ] = false}, out);
    for (uint32_t i = 0; i < n; i++) out->flags[i] = h->method[op[i]] == REGISTER_READ ? LEAVE_ALONE : 0;
    value_groups_finish(g, out, n);
    leave_out_epochs(o, h, op, n, overwrites, out);
}

/* A compare-and-set that succeeded, or may have, ties the old value to the new one; one that failed says that something
 * else was there. A swap ties what it found to what it wrote, and one that is pending may have found anything. */
void register_cas_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        value v = view.method == REGISTER_READ ? view.res : view.arg[0];
        const bool compares = view.method == REGISTER_CAS;
        if (compares && view.res == VALUE_FALSE) out->flags[i] |= LEAVE_FRAGILE;
        else if (v != VALUE_UNKNOWN) out->group[i] = value_group(g, v);
        if (compares && view.res != VALUE_FALSE) value_groups_join(g, view.arg[0], view.arg[1]);
        if (view.method == REGISTER_SWAP && view.res != VALUE_UNKNOWN) value_groups_join(g, view.arg[0], view.res);
    }
    value_groups_finish(g, out, n);
    leave_out_epochs(o, h, op, n, overwrites, out);
}

value register_cas_brings(const object *o, const operation *op) {
    (void)o;
    return op->method == REGISTER_CAS ? op->arg[1] : op->arg[0];
}

/* A pending write whose value no read returned is not needed. */
value register_brings(const object *o, const operation *op) {
    (void)o;
    return op->arg[0];
}

int register_looks_for(const object *o, const operation *op, value v[2]) {
    (void)o;
    v[0] = op->res;
    return op->method == REGISTER_READ;
}

void register_describe(const object *o, const state *s, text *out) { value_print(o->values, s->w[0], out); }

void register_why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    text_add(out, "the register holds ");
    value_print(o->values, s->w[0], out);
}

OBJECT_RECORD(object_type_register, "register", "a register that any client may write", .methods = register_methods,
              .method_count = REGISTER_METHODS, .takes_init = true, .init = register_init, .step = register_step,
              .run = run, .leave_out = register_leave_out, .by_value = true, .describe = register_describe,
              .why_not = register_why_not, .brings = register_brings, .looks_for = register_looks_for,
              .wider = &object_type_wide_register);
