/* out-of-order(d,l): a removal may take an element with at most d others ahead of it; while it is not the head that is
 * taken, the head has been bypassed once more, which may happen at most l times in a row. A new head has not been
 * bypassed (docs/CRITERIA.md, "out-of-order").
 *
 * State: how often the head was bypassed, then the elements in line. */
#include "object/relax.h"

#include <assert.h>

enum { LATE, FIRST };

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
    state_push(s, 0);
}

static unsigned removing_method(const object *o) {
    unsigned m = 0;
    while (!(o->type->methods[m].role & ROLE_REMOVES)) m++;
    return m;
}

static bool head_at_right(const object *o) { return relax_at_right(o, removing_method(o)); }
static uint32_t at_depth(const state *s, bool right, uint32_t depth) {
    return right ? s->n - 1 - depth : FIRST + depth;
}

/* The choice-th element that may be taken and fits: its depth, and the number of elements strictly ahead of it. */
static bool find_choice(const object *o, const state *s, const operation *op, uint32_t choice, uint32_t *depth,
                        uint32_t *rank) {
    bool right = head_at_right(o), late = s->w[LATE] >= o->criterion.limit[1];
    for (*depth = *rank = 0; *depth < s->n - FIRST; ++*depth) {
        value here = s->w[at_depth(s, right, *depth)];
        if (*depth && relax_strictly_ahead(o, s->w[at_depth(s, right, *depth - 1)], here)) *rank = *depth;
        if (*rank > o->criterion.limit[0] || (*rank && late)) return false;
        if (operation_fits(op, here) && choice-- == 0) return true;
    }
    return false;
}

static step_result step_remove(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    *res = VALUE_EMPTY;
    if (s->n == FIRST) return step_if(choice == 0 && operation_fits(op, *res));
    uint32_t depth, rank, another, unused;
    if (!find_choice(o, s, op, choice, &depth, &rank)) return STEP_ILLEGAL;
    bool more = find_choice(o, s, op, choice + 1, &another, &unused);
    uint32_t at = at_depth(s, head_at_right(o), depth);
    *res = s->w[at];
    assert(rank <= depth && rank <= o->criterion.limit[0] && at >= FIRST && at < s->n);
    state_remove(s, at);
    s->w[LATE] = rank ? s->w[LATE] + 1 : 0;
    assert(s->w[LATE] <= o->criterion.limit[1]);
    return more ? STEP_LEGAL_MORE : STEP_LEGAL;
}

static void add(const object *o, state *s, const operation *op) {
    bool right = head_at_right(o), was_empty = s->n == FIRST;
    value head = was_empty ? VALUE_NONE : s->w[at_depth(s, right, 0)];
    uint32_t at = relax_place(o, s, FIRST, 1, op);
    assert(at >= FIRST && at <= s->n);
    state_insert(s, at, op->arg[0]);
    bool nearest = at == at_depth(s, right, 0);
    bool new_head = was_empty || (nearest && (!o->type->better || o->type->better(o, op->arg[0], head) > 0));
    if (new_head) s->w[LATE] = 0;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (object_method(o, op)->role & ROLE_REMOVES) return step_remove(o, s, op, choice, res);
    bool full = relax_is_full(o, s->n - FIRST);
    *res = full ? VALUE_FULL : VALUE_NONE;
    if (choice || !operation_fits(op, *res)) return STEP_ILLEGAL;
    if (!full) add(o, s, op);
    return STEP_LEGAL;
}

static void describe(const object *o, const state *s, text *out) {
    text_char(out, '[');
    for (uint32_t i = FIRST; i < s->n; i++) {
        if (i > FIRST) text_char(out, ' ');
        value_print(o->values, s->w[i], out);
    }
    text_char(out, ']');
    if (s->w[LATE]) text_printf(out, " with its head bypassed %u times", s->w[LATE]);
}

static uint32_t count(const object *o, const state *s) {
    (void)o;
    return s->n - FIRST;
}

/* An element may be what made a head new, so nothing that was added may be left out, not even a pending add whose
 * element was not taken: only removals that found nothing may. */
void relax_out_of_order(object_type *t) {
    t->init = init;
    t->elements = count;
    t->step = step;
    t->describe = describe;
    t->why_not = NULL;
    t->leave_out = NULL;
    t->brings = NULL;
    t->looks_for = NULL;
}
