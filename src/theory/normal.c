/* Negation normal form, and the guards of quantifiers. */
#include "theory/parser.h"

#include <assert.h>
#include <string.h>

typedef struct normalizer {
    theory *t;
    uint32_t made;
} normalizer;

static const formula *push(normalizer *n, const formula *f, bool negate);

static formula *make(normalizer *n, const formula *like, formula_kind kind, uint32_t parts) {
    if (++n->made > MAX_FORMULAS) return NULL;
    formula *f = arena_alloc(n->t, sizeof *f);
    if (like) *f = *like;
    f->kind = kind;
    f->parts = parts;
    f->part = parts ? arena_alloc(n->t, parts * sizeof *f->part) : NULL;
    return f;
}

static bool set_part(normalizer *n, formula *f, uint32_t i, const formula *from, bool negate) {
    return f && (f->part[i] = (formula *)push(n, from, negate));
}

static const formula *row(normalizer *n, const formula *f, formula_kind kind, bool negate_first, bool negate) {
    formula *made = make(n, NULL, kind, f->parts);
    for (uint32_t i = 0; i < f->parts; i++)
        if (!set_part(n, made, i, f->part[i], i == 0 ? negate_first : negate)) return NULL;
    return made;
}

/* x <-> y as (x & y) | (!x & !y), and x ^ y as x <-> !y: equal: the parts have the same truth. */
static const formula *equivalence(normalizer *n, const formula *f, bool equal) {
    assert(f->parts == 2);
    formula *made = make(n, NULL, FORMULA_OR, 2);
    if (!made) return NULL;
    for (unsigned i = 0; i < 2; i++)
        if (!(made->part[i] = (formula *)row(n, f, FORMULA_AND, i == 1, (i == 1) == equal))) return NULL;
    return made;
}

static const formula *quantified(normalizer *n, const formula *f, formula_kind kind, bool negate) {
    formula *made = make(n, f, kind, 1);
    if (!set_part(n, made, 0, f->part[0], negate)) return NULL;
    made->guard = arena_alloc(n->t, f->bound * sizeof *made->guard);
    return made;
}

static const formula *atom(normalizer *n, const formula *f, bool negate) {
    if (!negate) return f;
    formula *made = make(n, NULL, FORMULA_NOT, 1);
    if (made) made->part[0] = (formula *)f;
    return made;
}

static const formula *push(normalizer *n, const formula *f, bool negate) {
    switch (f->kind) {
    case FORMULA_TRUE: return make(n, NULL, negate ? FORMULA_FALSE : FORMULA_TRUE, 0);
    case FORMULA_FALSE: return make(n, NULL, negate ? FORMULA_TRUE : FORMULA_FALSE, 0);
    case FORMULA_NOT: return push(n, f->part[0], !negate);
    case FORMULA_AND: return row(n, f, negate ? FORMULA_OR : FORMULA_AND, negate, negate);
    case FORMULA_OR: return row(n, f, negate ? FORMULA_AND : FORMULA_OR, negate, negate);
    case FORMULA_IMPLIES: return row(n, f, negate ? FORMULA_AND : FORMULA_OR, !negate, negate);
    case FORMULA_IFF: return equivalence(n, f, !negate);
    case FORMULA_XOR: return equivalence(n, f, negate);
    case FORMULA_FORALL: return quantified(n, f, negate ? FORMULA_EXISTS : FORMULA_FORALL, negate);
    case FORMULA_EXISTS: return quantified(n, f, negate ? FORMULA_FORALL : FORMULA_EXISTS, negate);
    default: return atom(n, f, negate);
    }
}

const formula *formula_normal(theory *t, const formula *f) {
    normalizer n = {.t = t};
    return push(&n, f, false);
}

/* ---- guards: what is left of a formula when all that is known is the method of one variable's operation ---- */

typedef enum truth { IS_FALSE, IS_OPEN, IS_TRUE } truth;

