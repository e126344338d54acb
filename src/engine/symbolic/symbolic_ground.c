/* Any theory: every axiom, for the operations that can make a difference. Quantifiers range over the operations that took
 * effect; what a pending operation returned is one of a list of values; match is a variable wherever its label
 * condition does not say no. Formulas are in normal form, so definitions in one direction are enough. Constants fold
 * before quantifiers are gone through any deeper.
 *
 * Axioms about few operations come first: what they say of single pairs ("this remove has only one add") is constant for
 * those that follow, and most of their instances fold away. Where the body of a quantifier needs match(x,y) and one of
 * the two is known, the other is one of those that may match it. */
#include "base/mem.h"
#include "engine/symbolic/symbolic.h"

#include <stdlib.h>
#include <string.h>

typedef struct possible { /* what a term may be */
    uint32_t is;
    literal when;
} possible;

typedef struct grounding {
    encoding *e;
    theory_binding b;
    operation *op;
    uint32_t n;
    bool total;
    literal *before, *match; /* n * n; before only where b is not total */
    uint32_t *partner[2];    /* that may match, by position of x and of y: partner[side][start[side][i] ...) */
    size_t *start[2];
    signed char *fixed;   /* by variable: 1 true, -1 false, 0 not known; where single literals are said of all groups */
    literal *half;        /* by variable 2 * v and 2 * v + 1: it implies both; 0: none */
    int known;            /* room of both */
    size_t *result_start; /* by position: result[start .. next start) */
    possible *result;
    uint32_t env[THEORY_SLOTS];
    uint32_t set; /* slots that have an operation */
    literal *stack;
    uint32_t height, room;
    uint32_t owner[THEORY_SLOTS]; /* operations of the outer universal quantifiers */
    unsigned owners;
    unsigned ticks;
    bool stopped;
} grounding;

static literal ground(grounding *g, const formula *f);

/* ---- atoms ---- */

/* The constant that it is known to be, or itself. */
static literal folded(const grounding *g, literal l) {
    int variable = l < 0 ? -l : l;
    if (variable == LIT_TRUE || variable >= g->known || !g->fixed[variable]) return l;
    return (g->fixed[variable] > 0) == (l > 0) ? LIT_TRUE : LIT_FALSE;
}

static literal ground_before(const grounding *g, uint32_t x, uint32_t y) {
    if (x == y) return LIT_FALSE;
    return folded(g, g->total ? before(&g->e->order, x, y) : g->before[(size_t)x * g->n + y]);
}

static literal ground_match(const grounding *g, uint32_t x, uint32_t y) {
    return g->match ? folded(g, g->match[(size_t)x * g->n + y]) : LIT_FALSE;
}

static void make_known(grounding *g, int variable) {
    if (variable < g->known) return;
    int room = 2 * variable + 64;
    g->fixed = MEM_GROW(g->fixed, signed char, (size_t)room);
    g->half = MEM_GROW(g->half, literal, 2 * (size_t)room);
    memset(g->fixed + g->known, 0, (size_t)(room - g->known) * sizeof *g->fixed);
    memset(g->half + 2 * (size_t)g->known, 0, 2 * (size_t)(room - g->known) * sizeof *g->half);
    g->known = room;
}

/* The literal was said alone: it is constant from here on, and so is what it implies by its definition. */
static void fix(grounding *g, literal l) {
    if (l == LIT_TRUE || l == LIT_FALSE) return;
    int variable = l < 0 ? -l : l;
    make_known(g, variable);
    if (g->fixed[variable]) return;
    g->fixed[variable] = l > 0 ? 1 : -1;
    for (unsigned i = 0; i < 2 && l > 0; i++)
        if (g->half[2 * (size_t)variable + i]) fix(g, g->half[2 * (size_t)variable + i]);
}

static literal both(grounding *g, literal a, literal b) {
    literal l = cnf_both(&g->e->cnf, a, b);
    if (l == a || l == b || l == LIT_FALSE || g->e->cnf.group) return l;
    make_known(g, l);
    g->half[2 * (size_t)l] = a;
    g->half[2 * (size_t)l + 1] = b;
    return l;
}

