#include "object/wide.h"

#include "object/leave_out.h"

#include <assert.h>

static bool is_plain(const object *o, const operation *op) { return op->method < o->type->words->first; }

static wide_word word_of(const object *o, const operation *op) {
    assert(!is_plain(o, op) && op->method < o->type->method_count);
    return o->type->words->at[op->method - o->type->words->first].word;
}

static bool is_word(const object *o, const operation *op, wide_word word) {
    return !is_plain(o, op) && word_of(o, op) == word;
}

uint32_t wide_all_words(const object *o, const state *s) {
    (void)o;
    return s->n;
}

/* ---- steps ---- */

static operation removal_for(const object *o, const operation *op, value res) {
    operation r = *op;
    r.method = o->type->words->at[op->method - o->type->words->first].removal;
    r.nargs = 0;
    r.res = res;
    return r;
}

static step_result peek(const object *o, const state *s, const operation *op, uint32_t choice, value *res) {
    operation removal = removal_for(o, op, op->res);
    state copy = {0};
    state_copy(&copy, s);
    step_result r = o->type->words->step(o, &copy, &removal, choice, res);
    state_free(&copy);
    return r;
}

/* Everything leaves, each time the first that may; `item`: NULL, or what left, in that order. */
static void take_all(const object *o, state *s, const operation *removal, value *item) {
    for (uint32_t left = o->type->elements(o, s), k = 0; left; left--, k++) {
        value res = VALUE_UNKNOWN;
        step_result r = o->type->words->step(o, s, removal, 0, &res);
        assert(r != STEP_ILLEGAL && res != VALUE_EMPTY && res != VALUE_UNKNOWN);
        (void)r;
        if (item) item[k] = res;
    }
    assert(o->type->elements(o, s) == 0);
}

/* Can these be removed one after the other? Where one can leave in several ways (relaxed criteria) all are tried. */
static bool take_these(const object *o, state *s, const operation *op, const value *item, size_t n) {
    for (size_t k = 0; k < n; k++) {
        operation removal = removal_for(o, op, item[k]);
        state before = {0};
        value res;
        state_copy(&before, s);
        step_result r = o->type->words->step(o, s, &removal, 0, &res);
        for (uint32_t choice = 1; r == STEP_LEGAL_MORE; choice++) {
            if (take_these(o, s, op, item + k + 1, n - k - 1)) {
                state_free(&before);
                return true;
            }
            state_copy(s, &before);
            r = o->type->words->step(o, s, &removal, choice, &res);
        }
        state_free(&before);
        if (r == STEP_ILLEGAL) return false;
    }
    return true;
}

static step_result drain(const object *o, state *s, const operation *op, value *res) {
    uint32_t inside = o->type->elements(o, s);
    if (op->res != VALUE_UNKNOWN) {
        size_t n;
        const value *item = value_list(o->values, op->res, &n); /* none of `empty` */
        *res = op->res;
        return step_if(n == inside && take_these(o, s, op, item, n));
    }
    operation removal = removal_for(o, op, VALUE_UNKNOWN);
    value *item = MEM_ARRAY(value, inside + 1);
    take_all(o, s, &removal, item);
    *res = value_tuple(o->values, item, inside);
    free(item);
    return STEP_LEGAL;
}

static step_result clear(const object *o, state *s, const operation *op, value *res) {
    operation removal = removal_for(o, op, VALUE_UNKNOWN);
    take_all(o, s, &removal, NULL);
    *res = VALUE_NONE;
    return step_if(operation_fits(op, *res));
}

step_result wide_step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (is_plain(o, op)) return o->type->words->step(o, s, op, choice, res);
    if (word_of(o, op) == WORD_PEEK) return peek(o, s, op, choice, res);
    if (choice) return STEP_ILLEGAL;
    uint32_t inside = o->type->elements(o, s);
    switch (word_of(o, op)) {
    case WORD_SIZE: *res = value_int(o->values, inside); break;
    case WORD_ISEMPTY: *res = value_bool(inside == 0); break;
    case WORD_DRAIN: return drain(o, s, op, res);
    default: return clear(o, s, op, res);
    }
    return step_if(operation_fits(op, *res));
}

wide_words *wide_relax(object_type *t) {
    wide_words *own = mem_copy(t->words, sizeof *t->words);
    own->step = t->step;
    own->why_not = t->why_not;
    t->words = own;
    t->step = wide_step;
    t->why_not = wide_why_not;
    return own;
}

