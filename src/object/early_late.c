/* quasi of objects whose elements have no order (plug-ins, theories, serial runs, and built-in ones such as fetch-add):
 * results come early or late, each method within its limit (docs/CRITERIA.md, "by method").
 *
 * The strict object is run beside: at each operation of a method with limit k it returns a result c, while the
 * operation returned v. Where they differ, c is *late* (an operation of the method still has to return it) and v is
 * *early* (the strict object still has to return it), both by at most k operations of the method. `empty` and `full`
 * do not move. What is early has to be there: calls of relaxed methods alone, from here on, would bring the strict
 * object to return it in time. So the beginning of a run is a run, and a value is never returned before it can be.
 *
 * State: the strict object's words, then what is early or late, then how many of these there are. */
#include "object/relax.h"

#include <assert.h>

enum { METHOD, LATE, MOVED, AGE, WIDTH };

typedef struct moves { /* a state, taken apart */
    const object *o;
    state strict, moved;
} moves;

static uint32_t limit_of(const object *o, unsigned which) { return o->criterion.of_method[which]; }

static void moves_free(moves *m) {
    state_free(&m->strict);
    state_free(&m->moved);
}

static void moves_copy(moves *to, const moves *from) {
    to->o = from->o;
    state_copy(&to->strict, &from->strict);
    state_copy(&to->moved, &from->moved);
}

static void take_apart(const object *o, const state *s, moves *m) {
    uint32_t entries = WIDTH * s->w[s->n - 1];
    assert(s->n > entries);
    m->o = o;
    state_set(&m->strict, s->w, s->n - 1 - entries);
    state_set(&m->moved, s->w + s->n - 1 - entries, entries);
}

static void put_together(const moves *m, state *s) {
    state_set(s, m->strict.w, m->strict.n);
    for (uint32_t i = 0; i < m->moved.n; i++) state_push(s, m->moved.w[i]);
    state_push(s, m->moved.n / WIDTH);
}

static void init(const object *o, state *s) {
    o->strict->init(o, s);
    state_push(s, 0);
}

/* ---- what is early and late ---- */

static bool moves_at_all(value v) { return v != VALUE_EMPTY && v != VALUE_FULL; }

/* The oldest of this method that is late, or early, and has this value (VALUE_UNKNOWN: any). */
static uint32_t find_moved(const moves *m, unsigned which, bool late, value v) {
    for (uint32_t i = 0; i < m->moved.n; i += WIDTH) {
        const uint32_t *w = m->moved.w + i;
        if (w[METHOD] == which && w[LATE] == late && (v == VALUE_UNKNOWN || w[MOVED] == v)) return i;
    }
    return UINT32_MAX;
}

static bool settle_moved(moves *m, unsigned which, bool late, value v) {
    uint32_t at = find_moved(m, which, late, v);
    if (at == UINT32_MAX) return false;
    for (unsigned i = 0; i < WIDTH; i++) state_remove(&m->moved, at);
    return true;
}

static void add_moved(moves *m, unsigned which, bool late, value v) {
    const uint32_t entry[WIDTH] = {[METHOD] = which, [LATE] = late, [MOVED] = v, [AGE] = 0};
    uint32_t at = 0; /* by method, and of one method by age, so that a state has one form */
    while (at < m->moved.n && m->moved.w[at + METHOD] <= which) at += WIDTH;
    for (unsigned i = 0; i < WIDTH; i++) state_insert(&m->moved, at + i, entry[i]);
}

static void grow_older(moves *m, unsigned which) {
    for (uint32_t i = 0; i < m->moved.n; i += WIDTH) m->moved.w[i + AGE] += m->moved.w[i + METHOD] == which;
}

/* What has moved as far as it may has to be settled by now. */
static bool is_in_time(const moves *m, unsigned which) {
    for (uint32_t i = 0; i < m->moved.n; i += WIDTH)
        if (m->moved.w[i + METHOD] == which && m->moved.w[i + AGE] >= limit_of(m->o, which)) return false;
    return true;
}