static const possible *possible_of(const grounding *g, term t, possible *one, size_t *count) {
    *count = 1;
    *one = (possible){0, LIT_TRUE};
    const operation *op = &g->op[g->env[t.slot]];
    switch (t.kind) {
    case TERM_METHOD: one->is = t.index; return one;
    case TERM_CONSTANT: one->is = g->b.constant[t.index]; return one;
    case TERM_METH: one->is = g->b.method[op->method]; return one;
    case TERM_ARG: one->is = op->arg[t.index]; return one;
    case TERM_CLIENT: one->is = op->client; return one;
    default: break;
    }
    const size_t *start = &g->result_start[g->env[t.slot]];
    *count = start[1] - start[0];
    return g->result + start[0];
}

static bool related(const grounding *g, const formula *f, uint32_t left, uint32_t right) {
    return f->kind == FORMULA_EQUAL ? left == right : theory_less(g->b.o->values, left, right);
}

static void push(grounding *g, literal l) {
    if (g->height == g->room) g->stack = MEM_GROW(g->stack, literal, g->room = g->room ? 2 * g->room : 256);
    g->stack[g->height++] = l;
}

/* One of those above `base`, which leave the stack. */
static literal any_above(grounding *g, uint32_t base) {
    cnf *c = &g->e->cnf;
    uint32_t count = 0;
    literal result = LIT_FALSE;
    for (uint32_t i = base; i < g->height && result != LIT_TRUE; i++) {
        if (g->stack[i] == LIT_FALSE) continue;
        result = g->stack[i];
        count++;
    }
    if (result != LIT_TRUE && count > 1) {
        result = cnf_variable(c);
        cnf_begin(c);
        cnf_literal(c, -result);
        for (uint32_t i = base; i < g->height; i++) cnf_literal(c, g->stack[i]);
        cnf_end(c);
    }
    g->height = base;
    return result;
}

static literal all_above(grounding *g, uint32_t base) {
    literal result = LIT_TRUE;
    for (uint32_t i = base; i < g->height; i++) result = both(g, result, g->stack[i]);
    g->height = base;
    return result;
}

static literal ground_terms(grounding *g, const formula *f, bool holds) {
    possible left_one, right_one;
    size_t lefts, rights;
    const possible *left = possible_of(g, f->left, &left_one, &lefts),
                   *right = possible_of(g, f->right, &right_one, &rights);
    uint32_t base = g->height;
    for (size_t i = 0; i < lefts; i++)
        for (size_t k = 0; k < rights; k++)
            if (related(g, f, left[i].is, right[k].is) == holds) push(g, both(g, left[i].when, right[k].when));
    return any_above(g, base);
}

static bool assigned(const grounding *g, uint8_t slot) { return g->set >> slot & 1; }

/* ---- what is certain before all slots have operations: LIT_TRUE, LIT_FALSE, or 0 ---- */

static bool term_certain(const grounding *g, term t, uint32_t *is) {
    possible one;
    size_t count;
    bool constant = t.kind == TERM_METHOD || t.kind == TERM_CONSTANT;
    if (!constant && !assigned(g, t.slot)) return false;
    if (t.kind == TERM_RET && is_pending(g->e, g->env[t.slot])) return false;
    *is = possible_of(g, t, &one, &count)->is;
    return true;
}

static literal certain(literal l) { return l == LIT_TRUE || l == LIT_FALSE ? l : 0; }

static literal peek_atom(const grounding *g, const formula *f) {
    uint32_t left, right;
    if (f->kind == FORMULA_EQUAL || f->kind == FORMULA_LESS) {
        if (!term_certain(g, f->left, &left) || !term_certain(g, f->right, &right)) return 0;
        return related(g, f, left, right) ? LIT_TRUE : LIT_FALSE;
    }
    if (!assigned(g, f->x) || !assigned(g, f->y)) return 0;
    uint32_t x = g->env[f->x], y = g->env[f->y];
    if (f->kind == FORMULA_SAME) return x == y ? LIT_TRUE : LIT_FALSE;
    return certain(f->kind == FORMULA_BEFORE ? ground_before(g, x, y) : ground_match(g, x, y));
}

