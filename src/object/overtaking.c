/* quasi: a container from which elements may come out of order, within limits (docs/CRITERIA.md, "quasi").
 *
 *     (R1) a removal has at most limit[0] elements ahead of what it takes
 *     (R2) an element is overtaken at most limit[1] times while it is inside
 *
 * With limits by method these are the limit of the removal, and besides
 *
 *     (A1) an add passes at most so many elements on its way in as its method's limit says
 *     (A2) it passes no element that was passed as often
 *
 * `empty` only when it is empty. State: the elements in line, each with the number of times it was overtaken, and
 * passed. */
#include "object/leave_out.h"
#include "object/relax.h"

#include <assert.h>

enum { VALUE, COUNT, PASSED, WIDTH };

static void init(const object *o, state *s) {
    (void)o;
    s->n = 0;
}

static uint32_t elements(const state *s) {
    assert(s->n % WIDTH == 0);
    return s->n / WIDTH;
}

/* The word of the element with `depth` others nearer to the end. */
static uint32_t at_depth(const state *s, bool right, uint32_t depth) {
    return WIDTH * (right ? elements(s) - 1 - depth : depth);
}

typedef struct removal_limits {
    uint32_t ahead, overtaken;
} removal_limits;

static removal_limits limits_of(const object *o, unsigned which) {
    const criterion *c = &o->criterion;
    if (c->kind != CRITERION_BY_METHOD) return (removal_limits){c->limit[0], c->limit[1]};
    return (removal_limits){c->of_method[which], c->of_method[which]};
}

typedef struct reach { /* how far into the line a removal may go */
    const object *o;
    const state *s;
    bool right;
    removal_limits limits;
    uint32_t depth; /* of the element looked at */
    uint32_t ahead; /* elements strictly ahead of it: all from the end up to here */
} reach;

static reach reach_of(const object *o, const state *s, const operation *op) {
    return (reach){.o = o, .s = s, .right = relax_at_right(o, op->method), .limits = limits_of(o, op->method)};
}

/* May the element at the next depth be taken? Once not, none behind it may. */
static bool reach_next(reach *r) {
    if (r->depth == elements(r->s)) return false;
    if (r->depth == 0) return true;
    value nearer = r->s->w[at_depth(r->s, r->right, r->depth - 1)], here = r->s->w[at_depth(r->s, r->right, r->depth)];
    if (!relax_strictly_ahead(r->o, nearer, here)) return true;
    for (; r->ahead < r->depth; r->ahead++)
        if (r->s->w[at_depth(r->s, r->right, r->ahead) + COUNT] >= r->limits.overtaken) return false;
    return r->ahead <= r->limits.ahead;
}

/* The depth of the choice-th element that may be taken and fits; false: there is none. */
static bool find_choice(reach *r, const operation *op, uint32_t choice) {
    for (; reach_next(r); r->depth++)
        if (operation_fits(op, r->s->w[at_depth(r->s, r->right, r->depth)]) && choice-- == 0) return true;
    return false;
}

/* Equals are kept by handle, then by count, so that a state has one form: the one that was added last, never overtaken
 * yet, is the first. Removals do not disturb that: of equals all are overtaken or none. */
static void sort_newest(const object *o, state *s, uint32_t at) {
    if (!o->type->better || o->type->oldest_among_equals) return;
    for (; at && s->w[at] == s->w[at - WIDTH] && s->w[at - WIDTH + COUNT]; at -= WIDTH) {
        s->w[at + COUNT] = s->w[at - WIDTH + COUNT];
        s->w[at - WIDTH + COUNT] = 0;
    }
}

static void take_out(const reach *r, state *s) {
    assert(r->ahead <= r->depth && r->ahead <= r->limits.ahead && r->depth < elements(s)); /* R1 */
    for (uint32_t depth = 0; depth < r->ahead; depth++) {
        uint32_t *count = &s->w[at_depth(s, r->right, depth) + COUNT];
        assert(*count < r->limits.overtaken); /* R2 */
        ++*count;
    }
    uint32_t at = at_depth(s, r->right, r->depth);
    for (unsigned i = 0; i < WIDTH; i++) state_remove(s, at);
}

static step_result step_remove(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    *res = VALUE_EMPTY;
    if (s->n == 0) return step_if(choice == 0 && operation_fits(op, *res));
    reach r = reach_of(o, s, op);
    if (!find_choice(&r, op, choice)) return STEP_ILLEGAL;
    reach more = r;
    more.depth++;
    bool another = find_choice(&more, op, 0);
    *res = s->w[at_depth(s, r.right, r.depth)];
    take_out(&r, s);
    return another ? STEP_LEGAL_MORE : STEP_LEGAL;
}