/* At one operation the strict object returned c, the operation v. Equal values are settled in their order, method moves
 * none of them further than any other way. */
static bool settle(moves *m, unsigned which, value c, value v) {
    grow_older(m, which);
    if (!moves_at_all(c) || !moves_at_all(v)) return c == v && is_in_time(m, which);
    bool taken = settle_moved(m, which, false, c), given = settle_moved(m, which, true, v);
    if (c == v && !taken && !given) return is_in_time(m, which);
    if (!taken) add_moved(m, which, true, c);
    if (!given) add_moved(m, which, false, v);
    return is_in_time(m, which);
}

/* ---- would it come? ---- */

static step_result strict_step(moves *m, const operation *op, uint32_t choice, value *res) {
    operation any = *op;
    any.res = VALUE_UNKNOWN;
    return m->o->strict->step(m->o, &m->strict, &any, choice, res);
}

static bool would_come(const moves *m);

/* One more call of the method, method returns the oldest of what is late. */
static bool would_come_by(const moves *m, unsigned which) {
    const operation call = {.method = (uint8_t)which, .key = VALUE_NONE, .res = VALUE_UNKNOWN, .ret = RANK_NEVER};
    moves next = {0};
    step_result r = STEP_LEGAL_MORE;
    bool comes = false;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !comes; choice++) {
        value c, v;
        moves_copy(&next, m);
        r = strict_step(&next, &call, choice, &c);
        if (r == STEP_ILLEGAL) break;
        uint32_t oldest = find_moved(&next, which, true, VALUE_UNKNOWN);
        v = oldest == UINT32_MAX || !moves_at_all(c) ? c : next.moved.w[oldest + MOVED];
        comes = settle(&next, which, c, v) && would_come(&next);
    }
    moves_free(&next);
    return comes;
}

/* It ends: each call makes what has moved older, and nothing may grow older than its limit. */
static bool would_come(const moves *m) {
    if (!m->moved.n) return true;
    for (uint32_t i = 0; i < m->moved.n; i += WIDTH) {
        unsigned which = m->moved.w[i + METHOD];
        if (i && m->moved.w[i - WIDTH + METHOD] == which) continue;
        if (would_come_by(m, which)) return true;
    }
    return false;
}

/* ---- the step ---- */

typedef struct outcomes { /* of one step: what it may come to */
    const moves *now;
    moves next;
    const operation *op;
    uint32_t choice; /* so many are passed over */
    bool found, more;
    state *out;
    value *res;
} outcomes;

/* One outcome: the strict object returned c, the operation v. */
static void try_outcome(outcomes *x, value c, value v) {
    moves m = {0};
    moves_copy(&m, &x->next);
    if (!x->more && settle(&m, x->op->method, c, v) && would_come(&m)) {
        if (x->found) x->more = true;
        else if (x->choice) x->choice--;
        else {
            x->found = true;
            put_together(&m, x->out);
            *x->res = v;
        }
    }
    moves_free(&m);
}

/* Results that the strict object would return soon. */
static void values_to_come(const moves *m, unsigned which, uint32_t calls, state *found) {
    const operation call = {.method = (uint8_t)which, .key = VALUE_NONE, .res = VALUE_UNKNOWN, .ret = RANK_NEVER};
    moves next = {0};
    step_result r = calls ? STEP_LEGAL_MORE : STEP_ILLEGAL;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        value c;
        bool known = false;
        moves_copy(&next, m);
        r = strict_step(&next, &call, choice, &c);
        if (r == STEP_ILLEGAL) break;
        for (uint32_t i = 0; i < found->n; i++) known |= found->w[i] == c;
        if (!known) state_push(found, c);
        values_to_come(&next, which, calls - 1, found);
    }
    moves_free(&next);
}