static literal peek(const grounding *g, const formula *f) {
    literal ends = f->kind == FORMULA_AND ? LIT_FALSE : LIT_TRUE, all = -ends;
    switch (f->kind) {
    case FORMULA_TRUE: return LIT_TRUE;
    case FORMULA_FALSE: return LIT_FALSE;
    case FORMULA_NOT: return -peek(g, f->part[0]);
    case FORMULA_AND:
    case FORMULA_OR: break;
    case FORMULA_FORALL:
    case FORMULA_EXISTS: return 0;
    default: return peek_atom(g, f);
    }
    for (uint32_t i = 0; i < f->parts; i++) {
        literal one = peek(g, f->part[i]);
        if (one == ends) return ends;
        if (!one) all = 0;
    }
    return all;
}

/* ---- formulas ---- */

typedef struct slot_choices {
    unsigned bound;     /* which slot of the quantifier */
    const uint32_t *at; /* NULL: all operations */
    uint32_t n;
} slot_choices;

static bool choices_by_match(const grounding *g, const formula *f, uint8_t slot, slot_choices *c) {
    for (uint32_t i = 0; i < f->needs && g->match; i++) {
        const formula *m = f->needed[i];
        unsigned known_side = m->x == slot; /* 1: y is the one that is known */
        if (!known_side && m->y != slot) continue;
        uint8_t other = known_side ? m->y : m->x;
        if (!assigned(g, other)) continue;
        const size_t *start = &g->start[known_side][g->env[other]];
        c->at = g->partner[known_side] + start[0];
        c->n = (uint32_t)(start[1] - start[0]);
        return true;
    }
    return false;
}

/* The slot of `todo` to be gone through next: one with few choices where there is one. */
static slot_choices next_slot(const grounding *g, const formula *f, uint32_t todo) {
    slot_choices c = {0};
    for (unsigned k = 0; k < f->bound; k++) {
        c.bound = k;
        if (todo >> k & 1 && choices_by_match(g, f, (uint8_t)(f->first + k), &c)) return c;
    }
    unsigned first = 0;
    while (!(todo >> first & 1)) first++;
    return (slot_choices){.bound = first, .n = g->n};
}

/* The next operation for the slot, from choice *k on; false: no more. Operations of which the body is certainly true
 * (forall) or false (exists) are passed over. */
static bool next_operation(grounding *g, const formula *f, const slot_choices *c, uint32_t *k, uint32_t *i) {
    uint8_t slot = (uint8_t)(f->first + c->bound);
    literal pointless = f->kind == FORMULA_FORALL ? LIT_TRUE : LIT_FALSE;
    g->stopped |= !encoding_goes_on(g->e, &g->ticks);
    for (; *k < c->n && !g->stopped; (*k)++) {
        *i = c->at ? c->at[*k] : *k;
        if (!(f->guard[c->bound] >> g->b.method[g->op[*i].method] & 1)) continue;
        g->env[slot] = *i;
        g->set |= 1u << slot;
        if (peek(g, f->part[0]) != pointless) return true;
    }
    g->set &= ~(1u << slot);
    return false;
}

static uint32_t all_slots(const formula *f) { return f->bound == 32 ? UINT32_MAX : (UINT32_C(1) << f->bound) - 1; }

