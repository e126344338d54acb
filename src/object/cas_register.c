/* Register with compare-and-set: cas(old, new) writes new and returns true where the register holds old, else false.
 * State: its value. */
#include "object/register.h"
#include "object/types.h"

#include <assert.h>

enum { WRITE = REGISTER_WRITE, READ = REGISTER_READ, CAS = REGISTER_CAS };

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

/* A write whose value no operation finds is not needed; a compare-and-set that failed may need any value but one. */
static int looks_for(const object *o, const operation *op, value v[2]) {
    (void)o;
    if (op->method == WRITE) return 0;
    if (op->res == VALUE_FALSE && op->method == CAS) return LOOKS_FOR_ANY;
    v[0] = op->method == READ ? op->res : op->arg[0];
    return 1;
}

OBJECT_RECORD(object_type_cas_register, "cas-register", "a register with compare-and-set", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .takes_init = true, .init = register_init, .step = step,
              .changes_nothing = changes_nothing, .leave_out = register_cas_leave_out, .describe = register_describe,
              .why_not = register_why_not, .brings = register_cas_brings, .looks_for = looks_for,
              .wider = &object_type_wide_register);
