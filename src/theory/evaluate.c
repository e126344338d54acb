/* Formulas are evaluated with three truth values, Kleene's: what is not known (operations that may still come) is open,
 * and a formula that is false anyway stays false whatever it turns out to be.
 *
 * Quantifiers go through operations that can make a difference: those of the right methods, and, where the body needs
 * match(x,y) and one of the two is known, those that may match it. */
#include "theory/evaluation.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static truth truth_of(bool b) { return b ? IS_TRUE : IS_FALSE; }
static truth negate(truth t) {
    assert(t <= IS_TRUE);
    return (truth)(IS_TRUE - t);
}

static truth evaluate_before(const evaluation *v, uint32_t x, uint32_t y) {
    if (x == v->n) return y == v->n || v->anywhere ? IS_OPEN : IS_FALSE;
    if (y == v->n && v->anywhere) return IS_OPEN;
    if (y == v->n) return IS_TRUE;
    return truth_of(v->before ? v->before[x * v->n + y] : x < y);
}

static void note_read(evaluation *v, uint32_t pair) {
    if (v->reads == v->read_room) v->read = MEM_GROW(v->read, uint32_t, v->read_room = 2 * v->read_room + 16);
    v->read[v->reads++] = pair;
}

/* What was read from `from` on is all that counts of what was read from `base` on. */
static void keep_reads(evaluation *v, uint32_t base, uint32_t from) {
    assert(base <= from && from <= v->reads);
    if (v->reads > from) memmove(v->read + base, v->read + from, (v->reads - from) * sizeof *v->read);
    v->reads -= from - base;
}

static bool may_match(const evaluation *v, uint32_t x, uint32_t y) {
    for (uint32_t i = v->x_start[x]; i < v->x_start[x + 1]; i++)
        if (v->pair_by_x[i] == x * v->n + y) return true;
    return false;
}

static truth evaluate_match(evaluation *v, uint32_t x, uint32_t y) {
    if (!v->b->t->match) return IS_FALSE;
    if (x == v->n || y == v->n) return IS_OPEN;
    assert(x < v->n && y < v->n);
    if (v->match && may_match(v, x, y)) note_read(v, x * v->n + y);
    return v->match[x * v->n + y];
}

bool term_value(const evaluation *v, term t, uint32_t *out) {
    if (t.kind == TERM_METHOD || t.kind == TERM_CONSTANT) {
        *out = t.kind == TERM_METHOD ? t.index : v->b->constant[t.index];
        return t.kind == TERM_METHOD || *out != VALUE_UNKNOWN;
    }
    uint32_t i = v->env[t.slot];
    assert(i < v->n + v->future);
    if (i == v->n) return false;
    const operation *op = &v->op[i];
    switch (t.kind) {
    case TERM_METH: *out = v->b->method[op->method]; break;
    case TERM_ARG: *out = op->arg[t.index]; break;
    case TERM_RET: *out = op->res; break;
    default: *out = op->client;
    }
    return *out != VALUE_UNKNOWN || (t.kind != TERM_RET && t.kind != TERM_ARG);
}

static truth evaluate_terms(const evaluation *v, const formula *f) {
    uint32_t left, right;
    if (!term_value(v, f->left, &left) || !term_value(v, f->right, &right)) return IS_OPEN;
    return truth_of(f->kind == FORMULA_EQUAL ? left == right : theory_less(v->b->o->values, left, right));
}

/* The row ends where it meets `ends`; open parts leave it open. */
static truth evaluate_row(evaluation *v, const formula *f, truth ends) {
    truth all = negate(ends);
    uint32_t base = v->reads;
    for (uint32_t i = 0; i < f->parts; i++) {
        uint32_t from = v->reads;
        truth one = evaluate_part(v, f->part[i]);
        if (one == ends) {
            keep_reads(v, base, from);
            return ends;
        }
        if (one == IS_OPEN) all = IS_OPEN;
    }
    return all;
}

