/* Formulas, from the weakest to the strongest binding: <->  ->  ^  |  &  !. A quantifier reaches as far as it can. */
#include "theory/parser.h"

#include <assert.h>
#include <string.h>

static formula *parse_iff(parser *p);
static formula *parse_deeper(parser *p);

static formula *fail(parser *p, const char *expected) {
    token_error(p->list, current(p), expected, p->e);
    return NULL;
}

static formula *make(parser *p, formula_kind kind) {
    if (++p->formulas > MAX_FORMULAS) {
        token_complain(p->list, current(p), p->e,
                       "the theory is too large; expected at most %d formulas with definitions written out",
                       MAX_FORMULAS);
        return NULL;
    }
    formula *f = arena_alloc(p->t, sizeof *f);
    f->kind = kind;
    return f;
}

static formula *make_parts(parser *p, formula_kind kind, formula **part, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!part[i]) return NULL;
    formula *f = make(p, kind);
    if (!f) return NULL;
    f->parts = n;
    f->part = arena_alloc(p->t, n * sizeof *part);
    memcpy(f->part, part, n * sizeof *part);
    return f;
}

static formula *make_not(parser *p, formula *f) { return make_parts(p, FORMULA_NOT, &f, 1); }
static formula *make_two(parser *p, formula_kind kind, formula *a, formula *b) {
    return make_parts(p, kind, (formula *[]){a, b}, 2);
}

/* ---- names ---- */

static const scope_entry *find_variable(const parser *p, const theory_token *name) {
    for (unsigned i = p->scoped; i-- > p->hidden;)
        if (p->scope[i].name->length == name->length && !memcmp(p->scope[i].name->at, name->at, name->length))
            return &p->scope[i];
    return NULL;
}

bool scope_push(parser *p, const theory_token *name, uint8_t slot) {
    if (name->kind != TOKEN_NAME) return token_error(p->list, name, "the name of a variable", p->e);
    if (p->scoped == THEORY_SLOTS)
        return token_complain(p->list, name, p->e, "too many variables; expected at most %d at once", THEORY_SLOTS);
    assert(slot < THEORY_SLOTS && p->hidden <= p->scoped);
    p->scope[p->scoped++] = (scope_entry){name, slot};
    return true;
}

static bool parse_variable(parser *p, uint8_t *slot) {
    const scope_entry *v = current(p)->kind == TOKEN_NAME ? find_variable(p, current(p)) : NULL;
    if (!v || at_item_end(p)) return token_error(p->list, current(p), "a variable bound by forall or exists", p->e);
    *slot = v->slot;
    p->at++;
    return true;
}

/* ---- terms ---- */

static bool same_constant(const theory_constant *a, const theory_constant *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == CONSTANT_BYTES) return !strcmp(a->bytes, b->bytes);
    return a->special == b->special && a->integer == b->integer;
}

static bool constant_term(parser *p, theory_constant c, term *out) {
    theory *t = p->t;
    unsigned i = 0;
    while (i < t->constants && !same_constant(&t->constant[i], &c)) i++;
    if (i == THEORY_CONSTANTS)
        return token_complain(p->list, current(p), p->e, "too many constants; expected at most %d", THEORY_CONSTANTS);
    assert(i <= t->constants);
    if (i == t->constants) t->constant[t->constants++] = c;
    *out = (term){.kind = TERM_CONSTANT, .index = (uint8_t)i};
    return true;
}

static bool parse_function(parser *p, term *out) {
    static const struct {
        const char *name;
        term_kind kind;
        uint8_t index;
    } functions[] = {{"meth", TERM_METH, 0}, {"arg", TERM_ARG, 0}, {"arg2", TERM_ARG, 1},
                     {"arg3", TERM_ARG, 2},  {"ret", TERM_RET, 0}, {"client", TERM_CLIENT, 0}};
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (!token_is(current(p), functions[i].name) || !token_is(current(p) + 1, "(")) continue;
        p->at += 2;
        *out = (term){.kind = functions[i].kind, .index = functions[i].index};
        if (out->kind == TERM_CLIENT) p->t->sees_clients = true;
        return parse_variable(p, &out->slot) && expect_word(p, ")", "')'");
    }
    return token_error(p->list, current(p),
                       "a variable, meth(x), arg(x), ret(x), client(x), count(x. F), sum(x. F, T), a "
                       "method or a constant",
                       p->e);
}