typedef struct truth_folding {
    const theory *t;
    uint8_t slot;   /* the operation in this slot ... */
    uint8_t method; /* ... has this method */
} truth_folding;

static truth fold(const truth_folding *k, const formula *f);

static truth fold_equal(const truth_folding *k, const formula *f) {
    term a = f->left, b = f->right;
    if (a.kind == TERM_METHOD) {
        a = f->right;
        b = f->left;
    }
    if (a.kind != TERM_METH || b.kind != TERM_METHOD || a.slot != k->slot) return IS_OPEN;
    return b.index == k->method ? IS_TRUE : IS_FALSE;
}

/* match(x, y) is false where the label condition is. */
static truth fold_match(const truth_folding *k, const formula *f) {
    if (!k->t->match) return IS_FALSE;
    for (unsigned side = 0; side < 2; side++) {
        truth_folding inner = {.t = k->t, .slot = side ? MATCH_Y : MATCH_X, .method = k->method};
        if ((side ? f->y : f->x) == k->slot && fold(&inner, k->t->match_normal) == IS_FALSE) return IS_FALSE;
    }
    return IS_OPEN;
}

static truth fold_row(const truth_folding *k, const formula *f, truth ends, truth otherwise) {
    for (uint32_t i = 0; i < f->parts; i++) {
        truth one = fold(k, f->part[i]);
        if (one == ends) return ends;
        if (one == IS_OPEN) otherwise = IS_OPEN;
    }
    return otherwise;
}

static truth fold(const truth_folding *k, const formula *f) {
    switch (f->kind) {
    case FORMULA_TRUE: return IS_TRUE;
    case FORMULA_FALSE: return IS_FALSE;
    case FORMULA_EQUAL: return fold_equal(k, f);
    case FORMULA_MATCH: return fold_match(k, f);
    case FORMULA_NOT: return (truth)(IS_TRUE - fold(k, f->part[0]));
    case FORMULA_AND: return fold_row(k, f, IS_FALSE, IS_TRUE);
    case FORMULA_OR: return fold_row(k, f, IS_TRUE, IS_FALSE);
    case FORMULA_IMPLIES: {
        truth left = (truth)(IS_TRUE - fold(k, f->part[0])), right = fold(k, f->part[1]);
        return left > right ? left : right;
    }
    case FORMULA_FORALL: { /* true of no operations at all */
        truth body = fold(k, f->part[0]);
        return body == IS_FALSE ? IS_OPEN : body;
    }
    case FORMULA_EXISTS: {
        truth body = fold(k, f->part[0]);
        return body == IS_TRUE ? IS_OPEN : body;
    }
    default: return IS_OPEN;
    }
}

bool formula_is_decided(const theory *t, const formula *f, uint8_t slot, unsigned has) {
    truth_folding k = {.t = t, .slot = slot, .method = (uint8_t)has};
    return fold(&k, f) != IS_OPEN;
}

bool formula_is_false(const theory *t, const formula *f, uint8_t slot, unsigned has) {
    truth_folding k = {.t = t, .slot = slot, .method = (uint8_t)has};
    return fold(&k, f) == IS_FALSE;
}

/* ---- needed atoms: match atoms that, being false, make the formula `value` ---- */

typedef struct needed_atoms {
    const formula *at[8];
    uint32_t n;
} needed_atoms;

static void collect_needed(const formula *f, bool value_of, needed_atoms *out) {
    switch (f->kind) {
    case FORMULA_MATCH:
        if (!value_of && f->x != f->y && out->n < sizeof out->at / sizeof *out->at) out->at[out->n++] = f;
        break;
    case FORMULA_NOT: collect_needed(f->part[0], !value_of, out); break;
    case FORMULA_AND:
    case FORMULA_OR:
        if (value_of != (f->kind == FORMULA_OR)) break;
        for (uint32_t i = 0; i < f->parts; i++) collect_needed(f->part[i], value_of, out);
        break;
    case FORMULA_IMPLIES:
        if (!value_of) break;
        collect_needed(f->part[0], false, out);
        collect_needed(f->part[1], true, out);
        break;
    default: break;
    }
}