/* ---- quantifiers ---- */

typedef struct choices { /* operations for one slot */
    uint8_t slot;
    unsigned bound;
    const uint32_t *pair; /* NULL: all of them */
    uint32_t n;
    bool as_x; /* the slot is x of the pairs */
} choices;

/* The operations for `slot` by a needed atom whose other operation is known. `todo` are the slots of f without one. */
static bool choices_by_match(const evaluation *v, const formula *f, uint32_t todo, choices *c) {
    for (uint32_t i = 0; i < f->needs; i++) {
        const formula *m = f->needed[i];
        c->as_x = m->x == c->slot;
        if (!c->as_x && m->y != c->slot) continue;
        uint8_t other = c->as_x ? m->y : m->x;
        if (other >= f->first && todo >> (other - f->first) & 1) continue;
        uint32_t known = v->env[other];
        if (known == v->n) continue;
        const uint32_t *start = c->as_x ? &v->y_start[known] : &v->x_start[known];
        c->pair = (c->as_x ? v->pair : v->pair_by_x) + start[0];
        c->n = start[1] - start[0];
        return true;
    }
    return false;
}

/* The slot to be gone through next: one with few choices where there is one. */
static choices next_choices(const evaluation *v, const formula *f, uint32_t todo) {
    choices c = {0};
    for (unsigned k = 0; k < f->bound && v->pair; k++) {
        if (!(todo >> k & 1)) continue;
        c.bound = k;
        c.slot = (uint8_t)(f->first + k);
        if (choices_by_match(v, f, todo, &c)) return c;
    }
    unsigned first = 0;
    while (!(todo >> first & 1)) first++;
    return (choices){.slot = (uint8_t)(f->first + first), .bound = first, .n = v->n};
}

static uint32_t choice_at(const evaluation *v, const choices *c, uint32_t i) {
    return !c->pair ? i : c->as_x ? c->pair[i] / v->n : c->pair[i] % v->n;
}

static bool guarded_out(const evaluation *v, const formula *f, unsigned bound, uint32_t i) {
    assert(v->b->method[v->op[i].method] < v->b->t->methods);
    return !(f->guard[bound] >> v->b->method[v->op[i].method] & 1);
}

static uint32_t all_slots(const formula *f) { return f->bound == 32 ? UINT32_MAX : (UINT32_C(1) << f->bound) - 1; }

static truth quantify(evaluation *v, const formula *f, uint32_t todo, truth ends) {
    if (!todo) return evaluate_part(v, f->part[0]);
    choices c = next_choices(v, f, todo);
    truth all = negate(ends);
    uint32_t base = v->reads;
    for (uint32_t k = 0; k < c.n + v->future; k++) {
        uint32_t i = k == c.n ? v->n : choice_at(v, &c, k), from = v->reads;
        if (i < v->n && guarded_out(v, f, c.bound, i)) continue;
        v->env[c.slot] = i;
        truth one = quantify(v, f, todo & ~(UINT32_C(1) << c.bound), ends);
        if (i == v->n && one == ends) one = IS_OPEN; /* nothing need follow */
        if (one == ends) {
            keep_reads(v, base, from);
            return ends;
        }
        if (one == IS_OPEN) all = IS_OPEN;
    }
    return all;
}

static truth evaluate_two(evaluation *v, const formula *f) {
    uint32_t base = v->reads;
    truth left = evaluate_part(v, f->part[0]);
    if (f->kind == FORMULA_IMPLIES && left == IS_FALSE) return IS_TRUE;
    uint32_t from = v->reads;
    truth right = evaluate_part(v, f->part[1]);
    if (f->kind == FORMULA_IMPLIES && right == IS_TRUE) keep_reads(v, base, from);
    if (f->kind == FORMULA_IMPLIES) return negate(left) > right ? negate(left) : right;
    if (left == IS_OPEN || right == IS_OPEN) return IS_OPEN;
    return truth_of((left == right) == (f->kind == FORMULA_IFF));
}