static bool parse_term(parser *p, term *out) {
    static const struct {
        const char *name;
        constant_kind kind;
        value special;
    } names[] = {{"none", CONSTANT_VALUE, VALUE_NONE},
                 {"null", CONSTANT_VALUE, VALUE_NONE},
                 {"empty", CONSTANT_VALUE, VALUE_EMPTY},
                 {"full", CONSTANT_VALUE, VALUE_FULL},
                 {"true", CONSTANT_VALUE, VALUE_TRUE},
                 {"false", CONSTANT_VALUE, VALUE_FALSE},
                 {"init", CONSTANT_INIT, 0}};
    const theory_token *t = current(p);
    if (at_item_end(p)) return token_error(p->list, t, "a term", p->e);
    if (token_is(t + 1, "(")) return parse_function(p, out);
    int64_t i;
    if (t->kind == TOKEN_NUMBER || token_is(t, "-"))
        return expect_leading_integer(p, &i) &&
               constant_term(p, (theory_constant){.kind = CONSTANT_INT, .integer = i}, out);
    p->at++;
    if (t->kind == TOKEN_STRING)
        return constant_term(
            p, (theory_constant){.kind = CONSTANT_BYTES, .bytes = arena_string(p->t, t->at, t->length)}, out);
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (token_is(t, names[k].name))
            return constant_term(p, (theory_constant){.kind = names[k].kind, .special = names[k].special}, out);
    for (unsigned m = 0; m < p->t->methods && t->kind == TOKEN_NAME; m++) {
        if (!token_is(t, p->t->method[m].name)) continue;
        *out = (term){.kind = TERM_METHOD, .index = (uint8_t)m};
        return true;
    }
    p->at--;
    return parse_function(p, out);
}

/* ---- atoms ---- */

static formula *parse_relation(parser *p, formula_kind kind) {
    if (p->labels_only) {
        token_complain(p->list, current(p), p->e,
                       "'%.*s' in the match condition; expected labels only (meth, arg, ret, client) and x = y",
                       (int)current(p)->length, current(p)->at);
        return NULL;
    }
    uint8_t x, y;
    p->at += 2;
    if (!parse_variable(p, &x) || !expect_word(p, ",", "',' and a second variable") || !parse_variable(p, &y) ||
        !expect_word(p, ")", "')'"))
        return NULL;
    formula *f = make(p, kind);
    if (!f) return NULL;
    f->x = x;
    f->y = y;
    return f;
}

static formula *parse_same(parser *p, uint8_t x) {
    uint8_t y;
    bool differ = accept_word(p, "!=");
    if (!differ && !expect_word(p, "=", "= or != between variables")) return NULL;
    if (!parse_variable(p, &y)) return NULL;
    formula *f = make(p, FORMULA_SAME);
    if (!f) return NULL;
    f->x = x;
    f->y = y;
    return differ ? make_not(p, f) : f;
}

static bool sorts_agree(parser *p, const theory_token *at, term a, term b, bool order) {
    static const char *const names[] = {"a method", "a value", "a client"};
    if (term_sort(a) != term_sort(b))
        return token_complain(p->list, at, p->e, "%s is compared with %s; expected two of one sort",
                              names[term_sort(a)], names[term_sort(b)]);
    if (order && term_sort(a) != SORT_VALUE)
        return token_complain(p->list, at, p->e, "'%.*s' between %ss; expected values", (int)at->length, at->at,
                              names[term_sort(a)] + 2);
    return true;
}

/* ---- sums: terms, count(x. F) and sum(x. F, T), with + and - between them ---- */

enum { MOST_SUMMANDS = 16 };

typedef struct side { /* of a comparison */
    summand at[MOST_SUMMANDS];
    formula *part[MOST_SUMMANDS]; /* by summand; of a term NULL */
    uint32_t n;
} side;

static bool new_slot(parser *p, uint8_t *slot);

/* Behind "count(" or "sum(". */
static bool parse_counted(parser *p, summand *s, formula **body) {
    const unsigned scoped = p->scoped, slots = p->slots;
    bool good = new_slot(p, &s->slot) && scope_push(p, current(p), s->slot);
    if (good) p->at++;
    good = good && expect_word(p, ".", "'.' and a formula") && (*body = parse_iff(p));
    if (good && s->kind == SUMMAND_TOTAL)
        good = expect_word(p, ",", "',' and what is summed up") && parse_term(p, &s->term);
    p->scoped = scoped;
    p->slots = slots;
    p->t->counts = true;
    return good && expect_word(p, ")", "')'");
}

