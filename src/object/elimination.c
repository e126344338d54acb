/* Elimination: a push and a pop that overlap in time meet, and the pop takes what the push brings; both are done then
 * without having touched the stack (Hendler, Shavit, Yerushalmi 2004). push returns true when it met a pop, false when
 * it met no pop; pop returns what it took, or `empty`. Set-sequential: a push and a pop together, or either alone in
 * vain. There is no state. */
#include "object/leave_out.h"
#include "object/set_spec.h"
#include "object/types.h"

enum { PUSH, POP };

static const method methods[] = {
    [PUSH] = {"push", "add offer put", 1, 1, ARG_VALUE, RESULT_BOOL, 0},
    [POP] = {"pop", "remove poll take", 0, 0, ARG_VALUE, RESULT_REMOVED, 0},
};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static bool met_none(const operation *op) { return op->res == (op->method == PUSH ? VALUE_FALSE : VALUE_EMPTY); }

static step_result meet_nobody(const operation *op, value *res) {
    *res = op->method == PUSH ? VALUE_FALSE : VALUE_EMPTY;
    return step_if(operation_fits(op, *res));
}

static step_result step_together(const object *o, state *s, const together *t, uint32_t choice, value *res) {
    (void)o;
    (void)s;
    if (choice || t->n > 2) return STEP_ILLEGAL;
    if (t->n == 1) return meet_nobody(t->op[0], &res[0]);
    uint32_t push = t->op[0]->method == POP, pop = 1 - push;
    if (t->op[push]->method != PUSH || t->op[pop]->method != POP) return STEP_ILLEGAL;
    res[push] = VALUE_TRUE;
    res[pop] = t->op[push]->arg[0];
    return step_if(operation_fits(t->op[push], res[push]) && operation_fits(t->op[pop], res[pop]));
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return met_none(op);
}

/* Partners leave together: all that deal with one value. A pending pop stays; the push it met may leave it alone. */
static void leave_out_pairs(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        value v = view.method == PUSH ? view.arg[0] : view.res;
        if (met_none(&view)) out->flags[i] = LEAVE_ALONE;
        else if (v != VALUE_UNKNOWN) out->group[i] = value_group(g, v);
    }
    value_groups_finish(g, out, n);
}

static void describe(const object *o, const state *s, text *out) {
    (void)o;
    (void)s;
    text_add(out, "no operation waits");
}

static const set_spec meeting = {.natural = CRITERION_SET, .most = 2, .step = step_together};

OBJECT_RECORD(object_type_elimination, "elimination", "a push and a pop that meet are done without the stack",
              .aliases = "elimination-array", .methods = methods, .method_count = sizeof methods / sizeof *methods,
              .named_only = true, .init = init, .step = set_spec_alone, .changes_nothing = changes_nothing,
              .leave_out = leave_out_pairs, .describe = describe, .together = &meeting);
