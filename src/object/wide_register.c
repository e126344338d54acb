/* Register with compare-and-set and swap: swap(v) writes v and returns what was there. State: its value. */
#include "object/register.h"
#include "object/types.h"

#include <assert.h>

enum { WRITE = REGISTER_WRITE, READ = REGISTER_READ, CAS = REGISTER_CAS, SWAP = REGISTER_SWAP };

static const method methods[] = {
    [WRITE] = {"write", "set store put w", 1, 1, ARG_VALUE, RESULT_VOID, 0},
    [READ] = {"read", "get load r", 0, 0, ARG_VALUE, RESULT_VALUE, ROLE_OBSERVES},
    [CAS] = {"cas", "compareandset compareandswap compareexchange", 2, 2, ARG_VALUE, RESULT_BOOL, 0},
    [SWAP] = {"swap", "getandset exchange getandwrite getset", 1, 1, ARG_VALUE, RESULT_VALUE, 0},
};

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    assert(s->n == 1 && op->method <= SWAP);
    if (choice) return STEP_ILLEGAL;
    value held = s->w[0];
    *res = op->method == WRITE ? VALUE_NONE : held;
    if (op->method == WRITE || op->method == SWAP) s->w[0] = op->arg[0];
    if (op->method == CAS) {
        *res = value_bool(held == op->arg[0]);
        if (held == op->arg[0]) s->w[0] = op->arg[1];
    }
    return step_if(operation_fits(op, *res));
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    if (op->method == CAS) return op->res == VALUE_FALSE || op->arg[0] == op->arg[1];
    return op->method == SWAP && op->res == op->arg[0];
}

static int looks_for(const object *o, const operation *op, value v[2]) {
    (void)o;
    if (op->method == WRITE || op->res == VALUE_UNKNOWN) {
        v[0] = op->arg[0];
        return op->method == CAS;
    }
    if (op->res == VALUE_FALSE && op->method == CAS) return LOOKS_FOR_ANY;
    v[0] = op->method == CAS ? op->arg[0] : op->res;
    return 1;
}

const object_type object_type_wide_register = {
    .name = "wide-register",
    .inferred_last = true,
    .noun = "register",
    .summary = "a register with compare-and-set and swap",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .takes_init = true,
    .init = register_init,
    .step = step,
    .changes_nothing = changes_nothing,
    .leave_out = register_cas_leave_out,
    .describe = register_describe,
    .why_not = register_why_not,
    .brings = register_cas_brings,
    .looks_for = looks_for,
};