static bool parse_summand(parser *p, summand *s, formula **body) {
    const theory_token *t = current(p);
    const bool counts = token_is(t, "count"), sums = token_is(t, "sum");
    *body = NULL;
    s->kind = counts ? SUMMAND_COUNT : sums ? SUMMAND_TOTAL : SUMMAND_TERM;
    if (at_item_end(p) || !token_is(t + 1, "(") || (!counts && !sums)) {
        s->kind = SUMMAND_TERM;
        return parse_term(p, &s->term);
    }
    p->at += 2;
    return parse_counted(p, s, body);
}

static bool parse_side(parser *p, side *out) {
    bool minus = false;
    for (out->n = 0;;) {
        if (out->n == MOST_SUMMANDS) return token_error(p->list, current(p), "fewer summands", p->e);
        summand *s = &out->at[out->n];
        *s = (summand){.minus = minus};
        if (!parse_summand(p, s, &out->part[out->n])) return false;
        out->n++;
        minus = !at_item_end(p) && token_is(current(p), "-");
        if (at_item_end(p) || (!minus && !token_is(current(p), "+"))) return true;
        p->at++;
    }
}

static bool is_plain(const side *s) { return s->n == 1 && s->at[0].kind == SUMMAND_TERM; }

static bool are_values(parser *p, const theory_token *at, const side *s) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i].kind != SUMMAND_COUNT && term_sort(s->at[i].term) != SORT_VALUE)
            return token_complain(p->list, at, p->e, "a method or a client in a sum; expected integers");
    return true;
}

static void add_summands(formula *f, const side *s, bool minus) {
    for (uint32_t i = 0; i < s->n; i++) {
        summand *to = &f->summand[f->summands++];
        *to = s->at[i];
        to->minus ^= minus;
        if (!s->part[i]) continue;
        to->part = (uint8_t)f->parts;
        f->part[f->parts++] = s->part[i];
    }
}

/* left - right is zero, or below zero. */
static formula *make_tally(parser *p, const side *left, const side *right, bool below) {
    formula *f = make(p, FORMULA_TALLY);
    if (!f) return NULL;
    p->t->counts = true;
    f->below = below;
    f->summand = arena_alloc(p->t, (left->n + right->n) * sizeof *f->summand);
    f->part = arena_alloc(p->t, (left->n + right->n) * sizeof(formula *));
    add_summands(f, left, false);
    add_summands(f, right, true);
    return f;
}

static formula *make_plain(parser *p, const side *left, const side *right, bool order) {
    formula *f = make(p, order ? FORMULA_LESS : FORMULA_EQUAL);
    if (!f) return NULL;
    f->left = left->at[0].term;
    f->right = right->at[0].term;
    return f;
}

static bool add_one(parser *p, side *s) {
    if (s->n == MOST_SUMMANDS) return token_error(p->list, current(p), "fewer summands", p->e);
    s->part[s->n] = NULL;
    s->at[s->n] = (summand){.kind = SUMMAND_TERM};
    return constant_term(p, (theory_constant){.kind = CONSTANT_INT, .integer = 1}, &s->at[s->n++].term);
}

/* a <= b is !(b < a): values are ordered totally. Of sums it is a - b < 1, which what is no integer fails too. */
static formula *parse_comparison(parser *p) {
    side left, right;
    const theory_token *begin = current(p);
    if (!parse_side(p, &left)) return NULL;
    const theory_token *sign = current(p);
    bool differ = token_is(sign, "!="), most = token_is(sign, "<="), order = most || token_is(sign, "<");
    if (at_item_end(p) || (!differ && !order && !token_is(sign, "="))) return fail(p, "=, !=, < or <=");
    p->at++;
    if (!parse_side(p, &right)) return NULL;
    const bool plain = is_plain(&left) && is_plain(&right);
    if (plain ? !sorts_agree(p, sign, left.at[0].term, right.at[0].term, order)
              : !are_values(p, begin, &left) || !are_values(p, sign, &right))
        return NULL;
    if (!plain && most && !add_one(p, &right)) return NULL;
    formula *f = !plain ? make_tally(p, &left, &right, order)
                 : most ? make_plain(p, &right, &left, true)
                        : make_plain(p, &left, &right, order);
    if (!f) return NULL;
    f->line = begin->line;
    f->column = begin->column;
    return differ || (plain && most) ? make_not(p, f) : f;
}

/* ---- definitions ---- */

