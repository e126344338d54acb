/* Consensus: every decide(v) returns the value of the first. State: that value, once there is one. */
#include "object/leave_out.h"
#include "object/set_spec.h"
#include "object/types.h"

#include <assert.h>

static const method methods[] = {
    {"decide", "propose", 1, 1, ARG_VALUE, RESULT_VALUE, 0},
};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    assert(s->n <= 1); /* one decision */
    if (choice) return STEP_ILLEGAL;
    if (s->n == 0) state_push(s, op->arg[0]);
    *res = s->w[0];
    return step_if(operation_fits(op, *res));
}

static bool all_get(const together *t, value v, value *res) {
    for (uint32_t i = 0; i < t->n; i++) {
        res[i] = v;
        if (together_ends(t, i) && !operation_fits(t->op[i], v)) return false;
    }
    return true;
}

/* As a task, the first operations that end decide on any value proposed by then: no operation has ended before.
 * Nothing more is possible than one by one: the operation that proposed that value may come first. */
static step_result step_together(const object *o, state *s, const together *t, uint32_t choice, value *res) {
    (void)o;
    if (s->n) return step_if(choice == 0 && all_get(t, s->w[0], res));
    for (uint32_t i = 0; i < t->n; i++)
        if (all_get(t, t->op[i]->arg[0], res) && choice-- == 0) {
            state_push(s, t->op[i]->arg[0]);
            return STEP_LEGAL_MORE;
        }
    return STEP_ILLEGAL;
}

static const set_spec task = TASK_BY(CRITERION_LINEARIZABLE, step_together);

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res != op->arg[0]; /* it came later than another */
}

/* An operation that returned another one's value was not first: it may leave alone, and it leaves with those that may
 * have been. */
static void leave_out_values(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        out->group[i] = value_group(g, view.res == VALUE_UNKNOWN ? view.arg[0] : view.res);
    }
    value_groups_finish(g, out, n);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    (void)op;
    if (s->n == 0) {
        text_add(out, "nothing is decided yet");
        return;
    }
    text_add(out, "the decision is ");
    value_print(o->values, s->w[0], out);
}

static void describe(const object *o, const state *s, text *out) {
    if (s->n) value_print(o->values, s->w[0], out);
    else text_add(out, "undecided");
}

OBJECT_RECORD(object_type_consensus, "consensus", "all decide on the first value", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .init = init, .step = step,
              .changes_nothing = changes_nothing, .leave_out = leave_out_values, .describe = describe,
              .why_not = why_not, .together = &task);