/* By how many elements may this add be passed in? Those nearest to its end, each not passed too often yet. */
static uint32_t may_pass(const object *o, const state *s, const operation *op) {
    const criterion *c = &o->criterion;
    uint32_t limit = c->kind == CRITERION_BY_METHOD ? c->of_method[op->method] : 0, passed = 0;
    bool right = relax_at_right(o, op->method);
    while (passed < limit && passed < elements(s) && s->w[at_depth(s, right, passed) + PASSED] < limit) passed++;
    return passed;
}

static step_result step_add(const object *o, state *s, const operation *op, uint32_t passes) {
    uint32_t most = may_pass(o, s, op), at = relax_place(o, s, 0, WIDTH, op);
    bool right = relax_at_right(o, op->method);
    if (passes > most) return STEP_ILLEGAL;
    assert(at % WIDTH == 0 && at <= s->n);
    for (uint32_t i = 0; i < passes; i++) s->w[at_depth(s, right, i) + PASSED]++;
    if (passes) at = right ? at - WIDTH * passes : at + WIDTH * passes;
    state_insert(s, at, op->arg[0]);
    state_insert(s, at + COUNT, 0);
    state_insert(s, at + PASSED, 0);
    sort_newest(o, s, at);
    return passes < most ? STEP_LEGAL_MORE : STEP_LEGAL;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    if (object_method(o, op)->role & ROLE_REMOVES) return step_remove(o, s, op, choice, res);
    bool full = relax_is_full(o, elements(s));
    *res = full ? VALUE_FULL : VALUE_NONE;
    if (!operation_fits(op, *res) || (full && choice)) return STEP_ILLEGAL;
    return full ? STEP_LEGAL : step_add(o, s, op, choice);
}

bool overtaking_look(const object *o, const state *s, const operation *op, uint32_t *ahead, uint32_t *overtaken) {
    reach r = reach_of(o, s, op);
    if (!(object_method(o, op)->role & ROLE_REMOVES) || !find_choice(&r, op, 0)) return false;
    *ahead = r.ahead;
    *overtaken = s->w[at_depth(s, r.right, r.depth) + COUNT];
    return true;
}

bool overtaking_inside(const state *s, uint32_t i, uint32_t *overtaken) {
    if (i >= elements(s)) return false;
    *overtaken = s->w[i * WIDTH + COUNT];
    return true;
}

static void describe(const object *o, const state *s, text *out) {
    text_char(out, '[');
    for (uint32_t i = 0; i < s->n; i += WIDTH) {
        if (i) text_char(out, ' ');
        value_print(o->values, s->w[i], out);
        if (s->w[i + COUNT]) text_printf(out, " (overtaken %u)", s->w[i + COUNT]);
    }
    text_char(out, ']');
}

/* What keeps this element inside, or that it is not there. */
static void why_not_this(const object *o, const state *s, const operation *op, text *out) {
    reach r = reach_of(o, s, op);
    bool inside = false;
    for (uint32_t i = 0; i < s->n; i += WIDTH) inside |= s->w[i] == op->res;
    value_print(o->values, op->res, out);
    if (!inside) {
        text_add(out, " is not inside");
        return;
    }
    while (reach_next(&r)) r.depth++;
    if (r.ahead > r.limits.ahead) {
        text_printf(out, " has more than %u ahead of it", r.limits.ahead);
        return;
    }
    text_add(out, " would overtake ");
    value_print(o->values, s->w[at_depth(s, r.right, r.ahead)], out);
    text_printf(out, ", which was overtaken %u times", s->w[at_depth(s, r.right, r.ahead) + COUNT]);
}

static void why_not(const object *o, const state *s, const operation *op, text *out) {
    bool removes = object_method(o, op)->role & ROLE_REMOVES;
    if (removes && s->n == 0) text_add(out, "it is empty");
    else if (removes && op->res != VALUE_EMPTY && op->res != VALUE_UNKNOWN) why_not_this(o, s, op, out);
    else text_printf(out, "it holds %u values", elements(s));
}

static uint32_t count(const object *o, const state *s) {
    (void)o;
    return elements(s);
}

/* Whatever deals with one value may leave together: the others have no more ahead of them and are overtaken no more
 * often, and what was empty stays empty. So `leave_out` stays as it is, and so does what says which pending adds are
 * not needed. */
void relax_overtaking(object_type *t) {
    t->init = init;
    t->elements = count;
    t->step = step;
    t->describe = describe;
    t->why_not = why_not;
}