/* A pending operation may have returned what the strict object returns, what is late, or what comes soon. */
static void try_results(outcomes *x, value c) {
    state results = {0};
    unsigned which = x->op->method;
    if (x->op->res != VALUE_UNKNOWN) {
        try_outcome(x, c, x->op->res);
        return;
    }
    state_push(&results, c);
    for (uint32_t i = 0; i < x->next.moved.n; i += WIDTH) {
        const uint32_t *w = x->next.moved.w + i;
        if (w[METHOD] == which && w[LATE] && w[MOVED] != c) state_push(&results, w[MOVED]);
    }
    values_to_come(&x->next, which, limit_of(x->now->o, which), &results);
    for (uint32_t i = 0; i < results.n; i++) {
        bool known = false;
        for (uint32_t j = 0; j < i; j++) known |= results.w[j] == results.w[i];
        if (!known) try_outcome(x, c, results.w[i]);
    }
    state_free(&results);
}

static step_result step_relaxed(const moves *now, state *s, const operation *op, uint32_t choice, value *res) {
    outcomes x = {.now = now, .op = op, .choice = choice, .out = s, .res = res};
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t i = 0; r == STEP_LEGAL_MORE && !x.more; i++) {
        value c;
        moves_copy(&x.next, now);
        r = strict_step(&x.next, op, i, &c);
        if (r != STEP_ILLEGAL) try_results(&x, c);
    }
    moves_free(&x.next);
    return x.more ? STEP_LEGAL_MORE : step_if(x.found);
}

/* A method that is not relaxed: as the strict object does; what is early has to come all the same. */
static step_result step_strict(moves *now, state *s, const operation *op, uint32_t choice, value *res) {
    step_result r = now->o->strict->step(now->o, &now->strict, op, choice, res);
    if (r == STEP_ILLEGAL || !would_come(now)) return STEP_ILLEGAL;
    put_together(now, s);
    return r;
}

static step_result step(const object *o, state *s, const operation *op, uint32_t choice, value *res) {
    moves now = {0};
    take_apart(o, s, &now);
    step_result r =
        limit_of(o, op->method) ? step_relaxed(&now, s, op, choice, res) : step_strict(&now, s, op, choice, res);
    moves_free(&now);
    return r;
}

static bool may_end(const object *o, const state *s) {
    moves now = {0};
    take_apart(o, s, &now);
    bool may = o->strict->may_end(o, &now.strict);
    moves_free(&now);
    return may;
}

static void describe(const object *o, const state *s, text *out) {
    moves now = {0};
    take_apart(o, s, &now);
    if (o->strict->describe) o->strict->describe(o, &now.strict, out);
    for (uint32_t i = 0; i < now.moved.n; i += WIDTH) {
        const uint32_t *w = now.moved.w + i;
        text_printf(out, "%s%s ", i || o->strict->describe ? ", " : "", o->type->methods[w[METHOD]].name);
        value_print(o->values, w[MOVED], out);
        text_printf(out, " %s by %u", w[LATE] ? "late" : "early", w[AGE]);
    }
    moves_free(&now);
}

void relax_results(object *o, object_type *t) {
    o->excused = MEM_ARRAY(method, OBJECT_METHODS);
    memcpy(o->excused, t->methods, t->method_count * sizeof *o->excused);
    for (unsigned m = 0; m < t->method_count; m++)
        if (limit_of(o, m)) o->excused[m].role &= ~(unsigned)(ROLE_OBSERVES | ROLE_ADDS | ROLE_REMOVES);
    t->methods = o->excused;
    t->init = init;
    t->step = step;
    if (t->may_end) t->may_end = may_end;
    t->describe = describe;
    t->why_not = NULL;
    t->changes_nothing = NULL;
    t->leave_out = NULL;
    t->settle = NULL;
    t->by_value = false;
    t->looks_for = NULL;
    t->brings = NULL;
    t->elements = NULL;
    t->ends = NULL;
    t->better = NULL;
    t->words = NULL;
}