static const definition *find_definition(const parser *p, const theory_token *name) {
    for (unsigned i = p->definitions; i--;) {
        const theory_token *own = p->definition[i].name;
        if (own->length == name->length && !memcmp(own->at, name->at, name->length)) return &p->definition[i];
    }
    return NULL;
}

/* Reads the definition's formula with its variables standing for the arguments. It may use definitions that come before
 * it. */
static formula *expand(parser *p, const definition *d, const uint8_t *slot) {
    parser saved = *p;
    p->hidden = p->scoped;
    p->definitions = (unsigned)(d - p->definition);
    p->list = d->list;
    formula *f = NULL;
    bool good = true;
    for (unsigned i = 0; i < d->count && good; i++) good = scope_push(p, &d->list->token[d->parameters[i]], slot[i]);
    p->at = d->body;
    if (good) f = parse_iff(p);
    p->hidden = saved.hidden;
    p->scoped = saved.scoped;
    p->definitions = saved.definitions;
    p->list = saved.list;
    p->at = saved.at;
    return f;
}

static formula *parse_defined(parser *p, const definition *d) {
    uint8_t slot[8];
    p->at += 2;
    for (unsigned i = 0; i < d->count; i++) {
        if (i && !expect_word(p, ",", "',' and another variable")) return NULL;
        if (!parse_variable(p, &slot[i])) return NULL;
    }
    return expect_word(p, ")", "')'") ? expand(p, d, slot) : NULL;
}

/* ---- quantifiers ---- */

static bool new_slot(parser *p, uint8_t *slot) {
    if (p->slots == THEORY_SLOTS)
        return token_complain(p->list, current(p), p->e, "too many variables; expected at most %d at once",
                              THEORY_SLOTS);
    *slot = (uint8_t)p->slots++;
    return true;
}

static formula *quantifier(parser *p, formula_kind kind, uint8_t first, uint8_t bound, formula *body) {
    formula *f = make_parts(p, kind, &body, 1);
    if (!f) return NULL;
    f->first = first;
    f->bound = bound;
    f->guard = arena_alloc(p->t, bound * sizeof *f->guard);
    memset(f->guard, 0xff, bound * sizeof *f->guard);
    return f;
}

static formula *parse_quantifier(parser *p, formula_kind kind) {
    unsigned scoped = p->scoped, slots = p->slots;
    uint8_t slot = 0;
    p->at++;
    do {
        if (at_item_end(p)) return fail(p, "the name of a variable");
        if (!new_slot(p, &slot) || !scope_push(p, current(p), slot)) return NULL;
        p->at++;
    } while (accept_word(p, ","));
    if (!expect_word(p, ".", "',' and another variable, or '.' and a formula")) return NULL;
    formula *body = parse_iff(p);
    uint8_t bound = (uint8_t)(p->slots - slots);
    assert(!body || (bound > 0 && p->slots <= THEORY_SLOTS && p->scoped == scoped + bound));
    p->scoped = scoped;
    p->slots = slots;
    return body ? quantifier(p, kind, (uint8_t)slots, bound, body) : NULL;
}

/* atleast(k) x. F: there are k different operations with F. */
static formula *at_least(parser *p, int64_t k, const theory_token *name) {
    enum { MOST = 12 };
    unsigned scoped = p->scoped, slots = p->slots;
    uint32_t body = p->at, n = 0;
    formula *part[MOST + MOST * MOST];
    uint8_t slot = 0;
    if (k <= 0) { /* of course there are: F is read for its mistakes only */
        formula *f = new_slot(p, &slot) && scope_push(p, name, slot) ? parse_iff(p) : NULL;
        p->scoped = scoped;
        p->slots = slots;
        return f ? make(p, FORMULA_TRUE) : NULL;
    }
    if (k > MOST) {
        token_complain(p->list, name, p->e, "a count of %lld; expected at most %d", (long long)k, MOST);
        return NULL;
    }
    for (unsigned i = 0; i < k; i++)
        if (!new_slot(p, &slot)) return NULL;
    for (unsigned i = 0; i < k; i++) {
        p->at = body;
        if (!scope_push(p, name, (uint8_t)(slots + i)) || !(part[n++] = parse_iff(p))) return NULL;
        p->scoped = scoped;
        for (unsigned j = 0; j < i; j++) {
            formula *same = make(p, FORMULA_SAME);
            if (!same) return NULL;
            same->x = (uint8_t)(slots + j);
            same->y = (uint8_t)(slots + i);
            part[n++] = make_not(p, same);
        }
    }
    assert(n == k + k * (k - 1) / 2 && p->slots == slots + k); /* k times F, and all pairs differ */
    p->slots = slots;
    return quantifier(p, FORMULA_EXISTS, (uint8_t)slots, (uint8_t)k, make_parts(p, FORMULA_AND, part, n));
}

