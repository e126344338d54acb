/* Sums of integers, counts and totals. What may still come, or is not known, makes a sum a range: a comparison is true
 * or false when it is so of the whole range. */
#include "theory/evaluation.h"

#include <assert.h>

typedef struct range {
    int64_t low, high;
    bool no_low, no_high; /* without bound */
    bool no_number;       /* something is certainly no integer */
} range;

static int64_t add(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static void unbound(range *r) { r->no_low = r->no_high = true; }

/* All of low..high is added. */
static void widen(range *r, int64_t low, int64_t high) {
    r->low = add(r->low, low);
    r->high = add(r->high, high);
}

typedef enum integer_kind { INTEGER, INTEGER_UNKNOWN, NO_INTEGER } integer_kind;

static integer_kind integer_of(const evaluation *v, term t, int64_t *out) {
    uint32_t is;
    if (!term_value(v, t, &is)) return INTEGER_UNKNOWN;
    if (is == VALUE_NONE && t.kind == TERM_CONSTANT && v->b->t->constant[t.index].kind == CONSTANT_INIT) {
        *out = 0; /* no initial value was given */
        return INTEGER;
    }
    if (value_kind_of(v->b->o->values, is) != KIND_INT) return NO_INTEGER;
    *out = value_as_int(v->b->o->values, is);
    return INTEGER;
}

static void add_term(const evaluation *v, const summand *s, range *r) {
    int64_t i = 0;
    switch (integer_of(v, s->term, &i)) {
    case INTEGER: widen(r, i, i); break;
    case INTEGER_UNKNOWN: unbound(r); break;
    default: r->no_number = true;
    }
}

/* One operation that is counted, or may be. */
static void add_operation(const evaluation *v, const summand *s, truth is, range *r) {
    int64_t i = 1;
    integer_kind kind = s->kind == SUMMAND_COUNT ? INTEGER : integer_of(v, s->term, &i);
    if (kind == NO_INTEGER && is == IS_TRUE) r->no_number = true;
    else if (kind != INTEGER) unbound(r);
    else widen(r, is == IS_TRUE || i < 0 ? i : 0, is == IS_TRUE || i > 0 ? i : 0);
}

/* Any number of operations may follow; a count never gets less by them. */
static void add_future(const summand *s, range *r) {
    r->no_high = true;
    r->no_low |= s->kind == SUMMAND_TOTAL;
}

static range summand_range(evaluation *v, const formula *f, const summand *s) {
    range r = {0};
    if (s->kind == SUMMAND_TERM) add_term(v, s, &r);
    for (uint32_t i = 0; i < v->n + v->future && s->kind != SUMMAND_TERM; i++) {
        v->env[s->slot] = i;
        truth is = evaluate_part(v, f->part[s->part]);
        if (is == IS_FALSE) continue;
        if (i == v->n) add_future(s, &r);
        else add_operation(v, s, is, &r);
    }
    return r;
}

static void accumulate(range *all, range r, bool minus) {
    if (minus)
        r = (range){.low = -r.high, .high = -r.low, .no_low = r.no_high, .no_high = r.no_low, .no_number = r.no_number};
    widen(all, r.low, r.high);
    all->no_low |= r.no_low;
    all->no_high |= r.no_high;
    all->no_number |= r.no_number;
}

/* The one result that is not known yet would have to be what makes the sum zero, or just less. */
static void note_wanted(const evaluation *v, const formula *f, range others, bool minus) {
    wanted_results *w = v->wanted;
    if (others.no_low || others.no_high || others.no_number) return;
    const int64_t aim = f->below ? -1 : 0;
    for (int64_t i = others.low; i <= others.high && w->n < WANTED_MOST; i++) {
        w->at[w->n++] = minus ? add(i, -aim) : add(aim, -i);
        if (i == INT64_MAX) break;
    }
}

static bool is_unknown_result(const evaluation *v, const summand *s) {
    uint32_t is;
    return s->kind == SUMMAND_TERM && s->term.kind == TERM_RET && v->env[s->term.slot] < v->n &&
           !term_value(v, s->term, &is);
}

static truth compare(const formula *f, const range *r) {
    if (r->no_number) return IS_FALSE;
    if (f->below) {
        if (!r->no_high && r->high < 0) return IS_TRUE;
        return !r->no_low && r->low >= 0 ? IS_FALSE : IS_OPEN;
    }
    if ((!r->no_low && r->low > 0) || (!r->no_high && r->high < 0)) return IS_FALSE;
    return !r->no_low && !r->no_high && r->low == r->high ? IS_TRUE : IS_OPEN;
}

truth evaluate_tally(evaluation *v, const formula *f) {
    range all = {0};
    const summand *unknown = NULL;
    unsigned unknowns = 0;
    assert(f->kind == FORMULA_TALLY && f->summands > 1);
    for (uint32_t i = 0; i < f->summands; i++) {
        const summand *s = &f->summand[i];
        if (is_unknown_result(v, s)) {
            unknown = s;
            unknowns++;
        } else {
            accumulate(&all, summand_range(v, f, s), s->minus);
        }
    }
    if (unknowns == 1 && v->wanted) note_wanted(v, f, all, unknown->minus);
    if (unknowns) unbound(&all);
    return compare(f, &all);
}
