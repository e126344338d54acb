/* Mistakes of theories that read well: a label that the operation does not have, and axioms that refuse everything. */
#include "theory/evaluate.h"
#include "theory/parser.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- labels: arg2(x) where x is an operation with one argument ---- */

/* Marks each comparison that speaks of the operation in `slot` and can make a difference when it has method `has`. */
static void mark(const theory *t, formula *f, uint8_t slot, unsigned has) {
    if (formula_is_decided(t, f, slot, has)) return;
    if (f->kind == FORMULA_EQUAL || f->kind == FORMULA_LESS) {
        const term side[2] = {f->left, f->right};
        for (unsigned i = 0; i < 2; i++)
            if ((side[i].kind == TERM_ARG || side[i].kind == TERM_RET) && side[i].slot == slot)
                f->where[i] |= UINT32_C(1) << has;
    }
    for (uint32_t i = 0; i < f->summands; i++)
        if ((f->summand[i].term.kind == TERM_ARG || f->summand[i].term.kind == TERM_RET) &&
            f->summand[i].kind == SUMMAND_TERM && f->summand[i].term.slot == slot)
            f->summand[i].where |= UINT32_C(1) << has;
    for (uint32_t i = 0; i < f->parts; i++) mark(t, f->part[i], slot, has);
}

/* What is counted: the methods of which the body can be true. */
static void mark_counted(const theory *t, formula *f) {
    for (uint32_t i = 0; i < f->summands; i++) {
        summand *s = &f->summand[i];
        if (s->kind == SUMMAND_TERM) continue;
        for (unsigned m = 0; m < t->methods; m++) {
            mark(t, f->part[s->part], s->slot, m);
            if (s->kind == SUMMAND_TOTAL && s->term.slot == s->slot &&
                !formula_is_false(t, f->part[s->part], s->slot, m))
                s->where |= UINT32_C(1) << m;
        }
    }
}

static void mark_slot(const theory *t, formula *f, uint8_t slot) {
    for (unsigned m = 0; m < t->methods; m++) mark(t, f, slot, m);
}

static void mark_bound(const theory *t, formula *f) {
    if (f->kind == FORMULA_FORALL || f->kind == FORMULA_EXISTS)
        for (unsigned v = 0; v < f->bound; v++) mark_slot(t, f->part[0], (uint8_t)(f->first + v));
    mark_counted(t, f);
    for (uint32_t i = 0; i < f->parts; i++) mark_bound(t, f->part[i]);
}

static bool has_label(const method *m, term x) {
    return x.kind == TERM_RET ? m->result != RESULT_VOID : x.index < m->max_args;
}

/* What is missing is none: asking whether it is missing is no mistake. */
static bool is_none(const theory *t, term x) {
    return x.kind == TERM_CONSTANT && t->constant[x.index].kind == CONSTANT_VALUE &&
           t->constant[x.index].special == VALUE_NONE;
}

/* The method, among those that the formula singles out, that has no such label; -1: none. An operation that may be of
 * any method is taken for one that has it, as long as there is one. */
static int method_without(const theory *t, term x, uint32_t where) {
    uint32_t every = t->methods == 32 ? UINT32_MAX : (UINT32_C(1) << t->methods) - 1;
    int without = -1;
    bool with = false;
    for (unsigned m = 0; m < t->methods; m++) {
        if (!(where >> m & 1)) continue;
        if (has_label(&t->method[m], x)) with = true;
        else without = (int)m;
    }
    return with && where == every ? -1 : without;
}

static bool complain_of(const theory *t, const formula *f, term x, unsigned m, const char *file, error *e) {
    const method *own = &t->method[m];
    if (x.kind == TERM_RET)
        return error_set(e, EXIT_BAD_INPUT,
                         "%s:%u:%u: the result of %s, which has none; expected 'method %s(...) -> KIND', or another "
                         "method",
                         file, f->line, f->column, own->name, own->name);
    return error_set(e, EXIT_BAD_INPUT, "%s:%u:%u: argument %u of %s, which has %u; expected %s", file, f->line,
                     f->column, x.index + 1u, own->name, own->max_args,
                     own->max_args ? "one that it has" : "a method with arguments");
}

static bool labels_exist(const theory *t, const formula *f, const char *file, error *e) {
    if (f->kind == FORMULA_EQUAL || f->kind == FORMULA_LESS) {
        const term side[2] = {f->left, f->right};
        for (unsigned i = 0; i < 2; i++) {
            int m = f->where[i] && !is_none(t, side[!i]) ? method_without(t, side[i], f->where[i]) : -1;
            if (m >= 0) return complain_of(t, f, side[i], (unsigned)m, file, e);
        }
    }
    for (uint32_t i = 0; i < f->summands; i++) {
        const summand *s = &f->summand[i];
        const bool label = s->kind != SUMMAND_COUNT && (s->term.kind == TERM_ARG || s->term.kind == TERM_RET);
        int m = label && s->where ? method_without(t, s->term, s->where) : -1;
        if (m >= 0) return complain_of(t, f, s->term, (unsigned)m, file, e);
    }
    for (uint32_t i = 0; i < f->parts; i++)
        if (!labels_exist(t, f->part[i], file, e)) return false;
    return true;
}

static bool check_labels(theory *t, error *e) {
    for (unsigned i = 0; i < t->axioms; i++) {
        mark_bound(t, (formula *)t->axiom[i].as_written);
        if (!labels_exist(t, t->axiom[i].as_written, t->axiom[i].file, e)) return false;
    }
    if (!t->match) return true;
    mark_slot(t, (formula *)t->match, MATCH_X);
    mark_slot(t, (formula *)t->match, MATCH_Y);
    return labels_exist(t, t->match, t->match_file, e);
}

/* ---- axioms that no history satisfies ---- */

/* One operation of each method, of which nothing else is known, and whatever may follow it. Where that is refused for
 * every method no history begins, and the axioms are satisfied by the empty one at most. The other direction is not
 * decided: axioms may contradict each other in ways that this does not see. */
static bool any_may_begin(const theory_binding *b) {
    for (unsigned m = 0; m < b->t->methods; m++) {
        operation op = {.method = (uint8_t)m,
                        .nargs = b->t->method[m].max_args,
                        .ret = 1,
                        .res = VALUE_UNKNOWN,
                        .key = VALUE_NONE,
                        .arg = {VALUE_UNKNOWN, VALUE_UNKNOWN, VALUE_UNKNOWN}};
        if (theory_may_occur(b, &op, theory_is_total(b->t))) return true;
    }
    return false;
}

static bool check_satisfiable(const theory *t, const char *file, error *e) {
    const object_type type = {.name = t->name, .methods = t->method, .method_count = t->methods};
    object o = {.type = &type, .init = VALUE_UNKNOWN};
    theory_binding b;
    values *v = values_new();
    object_use_values(&o, v);
    theory_bind(t, &o, &b);
    bool good = t->methods == 0 || any_may_begin(&b);
    values_free(v);
    return good || error_set(e, EXIT_BAD_INPUT,
                             "%s: the axioms of %s are unsatisfiable: whatever its method, no operation can be the "
                             "first; expected axioms that some history satisfies",
                             file, t->name);
}

bool theory_makes_sense(theory *t, const char *file, error *e) {
    return check_labels(t, e) && check_satisfiable(t, file, e);
}
