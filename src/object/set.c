/* Set. Elements do not matter to each other. Add and remove say whether they changed anything, where the recording kept
 * that. State: the elements, ascending by handle. */
#include "object/leave_out.h"
#include "object/run.h"
#include "object/sorted_state.h"
#include "object/types.h"

#include <assert.h>

enum { ADD, REMOVE, CONTAINS };

static const method methods[] = {
    [ADD] = {"add", "insert put", 1, 1, ARG_VALUE, RESULT_MAYBE_BOOL, 0},
    [REMOVE] = {"remove", "delete erase discard del", 1, 1, ARG_VALUE, RESULT_MAYBE_BOOL, 0},
    [CONTAINS] = {"contains", "member has find lookup", 1, 1, ARG_VALUE, RESULT_BOOL, ROLE_OBSERVES},
};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    (void)o;
    if (choice) return STEP_ILLEGAL;
    value v = op->arg[0];
    uint32_t at = 0;
    while (at < s->n && s->w[at] < v) at++;
    bool present = at < s->n && s->w[at] == v;
    *res = value_bool(op->method == ADD ? !present : present);
    assert(op->method <= CONTAINS && (at == s->n || s->w[at] >= v));
    if (op->method == ADD && !present) state_insert(s, at, v);
    assert(at + 1 >= s->n || s->w[at] < s->w[at + 1]); /* ascending, each once */
    if (op->method == REMOVE && present) state_remove(s, at);
    if (op->res == VALUE_NONE) *res = VALUE_NONE; /* the recording did not keep it */
    return step_if(operation_fits(op, *res));
}

OBJECT_RUN(step)

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_FALSE;
}

/* An element that is in the set once more often added than removed: its excursions from absence and back. */
static void leave_out_elements(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    excursions *x = excursions_new();
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        if (object_negligible(o, &view)) continue;
        bool known = view.res == VALUE_TRUE || view.res == VALUE_FALSE;
        int64_t change = view.res != VALUE_TRUE || view.method == CONTAINS ? 0 : view.method == ADD ? 1 : -1;
        out->group[i] = excursion(x, (uint64_t)view.key << 32 | view.arg[0], &view, change, known);
    }
    excursions_finish(x, out);
}

static void describe(const object *o, const state *s, text *out) { sorted_state_describe(o->values, s, out); }

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    bool present = false;
    for (uint32_t i = 0; i < s->n; i++) present |= s->w[i] == op->arg[0];
    value_print(o->values, op->arg[0], out);
    text_add(out, present ? " is in the set" : " is not in the set");
}

OBJECT_RECORD(object_type_set, "set", "elements are in it or not; add and remove tell whether they changed it",
              .methods = methods, .method_count = sizeof methods / sizeof *methods, .parts_by_arg = true, .init = init,
              .step = step, .run = run, .changes_nothing = changes_nothing, .leave_out = leave_out_elements,
              .describe = describe, .why_not = why_not, .wider = &object_type_whole_set);
