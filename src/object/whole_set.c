/* Set that can be read as a whole: elements matter to each other then. State: the elements, ascending by handle. */
#include "object/leave_out.h"
#include "object/sorted_state.h"
#include "object/types.h"

#include <assert.h>

enum { ADD, REMOVE, CONTAINS, READ, SIZE, ISEMPTY, CLEAR };

static const method methods[] = {
    [ADD] = {"add", "insert put", 1, 1, ARG_VALUE, RESULT_MAYBE_BOOL, 0},
    [REMOVE] = {"remove", "delete erase discard del", 1, 1, ARG_VALUE, RESULT_MAYBE_BOOL, 0},
    [CONTAINS] = {"contains", "member has find lookup", 1, 1, ARG_VALUE, RESULT_BOOL, ROLE_OBSERVES},
    [READ] = {"read", "elements members list", 0, 0, ARG_VALUE, RESULT_ANY, ROLE_OBSERVES},
    [SIZE] = {"size", "length count len card", 0, 0, ARG_VALUE, RESULT_INT, ROLE_OBSERVES},
    [ISEMPTY] = {"isempty", "empty", 0, 0, ARG_VALUE, RESULT_BOOL, ROLE_OBSERVES},
    [CLEAR] = {"clear", "reset", 0, 0, ARG_VALUE, RESULT_VOID, 0},
};

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result step_one(state *s, const operation *op, value *res) {
    uint32_t at;
    bool present = sorted_state_find(s, op->arg[0], &at);
    *res = value_bool(op->method == ADD ? !present : present);
    if (op->method == ADD && !present) state_insert(s, at, op->arg[0]);
    if (op->method == REMOVE && present) state_remove(s, at);
    if (op->res == VALUE_NONE) *res = VALUE_NONE; /* the recording did not keep it */
    return step_if(operation_fits(op, *res));
}

/* A list in any order, each element once, or a set. */
static step_result step_read(const object *o, const state *s, const operation *op, value *res) {
    size_t n, different;
    *res = op->res == VALUE_UNKNOWN ? value_tuple(o->values, s->w, s->n) : op->res;
    const value *item = value_list(o->values, *res, &n);
    value_list(o->values, value_set_of(o->values, item, n), &different);
    bool all = n == s->n && different == n;
    for (size_t i = 0; i < n && all; i++) {
        uint32_t at;
        all = sorted_state_find(s, item[i], &at);
    }
    return step_if(all);
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (choice) return STEP_ILLEGAL;
    switch (op->method) {
    case READ: return step_read(o, s, op, res);
    case SIZE: *res = value_int(o->values, s->n); break;
    case ISEMPTY: *res = value_bool(s->n == 0); break;
    case CLEAR:
        s->n = 0;
        *res = VALUE_NONE;
        break;
    default: return step_one(s, op, res);
    }
    return step_if(operation_fits(op, *res));
}

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    return op->res == VALUE_FALSE;
}

static bool check_operation(const object *o, const operation *op, text *wrong) {
    if (op->method != READ || op->res == VALUE_UNKNOWN) return true;
    value_kind kind = value_kind_of(o->values, op->res);
    if (kind == KIND_TUPLE || kind == KIND_SET) return true;
    text_add(wrong, "read returned ");
    value_print(o->values, op->res, wrong);
    text_add(wrong, "; expected a list or a set of the elements");
    return false;
}

/* All of one element leaves together; what is said of the whole set speaks of all, but that it is empty stays true. */
static void leave_out_elements(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        bool of_all = view.method == READ || view.method == SIZE || view.method == ISEMPTY;
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        if (of_all && view.res != VALUE_TRUE) out->flags[i] = LEAVE_ALONE | LEAVE_FRAGILE;
        if (!of_all && view.method != CLEAR) out->group[i] = value_group(g, view.arg[0]);
    }
    value_groups_finish(g, out, n);
}

static void describe(const object *o, const state *s, text *out) { sorted_state_describe(o->values, s, out); }

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    uint32_t at;
    if (op->method > CONTAINS) {
        text_add(out, "the set is ");
        describe(o, s, out);
        return;
    }
    value_print(o->values, op->arg[0], out);
    text_add(out, sorted_state_find(s, op->arg[0], &at) ? " is in the set" : " is not in the set");
}

const object_type object_type_whole_set = {
    .name = "whole-set",
    .inferred_last = true,
    .noun = "set",
    .summary = "a set of which all elements are one state: read of all, size, isempty and clear too",
    .methods = methods,
    .method_count = sizeof methods / sizeof *methods,
    .init = init,
    .step = step,
    .changes_nothing = changes_nothing,
    .check_operation = check_operation,
    .leave_out = leave_out_elements,
    .describe = describe,
    .why_not = why_not,
};
