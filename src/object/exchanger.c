/* Exchanger: two operations that overlap in time meet and get each other's value; one without a partner returns `empty`
 * (also written none or false).
 *
 * Two operations take effect at one moment, which a sequential object cannot do. Here the first one brings the object
 * into a half-way state from which only its partner can go on, and in which no history may end. State: nothing, or the
 * value offered, the value the first one got (VALUE_UNKNOWN when it is pending) and the rank of its return.
 *
 * These runs are exactly the set-linearizations in which each class is one timed-out operation or two operations that
 * exchange (Neiger 1994; Castaneda, Rajsbaum, Raynal 2018):
 *   - Given such a set-linearization, write each pair one after the other. Happens-before is still respected, because
 *     the classes respect it and the two of a pair overlap. The half-way state accepts the partner: the values match,
 *     and partner.call < first.ret because they overlap.
 *   - Given such a run, the two halves stand next to each other. partner.call < first.ret was tested; and not
 *     partner.ret < first.call, because the run respects happens-before and has the first one first. So they overlap,
 *     and taking them as one class respects happens-before: what precedes or follows one of them in happens-before is,
 *     as nothing stands between them, outside of the pair on the same side. */
#include "object/leave_out.h"
#include "object/set_spec.h"
#include "object/types.h"

#include <assert.h>

enum { OFFERED, EXPECTED, FIRST_RET, HALF_WAY };

static const method methods[] = {
    {"exchange", "swap", 1, 1, ARG_VALUE, RESULT_REMOVED, 0},
};

static bool timed_out(const operation *op) { return op->res == VALUE_EMPTY || op->res == VALUE_FALSE; }

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result meet(state *s, const operation *op, value *res) {
    value expected = s->w[EXPECTED];
    *res = s->w[OFFERED];
    bool meets =
        op->call < s->w[FIRST_RET] && (expected == VALUE_UNKNOWN || expected == op->arg[0]) && operation_fits(op, *res);
    s->n = 0;
    return step_if(meets);
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    assert(s->n == 0 || s->n == HALF_WAY);
    if (choice) return STEP_ILLEGAL;
    if (s->n == HALF_WAY) return meet(s, op, res);
    *res = op->res; /* of a pending one: whatever its partner offers */
    if (timed_out(op)) return STEP_LEGAL;
    uint32_t half_way[HALF_WAY] = {[OFFERED] = op->arg[0], [EXPECTED] = op->res, [FIRST_RET] = op->ret};
    state_set(s, half_way, HALF_WAY);
    return STEP_LEGAL;
}

/* The same as sets: alone in vain, or two that get each other's value. */
static step_result step_together(const object *o, state *s, const together *t, uint32_t choice, value *res) {
    (void)o;
    (void)s;
    assert(s->n == 0); /* sets leave nothing half-way */
    if (choice || t->n > 2) return STEP_ILLEGAL;
    if (t->n == 1) {
        res[0] = timed_out(t->op[0]) ? t->op[0]->res : VALUE_EMPTY;
        return step_if(operation_fits(t->op[0], res[0]));
    }
    for (uint32_t i = 0; i < 2; i++) {
        res[i] = t->op[1 - i]->arg[0];
        if (!operation_fits(t->op[i], res[i])) return STEP_ILLEGAL;
    }
    return STEP_LEGAL;
}

static const set_spec meeting = {.natural = CRITERION_LINEARIZABLE, .most = 2, .step = step_together};

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return timed_out(op);
}

static bool may_end(const object *o, const state *s) {
    (void)o;
    return s->n == 0;
}

/* Partners leave together: all that deal with one value or with what it was exchanged for. */
static void leave_out_pairs(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    (void)o;
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (timed_out(&view)) {
            out->flags[i] = LEAVE_ALONE;
            continue;
        }
        out->group[i] = value_group(g, view.arg[0]);
        if (view.res != VALUE_UNKNOWN) value_groups_join(g, view.arg[0], view.res);
    }
    value_groups_finish(g, out, n);
}

static void describe(const object *o, const state *s, text *out) {
    if (s->n == 0) {
        text_add(out, "no offer waits");
        return;
    }
    text_add(out, "an offer of ");
    value_print(o->values, s->w[OFFERED], out);
    text_add(out, " waits for ");
    if (s->w[EXPECTED] == VALUE_UNKNOWN) text_add(out, "a partner");
    else value_print(o->values, s->w[EXPECTED], out);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    describe(o, s, out);
    if (s->n == HALF_WAY && op->call > s->w[FIRST_RET]) text_add(out, " and had returned before");
}

OBJECT_RECORD(object_type_exchanger, "exchanger", "two operations that meet get each other's value", .methods = methods,
              .method_count = sizeof methods / sizeof *methods, .init = init, .step = step,
              .changes_nothing = changes_nothing, .may_end = may_end, .leave_out = leave_out_pairs,
              .describe = describe, .why_not = why_not, .together = &meeting);