/* Pushes the body of every choice of operations, with the condition that they took effect. */
static void ground_choices(grounding *g, const formula *f, uint32_t todo, literal used) {
    if (!todo) {
        literal body = ground(g, f->part[0]);
        if (f->kind == FORMULA_EXISTS) {
            push(g, both(g, used, body));
        } else if (used == LIT_TRUE) {
            push(g, body);
        } else {
            uint32_t base = g->height;
            push(g, -used);
            push(g, body);
            push(g, any_above(g, base));
        }
        return;
    }
    slot_choices c = next_slot(g, f, todo);
    uint32_t rest = todo & ~(UINT32_C(1) << c.bound);
    for (uint32_t k = 0, i; next_operation(g, f, &c, &k, &i); k++) {
        literal took_effect = g->e->used[i];
        if (f->kind == FORMULA_FORALL && took_effect != LIT_TRUE && used != LIT_TRUE) {
            literal all = cnf_variable(&g->e->cnf); /* occurs negatively, so it must follow from both */
            cnf_clause(&g->e->cnf, all, -took_effect, -used);
            ground_choices(g, f, rest, all);
        } else {
            ground_choices(g, f, rest, both(g, used, took_effect));
        }
    }
}

static literal ground_negated(grounding *g, const formula *f) {
    if (f->kind == FORMULA_EQUAL || f->kind == FORMULA_LESS) return ground_terms(g, f, false);
    return -ground(g, f);
}

static literal ground(grounding *g, const formula *f) {
    uint32_t base = g->height;
    switch (f->kind) {
    case FORMULA_TRUE: return LIT_TRUE;
    case FORMULA_FALSE: return LIT_FALSE;
    case FORMULA_BEFORE: return ground_before(g, g->env[f->x], g->env[f->y]);
    case FORMULA_MATCH: return ground_match(g, g->env[f->x], g->env[f->y]);
    case FORMULA_SAME: return g->env[f->x] == g->env[f->y] ? LIT_TRUE : LIT_FALSE;
    case FORMULA_EQUAL:
    case FORMULA_LESS: return ground_terms(g, f, true);
    case FORMULA_NOT: return ground_negated(g, f->part[0]);
    case FORMULA_FORALL: ground_choices(g, f, all_slots(f), LIT_TRUE); return all_above(g, base);
    case FORMULA_EXISTS: ground_choices(g, f, all_slots(f), LIT_TRUE); return any_above(g, base);
    default: break;
    }
    literal ends = peek(g, f);
    if (ends) return ends;
    for (uint32_t i = 0; i < f->parts; i++) push(g, ground(g, f->part[i]));
    return f->kind == FORMULA_AND ? all_above(g, base) : any_above(g, base);
}

/* ---- axioms as clauses ---- */

static void emit_clause(grounding *g, const formula *f) {
    cnf *c = &g->e->cnf;
    uint32_t base = g->height;
    if (peek(g, f) == LIT_TRUE) return;
    if (f->kind == FORMULA_OR)
        for (uint32_t i = 0; i < f->parts; i++) push(g, ground(g, f->part[i]));
    else push(g, ground(g, f));
    cnf_begin(c);
    for (unsigned i = 0; i < g->owners; i++) {
        cnf_owner(c, g->owner[i]);
        cnf_literal(c, -g->e->used[g->owner[i]]);
    }
    for (uint32_t i = base; i < g->height; i++) cnf_literal(c, g->stack[i]);
    cnf_end(c);
    if (c->size == 1 && !c->holds && !c->group) fix(g, c->part[0]);
    g->height = base;
}

static void emit(grounding *g, const formula *f);

static void emit_choices(grounding *g, const formula *f, uint32_t todo) {
    if (!todo) {
        emit(g, f->part[0]);
        return;
    }
    slot_choices c = next_slot(g, f, todo);
    for (uint32_t k = 0, i; next_operation(g, f, &c, &k, &i); k++) {
        g->owner[g->owners++] = i;
        emit_choices(g, f, todo & ~(UINT32_C(1) << c.bound));
        g->owners--;
    }
}

static void emit(grounding *g, const formula *f) {
    if (f->kind == FORMULA_FORALL) emit_choices(g, f, all_slots(f));
    else if (f->kind == FORMULA_AND)
        for (uint32_t i = 0; i < f->parts; i++) emit(g, f->part[i]);
    else emit_clause(g, f);
}

/* Where b is total the order's own clauses say these. */
static bool about_order(const grounding *g, const axiom *a) { return g->total && a->of_order; }

/* ---- variables ---- */

