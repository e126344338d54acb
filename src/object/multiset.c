/* Multiset, also called pool or bag: remove() takes any element, remove(x) one of x if there is one (true or false),
 * contains(x) looks. With a capacity, an add to a full multiset returns `full`. State: the elements, ascending by
 * handle. */
#include "object/leave_out.h"
#include "object/run.h"
#include "object/sorted_state.h"
#include "object/types.h"
#include "object/wide.h"

#include <assert.h>

enum { ADD, REMOVE, CONTAINS };
enum { CAPACITY };

#define PLAIN \
    [ADD] = {"add", "put insert offer push", 1, 1, ARG_VALUE, RESULT_VOID, ROLE_ADDS}, \
    [REMOVE] = {"remove", "get take poll delete pop", 0, 1, ARG_VALUE, RESULT_REMOVED, ROLE_REMOVES}, \
    [CONTAINS] = {"contains", "member has find", 1, 1, ARG_VALUE, RESULT_BOOL, ROLE_OBSERVES}
static const method methods[] = {PLAIN};
static const method wide_methods[] = {PLAIN, WIDE_PEEK("peek", "any"), WIDE_COUNTS, WIDE_EMPTIES};

static bool takes_any(const operation *op) { return op->method == REMOVE && op->nargs == 0; }

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static step_result add(const object *o, state *s, const operation *op, value *res) {
    bool full = o->parameter[CAPACITY] && s->n >= o->parameter[CAPACITY];
    uint32_t at;
    *res = full ? VALUE_FULL : VALUE_NONE;
    sorted_state_find(s, op->arg[0], &at);
    if (!full) state_insert(s, at, op->arg[0]);
    assert(!o->parameter[CAPACITY] || s->n <= o->parameter[CAPACITY]);
    return step_if(operation_fits(op, *res));
}

/* A pending removal may take every different element: choices go through them in order. */
static step_result remove_any(state *s, const operation *op, uint32_t choice, value *res) {
    uint32_t at = 0;
    *res = VALUE_EMPTY;
    if (s->n == 0) return step_if(choice == 0 && operation_fits(op, *res));
    if (op->res != VALUE_UNKNOWN) {
        *res = op->res;
        if (choice || !sorted_state_find(s, op->res, &at)) return STEP_ILLEGAL;
        state_remove(s, at);
        return STEP_LEGAL;
    }
    for (uint32_t left = choice; at < s->n && left; left--)
        for (value passed = s->w[at]; at < s->n && s->w[at] == passed;) at++;
    if (at == s->n) return STEP_ILLEGAL;
    assert(at == 0 || s->w[at - 1] < s->w[at]); /* the first of its equals: each value is one choice */
    *res = s->w[at];
    bool more = s->w[s->n - 1] != *res;
    state_remove(s, at);
    return more ? STEP_LEGAL_MORE : STEP_LEGAL;
}

/* remove(x) -> true may have been written as x, false as empty. */
static bool found_it(const operation *op) { return op->res == VALUE_TRUE || op->res == op->arg[0]; }
static bool did_not_find_it(const operation *op) { return op->res == VALUE_FALSE || op->res == VALUE_EMPTY; }

static step_result remove_one(state *s, const operation *op, value *res) {
    uint32_t at;
    bool found = sorted_state_find(s, op->arg[0], &at);
    bool fits = op->res == VALUE_UNKNOWN || (found ? found_it(op) : did_not_find_it(op));
    *res = op->res == VALUE_UNKNOWN ? value_bool(found) : op->res;
    if (found) state_remove(s, at);
    return step_if(fits);
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (takes_any(op)) return remove_any(s, op, choice, res);
    if (choice) return STEP_ILLEGAL;
    if (op->method == ADD) return add(o, s, op, res);
    if (op->method == REMOVE) return remove_one(s, op, res);
    uint32_t at;
    *res = value_bool(sorted_state_find(s, op->arg[0], &at));
    return step_if(operation_fits(op, *res));
}

OBJECT_RUN(step)

static bool changes_nothing(const object *o, const operation *op) {
    (void)o;
    if (op->method == REMOVE && op->nargs) return did_not_find_it(op);
    return op->res == VALUE_EMPTY || op->res == VALUE_FULL;
}

/* As for all containers (leave_out_by_value); what names its element belongs to that element's group. */
static void leave_out_elements(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        if (view.res == VALUE_FULL && view.method == ADD) out->flags[i] |= LEAVE_FRAGILE;
        else if (!takes_any(&view)) out->group[i] = value_group(g, view.arg[0]);
        else if (view.res != VALUE_UNKNOWN && view.res != VALUE_EMPTY) out->group[i] = value_group(g, view.res);
    }
    value_groups_finish(g, out, n);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    uint32_t at;
    value v = takes_any(op) ? op->res : op->arg[0];
    if (op->method == ADD) {
        text_printf(out, "the multiset holds %u elements", s->n);
        if (o->parameter[CAPACITY]) text_printf(out, " of at most %lld", (long long)o->parameter[CAPACITY]);
    } else if (takes_any(op) && (v == VALUE_EMPTY || s->n == 0)) {
        text_printf(out, "the multiset %s empty", s->n ? "is not" : "is");
    } else {
        value_print(o->values, v, out);
        text_add(out, sorted_state_find(s, v, &at) ? " is in the multiset" : " is not in the multiset");
    }
}

static const wide_words words = {
    .first = CONTAINS + 1,
    .at = {{WORD_PEEK, REMOVE}, {WORD_SIZE, 0}, {WORD_ISEMPTY, 0}, {WORD_DRAIN, REMOVE}, {WORD_CLEAR, REMOVE}},
    .step = step,
    .why_not = why_not,
};

OBJECT_RECORD(object_type_wide_multiset, "wide-multiset",
              "a multiset that can be looked into, counted and emptied as well", .inferred_last = true,
              .noun = "multiset", .aliases = "wide-pool wide-bag", .methods = wide_methods,
              .method_count = sizeof wide_methods / sizeof *wide_methods,
              .parameters = {[CAPACITY] = {"capacity", 0, 0, 1 << 30, "elements it can hold; 0: no limit"}},
              .named_only = true, .init = init, .elements = wide_all_words, WIDE_FIELDS(words));

OBJECT_RECORD(object_type_multiset, "multiset", "any element may be removed", .aliases = "pool bag", .methods = methods,
              .method_count = sizeof methods / sizeof *methods,
              .parameters = {[CAPACITY] = {"capacity", 0, 0, 1 << 30, "elements it can hold; 0: no limit"}},
              .named_only = true, .init = init, .step = step, .run = run, .changes_nothing = changes_nothing,
              .leave_out = leave_out_elements, .why_not = why_not, .wider = &object_type_wide_multiset);