static truth evaluate_same(const evaluation *v, uint32_t x, uint32_t y) {
    return x == v->n && y == v->n ? IS_OPEN : truth_of(x == y);
}

truth evaluate_part(evaluation *v, const formula *f) {
    switch (f->kind) {
    case FORMULA_TRUE: return IS_TRUE;
    case FORMULA_FALSE: return IS_FALSE;
    case FORMULA_BEFORE: return evaluate_before(v, v->env[f->x], v->env[f->y]);
    case FORMULA_MATCH: return evaluate_match(v, v->env[f->x], v->env[f->y]);
    case FORMULA_SAME: return evaluate_same(v, v->env[f->x], v->env[f->y]);
    case FORMULA_EQUAL:
    case FORMULA_LESS: return evaluate_terms(v, f);
    case FORMULA_TALLY: return evaluate_tally(v, f);
    case FORMULA_NOT: return negate(evaluate_part(v, f->part[0]));
    case FORMULA_AND: return evaluate_row(v, f, IS_FALSE);
    case FORMULA_OR: return evaluate_row(v, f, IS_TRUE);
    case FORMULA_FORALL: return quantify(v, f, all_slots(f), IS_FALSE);
    case FORMULA_EXISTS: return quantify(v, f, all_slots(f), IS_TRUE);
    default: return evaluate_two(v, f);
    }
}

truth evaluate_formula(evaluation *v, const formula *f) {
    v->reads = 0;
    return evaluate_part(v, f);
}

/* ---- instances ---- */

typedef struct instances {
    evaluation *v;
    found_false *found;
    void *context;
} instances;

static bool instances_of(const instances *in, const formula *f);

static bool go_through(const instances *in, const formula *f, uint32_t todo) {
    evaluation *v = in->v;
    if (!todo) return instances_of(in, f->part[0]);
    choices c = next_choices(v, f, todo);
    for (uint32_t k = 0; k < c.n; k++) { /* an instance about what may follow is not false: it need not follow */
        uint32_t i = choice_at(v, &c, k);
        if (guarded_out(v, f, c.bound, i)) continue;
        v->env[c.slot] = i;
        if (!go_through(in, f, todo & ~(UINT32_C(1) << c.bound))) return false;
    }
    return true;
}

static bool instances_of(const instances *in, const formula *f) {
    if (f->kind == FORMULA_FORALL) return go_through(in, f, all_slots(f));
    for (uint32_t i = 0; i < f->parts && f->kind == FORMULA_AND; i++)
        if (!instances_of(in, f->part[i])) return false;
    if (f->kind == FORMULA_AND || evaluate_formula(in->v, f) != IS_FALSE) return true;
    return in->found(in->context, in->v);
}

bool evaluate_instances(evaluation *v, const formula *f, found_false *found, void *context) {
    return instances_of(&(instances){v, found, context}, f);
}

/* ---- pairs ---- */

static bool labels_match(evaluation *v, uint32_t x, uint32_t y) {
    v->env[MATCH_X] = x;
    v->env[MATCH_Y] = y;
    return evaluate_formula(v, v->b->t->match) != IS_FALSE;
}

static void add_pair(evaluation *v, uint32_t cell, uint32_t *room) {
    if (v->pairs == *room) v->pair = MEM_GROW(v->pair, uint32_t, *room = 2 * *room + 16);
    v->pair[v->pairs++] = cell;
}

static uint32_t *operations_with(const evaluation *v, uint32_t methods, uint32_t *count) {
    uint32_t *at = MEM_ARRAY(uint32_t, (size_t)v->n + 1);
    *count = 0;
    for (uint32_t i = 0; i < v->n; i++)
        if (methods >> v->b->method[v->op[i].method] & 1) at[(*count)++] = i;
    return at;
}