static bool fits_kind(const grounding *g, result_kind kind, value v) {
    switch (kind) {
    case RESULT_VOID: return v == VALUE_NONE;
    case RESULT_BOOL:
    case RESULT_MAYBE_BOOL: return v == VALUE_TRUE || v == VALUE_FALSE;
    case RESULT_INT:
    case RESULT_MAYBE_INT: return value_kind_of(g->b.o->values, v) == KIND_INT;
    default: return v != VALUE_UNKNOWN;
    }
}

static int by_handle(const void *a, const void *b) {
    value x = *(const value *)a, y = *(const value *)b;
    return x < y ? -1 : x > y;
}

/* All values that occur, those of the theory, and one that does not occur. Ascending. */
static value *all_values(const grounding *g, uint32_t *count) {
    static const value always[] = {VALUE_NONE, VALUE_EMPTY, VALUE_TRUE, VALUE_FALSE};
    const int64_t nowhere = INT64_C(0x51ab17e0c0ffee);
    value *v = MEM_ARRAY(value, (size_t)g->n * (HISTORY_MAX_ARGS + 1) + THEORY_CONSTANTS + 8);
    uint32_t n = 0, kept = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        v[n++] = g->op[i].res;
        for (unsigned a = 0; a < g->op[i].nargs && a < HISTORY_MAX_ARGS; a++) v[n++] = g->op[i].arg[a];
    }
    for (unsigned k = 0; k < g->b.t->constants; k++) v[n++] = g->b.constant[k];
    for (unsigned k = 0; k < sizeof always / sizeof *always; k++) v[n++] = always[k];
    v[n++] = value_int(g->b.o->values, nowhere);
    qsort(v, n, sizeof *v, by_handle);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || v[i] != v[i - 1]) v[kept++] = v[i];
    *count = kept;
    return v;
}

/* Exactly one of its possible results. */
static void choose_result(grounding *g, uint32_t i, const value *all, uint32_t count, size_t *at) {
    encoding *e = g->e;
    result_kind kind = g->b.o->type->methods[g->op[i].method].result;
    size_t first = *at;
    for (uint32_t k = 0; k < count; k++)
        if (fits_kind(g, kind, all[k])) g->result[(*at)++] = (possible){all[k], cnf_variable(&e->cnf)};
    if (*at == first + 1) g->result[first].when = LIT_TRUE;
    cnf_begin(&e->cnf);
    for (size_t k = first; k < *at; k++) cnf_literal(&e->cnf, g->result[k].when);
    cnf_end(&e->cnf);
    for (size_t k = first; k < *at; k++) {
        encoding_choice(e, g->result[k].when, i, g->result[k].is);
        for (size_t m = first; m < k; m++) cnf_clause(&e->cnf, -g->result[k].when, -g->result[m].when, LIT_FALSE);
    }
}

static void make_results(grounding *g) {
    encoding *e = g->e;
    uint32_t count, pending = 0;
    value *all = all_values(g, &count);
    for (uint32_t i = 0; i < g->n; i++) pending += is_pending(e, i);
    g->result_start = MEM_ARRAY(size_t, (size_t)g->n + 1);
    g->result = MEM_ARRAY(possible, (size_t)g->n + (size_t)pending * count + 1);
    size_t at = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        g->result_start[i] = at;
        if (is_pending(e, i)) {
            e->used[i] = cnf_variable(&e->cnf);
            choose_result(g, i, all, count, &at);
        } else {
            g->result[at++] = (possible){g->op[i].res, LIT_TRUE};
        }
    }
    g->result_start[g->n] = at;
    free(all);
}

static void make_before(grounding *g) {
    const overlap *o = &g->e->order;
    g->before = MEM_ARRAY(literal, (size_t)g->n * g->n + 1);
    for (uint32_t x = 0; x < g->n; x++)
        for (uint32_t y = 0; y < g->n; y++) {
            literal l = x == y || o->ret[y] < o->call[x] ? LIT_FALSE
                        : o->ret[x] < o->call[y]         ? LIT_TRUE
                                                         : cnf_variable(&g->e->cnf);
            g->before[(size_t)x * g->n + y] = l;
        }
}