/* ---- what is known of an operation by itself ---- */

static size_t items_of(const object *o, const operation *op) {
    size_t n;
    value_list(o->values, op->res, &n);
    return n;
}

bool wide_changes_nothing(const object *o, const operation *op) {
    if (is_word(o, op, WORD_DRAIN)) return items_of(o, op) == 0;
    return op->res == VALUE_EMPTY || op->res == VALUE_FULL || op->res == VALUE_FALSE;
}

bool wide_check_operation(const object *o, const operation *op, text *wrong) {
    if (!is_word(o, op, WORD_DRAIN) || op->res == VALUE_UNKNOWN || op->res == VALUE_EMPTY) return true;
    if (value_kind_of(o->values, op->res) == KIND_TUPLE) return true;
    text_add(wrong, "drain returned ");
    value_print(o->values, op->res, wrong);
    text_add(wrong, "; expected the list of what it took out");
    return false;
}

int wide_looks_for(const object *o, const operation *op, value v[2]) {
    if (is_plain(o, op)) return container_looks_for(o, op, v);
    switch (word_of(o, op)) {
    case WORD_PEEK: v[0] = op->res; return op->res != VALUE_EMPTY && op->res != VALUE_UNKNOWN;
    case WORD_SIZE: return LOOKS_FOR_ANY;
    case WORD_ISEMPTY: return op->res == VALUE_FALSE ? LOOKS_FOR_ANY : 0;
    case WORD_DRAIN: return op->res == VALUE_UNKNOWN || items_of(o, op) == 0 ? 0 : LOOKS_FOR_ANY;
    default: return 0;
    }
}

/* ---- what may leave ---- */

/* What a drain took out leaves with it, and all of it together. */
static uint32_t group_of_drain(const object *o, value_groups *g, const operation *op) {
    size_t n;
    const value *item = value_list(o->values, op->res, &n);
    if (op->res == VALUE_UNKNOWN || n == 0) return GROUP_KEEP;
    for (size_t k = 1; k < n; k++) value_groups_join(g, item[0], item[k]);
    return value_group(g, item[0]);
}

static value value_about(const object *o, const operation *op) {
    return object_method(o, op)->role & ROLE_ADDS || op->nargs ? op->arg[0] : op->res;
}

/* As leave_out_by_value: all that deals with a value leaves together, and what was empty stays empty. A size, or that
 * it was not empty, speaks of everything. A clear stays, as do removals of which it is not known what they took. */
void wide_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out) {
    value_groups *g = value_groups_new(h, out);
    for (uint32_t i = 0; i < n; i++) {
        operation view;
        history_operation(h, op[i], &view);
        bool counts = is_word(o, &view, WORD_SIZE) || is_word(o, &view, WORD_ISEMPTY);
        bool fragile = view.res == VALUE_FULL || is_word(o, &view, WORD_SIZE) ||
                       (is_word(o, &view, WORD_ISEMPTY) && view.res == VALUE_FALSE);
        if (object_changes_nothing(o, &view)) out->flags[i] = LEAVE_ALONE;
        if (fragile && view.ret != RANK_NEVER) out->flags[i] = LEAVE_ALONE | LEAVE_FRAGILE;
        if (counts || fragile || view.res == VALUE_EMPTY || is_word(o, &view, WORD_CLEAR)) continue;
        if (is_word(o, &view, WORD_DRAIN)) out->group[i] = group_of_drain(o, g, &view);
        else if (value_about(o, &view) != VALUE_UNKNOWN) out->group[i] = value_group(g, value_about(o, &view));
    }
    value_groups_finish(g, out, n);
}

/* ---- in words ---- */

void wide_why_not(const object *o, const state *s, const operation *op, text *out) {
    bool next = !is_plain(o, op) && (word_of(o, op) == WORD_PEEK);
    operation removal = next ? removal_for(o, op, op->res) : *op;
    uint32_t inside = o->type->elements(o, s);
    if ((next || is_plain(o, op)) && o->type->words->why_not) {
        o->type->words->why_not(o, s, &removal, out);
    } else if (is_word(o, op, WORD_SIZE) || is_word(o, op, WORD_ISEMPTY)) {
        if (inside) text_printf(out, "it holds %u value%s", inside, inside == 1 ? "" : "s");
        else text_add(out, "it is empty");
    } else {
        text_add(out, "it holds ");
        object_describe(o, s, out);
    }
}