static void sort_pairs_by_x(evaluation *v) {
    for (uint32_t i = 0; i < v->pairs; i++) v->x_start[v->pair[i] / v->n + 1]++;
    for (uint32_t x = 0; x < v->n; x++) v->x_start[x + 1] += v->x_start[x];
    uint32_t *at = MEM_ARRAY(uint32_t, (size_t)v->n + 1);
    memcpy(at, v->x_start, ((size_t)v->n + 1) * sizeof *at);
    for (uint32_t i = 0; i < v->pairs; i++) v->pair_by_x[at[v->pair[i] / v->n]++] = v->pair[i];
    free(at);
}

void evaluation_begin(evaluation *v) {
    const theory *t = v->b->t;
    uint32_t room = 0, xs = 0, *x = t->match ? operations_with(v, t->match_guard[0], &xs) : NULL;
    bool future = v->future;
    v->future = false;
    v->y_start = mem_zero((size_t)v->n + 1, sizeof *v->y_start);
    v->x_start = mem_zero((size_t)v->n + 1, sizeof *v->x_start);
    for (uint32_t y = 0; y < v->n; y++) {
        bool may = t->match && t->match_guard[1] >> v->b->method[v->op[y].method] & 1;
        for (uint32_t k = 0; may && k < xs; k++)
            if (labels_match(v, x[k], y)) add_pair(v, x[k] * v->n + y, &room);
        v->y_start[y + 1] = v->pairs;
    }
    if (!v->pair) v->pair = MEM_ARRAY(uint32_t, 1);
    v->pair_by_x = MEM_ARRAY(uint32_t, (size_t)v->pairs + 1);
    sort_pairs_by_x(v);
    v->match = mem_zero((size_t)v->n * v->n + 1, 1);
    for (uint32_t i = 0; i < v->pairs; i++) v->match[v->pair[i]] = IS_OPEN;
    v->future = future;
    free(x);
}

void evaluation_end(evaluation *v) { FREE_ALL(v->match, v->pair, v->pair_by_x, v->y_start, v->x_start, v->read); }

/* ---- questions ---- */

static bool holds(evaluation *v) {
    evaluation_begin(v);
    bool found = match_exists(v);
    evaluation_end(v);
    return found;
}

bool theory_is_model(const theory_binding *b, const operation *op, uint32_t n, const uint8_t *before) {
    evaluation v = {.b = b, .op = op, .n = n, .before = before};
    return holds(&v);
}

bool theory_may_begin(const theory_binding *b, const operation *op, uint32_t n) {
    evaluation v = {.b = b, .op = op, .n = n, .future = true};
    return holds(&v);
}

bool theory_may_occur(const theory_binding *b, const operation *op, bool first) {
    evaluation v = {.b = b, .op = op, .n = 1, .future = true, .anywhere = !first};
    return holds(&v);
}

void theory_wanted_results(const theory_binding *b, const operation *op, uint32_t n, wanted_results *out) {
    evaluation v = {.b = b, .op = op, .n = n, .future = true, .wanted = out};
    out->n = 0;
    if (!b->t->counts) return;
    evaluation_begin(&v);
    for (unsigned i = 0; i < b->t->axioms; i++) evaluate_formula(&v, b->t->axiom[i].as_written);
    evaluation_end(&v);
}

static const char *false_axiom(evaluation *v) {
    for (unsigned i = 0; i < v->b->t->axioms; i++)
        if (!v->b->t->axiom[i].of_order && evaluate_formula(v, v->b->t->axiom[i].as_written) == IS_FALSE)
            return v->b->t->axiom[i].name;
    return NULL;
}

const char *theory_failing_axiom(const theory_binding *b, const operation *op, uint32_t n) {
    evaluation v = {.b = b, .op = op, .n = n};
    evaluation_begin(&v);
    const char *name = false_axiom(&v);
    evaluation_end(&v);
    return name;
}