static bool has_method(const grounding *g, uint32_t i, uint32_t methods) {
    return methods >> g->b.method[g->op[i].method] & 1;
}

/* Where b is not total, operations that match take effect at one moment. */
static literal match_of(grounding *g, uint32_t x, uint32_t y) {
    if (!has_method(g, x, g->b.t->match_guard[0]) || !has_method(g, y, g->b.t->match_guard[1])) return LIT_FALSE;
    g->env[MATCH_X] = x;
    g->env[MATCH_Y] = y;
    literal may = ground(g, g->b.t->match_normal);
    if (may == LIT_FALSE) return LIT_FALSE;
    literal m = cnf_variable(&g->e->cnf);
    cnf_clause(&g->e->cnf, -m, may, LIT_FALSE);
    if (!g->total) encoding_at_one_moment(g->e, m, x, y);
    return m;
}

static void list_partners(grounding *g, unsigned side) {
    size_t count = 0, room = 64;
    g->partner[side] = MEM_ARRAY(uint32_t, room);
    g->start[side] = MEM_ARRAY(size_t, (size_t)g->n + 1);
    for (uint32_t i = 0; i < g->n; i++) {
        g->start[side][i] = count;
        for (uint32_t k = 0; k < g->n; k++) {
            if (g->match[side ? (size_t)k * g->n + i : (size_t)i * g->n + k] == LIT_FALSE) continue;
            if (count == room) g->partner[side] = MEM_GROW(g->partner[side], uint32_t, room *= 2);
            g->partner[side][count++] = k;
        }
    }
    g->start[side][g->n] = count;
}

static void make_match(grounding *g) {
    if (!g->b.t->match_normal) return;
    literal *match = MEM_ARRAY(literal, (size_t)g->n * g->n + 1);
    g->set = 1u << MATCH_X | 1u << MATCH_Y;
    for (uint32_t x = 0; x < g->n && !g->stopped; x++) {
        for (uint32_t y = 0; y < g->n; y++) match[(size_t)x * g->n + y] = match_of(g, x, y);
        g->stopped |= !encoding_goes_on(g->e, &g->ticks);
    }
    g->set = 0;
    g->match = match;
    for (unsigned side = 0; side < 2 && !g->stopped; side++) list_partners(g, side);
}

/* Over how many operations an axiom ranges, outside of everything else. */
static unsigned outer_variables(const formula *f) {
    unsigned most = 0;
    if (f->kind == FORMULA_FORALL) return f->bound + outer_variables(f->part[0]);
    for (uint32_t i = 0; i < f->parts && f->kind == FORMULA_AND; i++) {
        unsigned here = outer_variables(f->part[i]);
        if (here > most) most = here;
    }
    return most;
}

static void emit_axioms(grounding *g) {
    const theory *t = g->e->theory;
    for (unsigned variables = 0; variables <= THEORY_SLOTS; variables++)
        for (unsigned a = 0; a < t->axioms && !g->stopped; a++)
            if (outer_variables(t->axiom[a].normal) == variables && !about_order(g, &t->axiom[a]))
                emit(g, t->axiom[a].normal);
}

bool encode_theory(encoding *e) {
    grounding g = {.e = e, .n = e->p->n, .total = theory_is_total(e->theory)};
    theory_bind(e->theory, e->p->o, &g.b);
    g.op = MEM_ARRAY(operation, (size_t)g.n + 1);
    for (uint32_t i = 0; i < g.n; i++) history_operation(e->p->h, operation_at(e, i), &g.op[i]);
    make_results(&g);
    if (!g.total) make_before(&g);
    make_match(&g);
    emit_axioms(&g);
    FREE_ALL(g.op, g.before, g.match, g.result_start, g.result, g.stack, g.fixed, g.half, g.partner[0], g.partner[1],
             g.start[0], g.start[1]);
    return !g.stopped && !e->cnf.contradiction;
}