static void set_needed(theory *t, formula *f) {
    needed_atoms found = {0};
    collect_needed(f->part[0], f->kind == FORMULA_FORALL, &found);
    f->needs = found.n;
    f->needed = arena_alloc(t, found.n * sizeof *f->needed);
    memcpy(f->needed, found.at, found.n * sizeof *f->needed);
}

static void set_guards(theory *t, formula *f) {
    for (uint32_t i = 0; i < f->parts; i++) set_guards(t, f->part[i]);
    if (f->kind != FORMULA_FORALL && f->kind != FORMULA_EXISTS) return;
    set_needed(t, f);
    truth idle = f->kind == FORMULA_FORALL ? IS_TRUE : IS_FALSE;
    for (unsigned v = 0; v < f->bound; v++) {
        f->guard[v] = 0;
        for (unsigned m = 0; m < t->methods; m++) {
            truth_folding k = {.t = t, .slot = (uint8_t)(f->first + v), .method = (uint8_t)m};
            if (fold(&k, f->part[0]) != idle) f->guard[v] |= 1u << m;
        }
    }
}

void theory_set_guards(theory *t) {
    for (unsigned i = 0; i < t->axioms; i++) {
        set_guards(t, (formula *)t->axiom[i].as_written);
        set_guards(t, (formula *)t->axiom[i].normal);
    }
    if (!t->match) return;
    set_guards(t, (formula *)t->match);
    set_guards(t, (formula *)t->match_normal);
    for (unsigned m = 0; m < t->methods; m++)
        for (unsigned side = 0; side < 2; side++) {
            truth_folding k = {.t = t, .slot = side ? MATCH_Y : MATCH_X, .method = (uint8_t)m};
            if (fold(&k, t->match_normal) != IS_FALSE) t->match_guard[side] |= 1u << m;
        }
}

/* ---- axioms that something later may still make true ---- */

static bool is_bound_by(const formula *quantifier, uint8_t slot) {
    return slot >= quantifier->first && slot < quantifier->first + quantifier->bound;
}

/* Does the body say that the operation in `slot` comes before one that the quantifier does not bind? */
static bool comes_before_outer(const formula *quantifier, const formula *body, uint8_t slot) {
    if (body->kind == FORMULA_BEFORE) return body->x == slot && !is_bound_by(quantifier, body->y);
    for (uint32_t i = 0; i < body->parts && body->kind == FORMULA_AND; i++)
        if (comes_before_outer(quantifier, body->part[i], slot)) return true;
    return false;
}

/* What is counted must come before an operation that is there; what quantifiers inside do is not looked at. */
static bool counts_later(const formula *f) {
    for (uint32_t i = 0; i < f->summands; i++) {
        const summand *s = &f->summand[i];
        const formula binds = {.first = s->slot, .bound = 1};
        if (s->kind != SUMMAND_TERM && !comes_before_outer(&binds, f->part[s->part], s->slot)) return true;
    }
    return false;
}

static bool has_quantifier(const formula *f) {
    bool any = f->kind == FORMULA_FORALL || f->kind == FORMULA_EXISTS;
    for (uint32_t i = 0; i < f->parts && !any; i++) any = has_quantifier(f->part[i]);
    return any;
}

static bool asks_for_later(const formula *f) {
    if (f->kind == FORMULA_TALLY) return counts_later(f) || has_quantifier(f);
    for (unsigned v = 0; v < f->bound && f->kind == FORMULA_EXISTS; v++)
        if (!comes_before_outer(f, f->part[0], (uint8_t)(f->first + v))) return true;
    for (uint32_t i = 0; i < f->parts; i++)
        if (asks_for_later(f->part[i])) return true;
    return false;
}

const axiom *theory_open_ended(const theory *t) {
    for (unsigned i = 0; i < t->axioms; i++)
        if (asks_for_later(t->axiom[i].normal)) return &t->axiom[i];
    return NULL;
}