static formula *parse_count(parser *p, bool at_most) {
    int64_t k;
    p->at++;
    if (!expect_word(p, "(", "'(' and a number") || !expect_integer(p, &k) || !expect_word(p, ")", "')'")) return NULL;
    const theory_token *name = current(p);
    if (name->kind != TOKEN_NAME || at_item_end(p)) return fail(p, "the name of a variable");
    p->at++;
    if (!expect_word(p, ".", "'.' and a formula")) return NULL;
    formula *f = at_least(p, at_most ? k + 1 : k, name);
    return f && at_most ? make_not(p, f) : f;
}

/* ---- connectives ---- */

static formula *parse_group(parser *p) {
    p->at++;
    formula *f = parse_iff(p);
    return f && expect_word(p, ")", "')'") ? f : NULL;
}

static formula *parse_simple(parser *p) {
    const theory_token *t = current(p);
    if (at_item_end(p)) return fail(p, "a formula");
    if (token_is(t, "!")) {
        p->at++;
        formula *f = parse_deeper(p);
        return f ? make_not(p, f) : NULL;
    }
    if (token_is(t, "(")) return parse_group(p);
    if (token_is(t, "forall") || token_is(t, "exists"))
        return parse_quantifier(p, token_is(t, "forall") ? FORMULA_FORALL : FORMULA_EXISTS);
    if (token_is(t, "atmost") || token_is(t, "atleast")) return parse_count(p, token_is(t, "atmost"));
    if (t->kind == TOKEN_NAME && token_is(t + 1, "(")) {
        if (token_is(t, "b") || token_is(t, "before")) return parse_relation(p, FORMULA_BEFORE);
        if (token_is(t, "match")) return parse_relation(p, FORMULA_MATCH);
        const definition *d = find_definition(p, t);
        if (d) return parse_defined(p, d);
    }
    const scope_entry *v = t->kind == TOKEN_NAME ? find_variable(p, t) : NULL;
    if (!v) return parse_comparison(p);
    p->at++;
    return parse_same(p, v->slot);
}

static formula *parse_deeper(parser *p) {
    if (++p->depth > MAX_DEPTH) {
        token_complain(p->list, current(p), p->e, "nested too deeply; expected at most %d levels", MAX_DEPTH);
        return NULL;
    }
    formula *f = parse_simple(p);
    p->depth--;
    return f;
}

/* A row of one associative connective. */
static formula *parse_row(parser *p, const char *sign, formula_kind kind, formula *(*next)(parser *)) {
    enum { MOST = 64 };
    formula *part[MOST], *f = next(p);
    uint32_t n = 0;
    while (f) {
        part[n++] = f;
        if (n == MOST || at_item_end(p) || !accept_word(p, sign)) break;
        f = next(p);
    }
    if (!f) return NULL;
    if (n == MOST) return fail(p, "fewer parts in one row");
    return n == 1 ? f : make_parts(p, kind, part, n);
}

static formula *parse_and(parser *p) { return parse_row(p, "&", FORMULA_AND, parse_deeper); }
static formula *parse_or(parser *p) { return parse_row(p, "|", FORMULA_OR, parse_and); }

static formula *parse_xor(parser *p) {
    formula *f = parse_or(p);
    while (f && !at_item_end(p) && accept_word(p, "^")) f = make_two(p, FORMULA_XOR, f, parse_or(p));
    return f;
}

static formula *parse_implies(parser *p) {
    formula *f = parse_xor(p);
    if (!f || at_item_end(p) || !accept_word(p, "->")) return f;
    if (++p->depth > MAX_DEPTH) return fail(p, "fewer arrows in one row");
    formula *then = parse_implies(p);
    p->depth--;
    return make_two(p, FORMULA_IMPLIES, f, then);
}

static formula *parse_iff(parser *p) {
    formula *f = parse_implies(p);
    while (f && !at_item_end(p) && accept_word(p, "<->")) f = make_two(p, FORMULA_IFF, f, parse_implies(p));
    return f;
}

formula *parse_formula(parser *p) {
    p->depth = 0;
    formula *f = parse_iff(p);
    if (f && !at_item_end(p)) return fail(p, "a connective (& | ^ -> <->) or the next item at the beginning of a line");
    return f;
}
