/* Formulas are evaluated with three truth values, Kleene's: what is not known yet (pairs of match that were not
 * decided, operations that may still come) is open, and a formula that is false anyway stays false whatever it turns
 * out to be. So match is found by deciding one pair after another and turning back where an axiom is false. */
#include "theory/evaluate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t truth;
enum { IS_FALSE, IS_OPEN, IS_TRUE };

typedef struct evaluation {
    const theory_binding *b;
    const operation *op;
    uint32_t n;
    const uint8_t *before;
    bool future;    /* more operations may follow: all of them together are operation number n */
    bool anywhere;  /* and they may be before, beside and behind the others */
    uint8_t *match; /* n * n truths */
    uint32_t *pair; /* x * n + y of those that may match */
    uint32_t pairs;
    uint32_t env[THEORY_SLOTS];
    uint64_t with_match; /* axioms that speak of match */
} evaluation;

static truth evaluate(evaluation *v, const formula *f);

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

static truth evaluate_match(const evaluation *v, uint32_t x, uint32_t y) {
    if (!v->b->t->match) return IS_FALSE;
    if (x == v->n || y == v->n) return IS_OPEN;
    assert(x < v->n && y < v->n);
    return v->match[x * v->n + y];
}

static bool term_value(const evaluation *v, term t, uint32_t *out) {
    if (t.kind == TERM_METHOD || t.kind == TERM_CONSTANT) {
        *out = t.kind == TERM_METHOD ? t.index : v->b->constant[t.index];
        return true;
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
    for (uint32_t i = 0; i < f->parts; i++) {
        truth one = evaluate(v, f->part[i]);
        if (one == ends) return ends;
        if (one == IS_OPEN) all = IS_OPEN;
    }
    return all;
}

static truth quantify(evaluation *v, const formula *f, unsigned bound, truth ends) {
    if (bound == f->bound) return evaluate(v, f->part[0]);
    truth all = negate(ends);
    uint32_t last = v->n + v->future;
    for (uint32_t i = 0; i < last; i++) {
        assert(i == v->n || v->b->method[v->op[i].method] < v->b->t->methods);
        if (i < v->n && !(f->guard[bound] >> v->b->method[v->op[i].method] & 1)) continue;
        v->env[f->first + bound] = i;
        truth one = quantify(v, f, bound + 1, ends);
        if (i == v->n && one == ends) one = IS_OPEN; /* nothing need follow */
        if (one == ends) return ends;
        if (one == IS_OPEN) all = IS_OPEN;
    }
    return all;
}

static truth evaluate_two(evaluation *v, const formula *f) {
    truth left = evaluate(v, f->part[0]);
    if (f->kind == FORMULA_IMPLIES && left == IS_FALSE) return IS_TRUE;
    truth right = evaluate(v, f->part[1]);
    if (f->kind == FORMULA_IMPLIES) return negate(left) > right ? negate(left) : right;
    if (left == IS_OPEN || right == IS_OPEN) return IS_OPEN;
    return truth_of((left == right) == (f->kind == FORMULA_IFF));
}

static truth evaluate_same(const evaluation *v, uint32_t x, uint32_t y) {
    return x == v->n && y == v->n ? IS_OPEN : truth_of(x == y);
}

static truth evaluate(evaluation *v, const formula *f) {
    switch (f->kind) {
    case FORMULA_TRUE: return IS_TRUE;
    case FORMULA_FALSE: return IS_FALSE;
    case FORMULA_BEFORE: return evaluate_before(v, v->env[f->x], v->env[f->y]);
    case FORMULA_MATCH: return evaluate_match(v, v->env[f->x], v->env[f->y]);
    case FORMULA_SAME: return evaluate_same(v, v->env[f->x], v->env[f->y]);
    case FORMULA_EQUAL:
    case FORMULA_LESS: return evaluate_terms(v, f);
    case FORMULA_NOT: return negate(evaluate(v, f->part[0]));
    case FORMULA_AND: return evaluate_row(v, f, IS_FALSE);
    case FORMULA_OR: return evaluate_row(v, f, IS_TRUE);
    case FORMULA_FORALL: return quantify(v, f, 0, IS_FALSE);
    case FORMULA_EXISTS: return quantify(v, f, 0, IS_TRUE);
    default: return evaluate_two(v, f);
    }
}

/* ---- match ---- */

static bool mentions_match(const formula *f) {
    if (f->kind == FORMULA_MATCH) return true;
    for (uint32_t i = 0; i < f->parts; i++)
        if (mentions_match(f->part[i])) return true;
    return false;
}

static void find_pairs(evaluation *v) {
    const theory *t = v->b->t;
    size_t cells = (size_t)v->n * v->n;
    v->match = mem_zero(cells + 1, 1);
    v->pair = MEM_ARRAY(uint32_t, cells + 1);
    bool future = v->future;
    v->future = false;
    for (uint32_t y = 0; y < v->n && t->match; y++) { /* by y: what has to have a match then fails early */
        for (uint32_t x = 0; x < v->n; x++) {
            v->env[MATCH_X] = x;
            v->env[MATCH_Y] = y;
            if (evaluate(v, t->match) == IS_FALSE) continue;
            v->match[x * v->n + y] = IS_OPEN;
            v->pair[v->pairs++] = x * v->n + y;
        }
    }
    v->future = future;
}

/* `open` are the axioms that may still turn out either way. */
static bool find_match(evaluation *v, uint32_t decided, uint64_t open) {
    const theory *t = v->b->t;
    uint64_t look = decided ? open & v->with_match : open;
    for (unsigned i = 0; i < t->axioms; i++) {
        if (!(look >> i & 1)) continue;
        truth a = evaluate(v, t->axiom[i].as_written);
        if (a == IS_FALSE) return false;
        if (a == IS_TRUE) open &= ~(UINT64_C(1) << i);
    }
    /* what is open now is open because of the future only */
    if (decided == v->pairs || !(open & v->with_match)) return true;
    uint32_t pair = v->pair[decided];
    assert(v->match[pair] == IS_OPEN); /* pairs are decided one after the other, and taken back */
    for (int yes = 1; yes >= 0; yes--) {
        v->match[pair] = truth_of(yes);
        if (find_match(v, decided + 1, open)) return true;
    }
    v->match[pair] = IS_OPEN;
    return false;
}

static void begin(evaluation *v) {
    const theory *t = v->b->t;
    for (unsigned i = 0; i < t->axioms; i++)
        if (mentions_match(t->axiom[i].as_written)) v->with_match |= UINT64_C(1) << i;
    find_pairs(v);
}

static void end(evaluation *v) {
    free(v->match);
    free(v->pair);
}

static bool holds(evaluation *v) {
    begin(v);
    unsigned axioms = v->b->t->axioms;
    bool found = find_match(v, 0, axioms == THEORY_AXIOMS ? UINT64_MAX : (UINT64_C(1) << axioms) - 1);
    end(v);
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

const char *theory_failing_axiom(const theory_binding *b, const operation *op, uint32_t n) {
    evaluation v = {.b = b, .op = op, .n = n};
    const char *name = NULL;
    begin(&v);
    for (unsigned i = 0; i < b->t->axioms && !name; i++)
        if (evaluate(&v, b->t->axiom[i].as_written) == IS_FALSE) name = b->t->axiom[i].name;
    end(&v);
    return name;
}
