/* Theory files: items, one behind the other.
 *
 *     theory NAME [extends BASE [-axiom ...]]        the items of BASE come first, without the axioms named
 *     summary "..."                                  for lists
 *     object NAME ...                                the built-in objects it describes
 *     parameter NAME = STANDARD [, MIN, MAX]
 *     method NAME(kind, kind?, ...) [-> kind] [also ALIAS ...]     kind?: may be left out, and is none then
 *     match: F          define NAME(v, ...): F          axiom NAME: F
 */
#include "theory/parser.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Formulas are many and small, and all of them are freed at once. */
enum { BLOCK = 16 << 10 };

struct theory_arena {
    void **block;
    size_t count, room;
    size_t left; /* of the last block */
};

static void *new_block(struct theory_arena *a, size_t size) {
    if (a->count == a->room) {
        a->room = a->room ? 2 * a->room : 16;
        a->block = MEM_GROW(a->block, void *, a->room);
    }
    return a->block[a->count++] = mem_zero(1, size);
}

void *arena_alloc(theory *t, size_t size) {
    struct theory_arena *a = t->arena;
    size = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
    if (size > BLOCK) {
        a->left = 0;
        return new_block(a, size);
    }
    if (size > a->left) {
        new_block(a, BLOCK);
        a->left = BLOCK;
    }
    char *at = (char *)a->block[a->count - 1] + BLOCK - a->left;
    assert(size <= a->left && a->left <= BLOCK);
    a->left -= size;
    return at;
}

char *arena_string(theory *t, const char *s, size_t n) {
    char *copy = arena_alloc(t, n + 1);
    memcpy(copy, s, n);
    return copy;
}

void theory_free(theory *t) {
    if (!t) return;
    for (size_t i = 0; i < t->arena->count; i++) free(t->arena->block[i]);
    free(t->arena->block);
    free(t->arena);
    free(t->axiom);
    free(t);
}

bool accept_word(parser *p, const char *word) {
    if (!token_is(current(p), word)) return false;
    p->at++;
    return true;
}

bool expect_word(parser *p, const char *word, const char *expected) {
    if (!at_item_end(p) && accept_word(p, word)) return true;
    return token_error(p->list, current(p), expected, p->e);
}

static const theory_token *expect_name(parser *p, const char *expected) {
    const theory_token *t = current(p);
    if (t->kind == TOKEN_NAME && !at_item_end(p)) {
        p->at++;
        return t;
    }
    token_error(p->list, t, expected, p->e);
    return NULL;
}

static bool same_text(const theory_token *a, const char *s) {
    return strlen(s) == a->length && !memcmp(s, a->at, a->length);
}

static bool one_integer(parser *p, int64_t *out) {
    const theory_token *t = current(p);
    for (unsigned i = 0; i < THEORY_PARAMETERS && p->t->parameters[i].name; i++) {
        if (t->kind != TOKEN_NAME || !same_text(t, p->t->parameters[i].name)) continue;
        *out = p->t->parameter[i];
        p->at++;
        return true;
    }
    if (t->kind != TOKEN_NUMBER || at_item_end(p))
        return token_error(p->list, t, "a number or a parameter's name", p->e);
    if (t->length > 17)
        return token_complain(p->list, t, p->e, "a number of %u digits; expected at most 17", t->length);
    *out = strtoll(t->at, NULL, 10);
    p->at++;
    return true;
}

static bool is_integer(const parser *p, const theory_token *t) {
    bool known = t->kind == TOKEN_NUMBER;
    for (unsigned i = 0; i < THEORY_PARAMETERS && p->t->parameters[i].name && !known; i++)
        known = t->kind == TOKEN_NAME && same_text(t, p->t->parameters[i].name);
    return known && !t->begins_item;
}

/* `leading`: what is behind it and no integer is a summand of its own. */
static bool sum_of_integers(parser *p, bool leading, int64_t *out) {
    int64_t more = 0;
    bool minus = accept_word(p, "-");
    if (!one_integer(p, out)) return false;
    if (minus) *out = -*out;
    while (!at_item_end(p) && (token_is(current(p), "+") || token_is(current(p), "-"))) {
        if (leading && !is_integer(p, current(p) + 1)) return true;
        minus = token_is(current(p), "-");
        p->at++;
        if (!one_integer(p, &more)) return false;
        *out += minus ? -more : more;
    }
    return true;
}

bool expect_integer(parser *p, int64_t *out) { return sum_of_integers(p, false, out); }
bool expect_leading_integer(parser *p, int64_t *out) { return sum_of_integers(p, true, out); }

/* ---- methods ---- */

/* `key`, in front: operations on different keys have nothing to do with each other. */
static bool parse_key(parser *p, bool *is_keyed) {
    *is_keyed = accept_word(p, "key");
    return !*is_keyed || token_is(current(p), ")") || expect_word(p, ",", "',' or ')' behind key");
}

static bool parse_arguments(parser *p, method *m) {
    bool integers = true;
    while (!accept_word(p, ")")) {
        if (m->max_args && !expect_word(p, ",", "',' or ')'")) return false;
        if (m->max_args == HISTORY_MAX_ARGS) return token_error(p->list, current(p), "at most three arguments", p->e);
        if (token_is(current(p), "value")) integers = false;
        else if (!token_is(current(p), "int"))
            return token_error(p->list, current(p), "value or int, or key in front", p->e);
        p->at++;
        bool optional = accept_word(p, "?");
        if (!optional && m->min_args < m->max_args)
            return token_error(p->list, current(p), "'?': arguments may be left out at the end only", p->e);
        m->max_args++;
        m->min_args += !optional;
    }
    assert(m->min_args <= m->max_args && m->max_args <= HISTORY_MAX_ARGS);
    m->arg = integers && m->max_args ? ARG_INT : ARG_VALUE;
    return true;
}

static bool parse_result(parser *p, method *m) {
    static const struct {
        const char *name;
        result_kind kind;
    } kinds[] = {{"nothing", RESULT_VOID},
                 {"value", RESULT_VALUE},
                 {"removed", RESULT_REMOVED},
                 {"bool", RESULT_BOOL},
                 {"int", RESULT_INT}};
    m->result = RESULT_VOID;
    if (at_item_end(p) || !accept_word(p, "->")) return true;
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (at_item_end(p) || !accept_word(p, kinds[k].name)) continue;
        m->result = kinds[k].kind;
        return true;
    }
    return token_error(p->list, current(p), "nothing, value, removed (a value or empty), bool or int", p->e);
}

static bool parse_aliases(parser *p, method *m) {
    text words = {0};
    bool good = true;
    if (!at_item_end(p) && accept_word(p, "also")) {
        do {
            const theory_token *t = expect_name(p, "another name of the method");
            good = t != NULL;
            if (t) text_printf(&words, "%s%.*s", words.size ? " " : "", (int)t->length, t->at);
        } while (good && !at_item_end(p));
    }
    if (words.size) m->aliases = arena_string(p->t, words.at, words.size);
    text_free(&words);
    return good &&
           (at_item_end(p) || token_error(p->list, current(p), "'also' and other names, or the next item", p->e));
}

static bool parse_method(parser *p) {
    theory *t = p->t;
    method m = {0};
    bool is_keyed;
    const theory_token *name = expect_name(p, "the method's name");
    if (!name || !expect_word(p, "(", "'(' and the kinds of its arguments") || !parse_key(p, &is_keyed)) return false;
    if (!parse_arguments(p, &m) || !parse_result(p, &m) || !parse_aliases(p, &m)) return false;
    m.name = arena_string(t, name->at, name->length);
    unsigned i = 0;
    while (i < t->methods && strcmp(t->method[i].name, m.name) != 0) i++;
    if (i == THEORY_METHODS)
        return token_complain(p->list, name, p->e, "too many methods; expected at most %d", THEORY_METHODS);
    if (i == t->methods) t->methods++;
    t->method[i] = m; /* one that the base has too is declared anew */
    t->keyed = (t->keyed & ~(UINT32_C(1) << i)) | (uint32_t)is_keyed << i;
    return true;
}

/* ---- formulas ---- */

static const formula *parse_normal(parser *p, const formula **as_written) {
    const theory_token *begin = current(p);
    *as_written = parse_formula(p);
    if (!*as_written) return NULL;
    const formula *normal = formula_normal(p->t, *as_written);
    if (!normal)
        token_complain(p->list, begin, p->e, "too large with ^ and <-> written out; expected at most %d formulas",
                       MAX_FORMULAS);
    return normal;
}

static bool parse_match(parser *p) {
    static const theory_token x = {.kind = TOKEN_NAME, .at = "x", .length = 1},
                              y = {.kind = TOKEN_NAME, .at = "y", .length = 1};
    if (!expect_word(p, ":", "':' and a condition on x and y")) return false;
    p->labels_only = true;
    p->t->match_file = arena_string(p->t, p->list->file, strlen(p->list->file));
    p->slots = 2;
    bool good = scope_push(p, &x, MATCH_X) && scope_push(p, &y, MATCH_Y) &&
                (p->t->match_normal = parse_normal(p, &p->t->match));
    p->labels_only = false;
    return good;
}

static bool parse_axiom(parser *p) {
    theory *t = p->t;
    const theory_token *name = expect_name(p, "the axiom's name");
    if (!name || !expect_word(p, ":", "':' and a formula")) return false;
    axiom a = {.name = arena_string(t, name->at, name->length),
               .file = arena_string(t, p->list->file, strlen(p->list->file))};
    if (theory_axiom(t, a.name))
        return token_complain(p->list, name, p->e,
                              "there is an axiom %s already; expected another name, or 'extends ... -%s'", a.name,
                              a.name);
    if (t->axioms == THEORY_AXIOMS)
        return token_complain(p->list, name, p->e, "too many axioms; expected at most %d", THEORY_AXIOMS);
    if (!(a.normal = parse_normal(p, &a.as_written))) return false;
    assert(t->axioms < THEORY_AXIOMS);
    t->axiom = MEM_GROW(t->axiom, axiom, t->axioms + 1);
    t->axiom[t->axioms++] = a;
    return true;
}

static bool parse_definition(parser *p) {
    definition d = {.list = p->list, .name = expect_name(p, "the name of what is defined")};
    if (!d.name || !expect_word(p, "(", "'(' and variables")) return false;
    do {
        if (d.count == 8) return token_error(p->list, current(p), "at most eight variables", p->e);
        d.parameters[d.count++] = p->at;
        if (!expect_name(p, "a variable")) return false;
    } while (!at_item_end(p) && accept_word(p, ","));
    if (!expect_word(p, ")", "')'") || !expect_word(p, ":", "':' and a formula")) return false;
    if (p->definitions == MAX_DEFINITIONS)
        return token_complain(p->list, d.name, p->e, "too many definitions; expected at most %d", MAX_DEFINITIONS);
    d.body = p->at;
    p->slots = d.count;
    for (unsigned i = 0; i < d.count; i++)
        if (!scope_push(p, &p->list->token[d.parameters[i]], (uint8_t)i)) return false;
    if (!parse_formula(p)) return false; /* for its mistakes */
    p->definition[p->definitions++] = d;
    return true;
}

/* ---- the rest ---- */

static bool parse_summary(parser *p) {
    const theory_token *t = current(p);
    if (t->kind != TOKEN_STRING) return token_error(p->list, t, "a string", p->e);
    p->t->summary = arena_string(p->t, t->at, t->length);
    p->at++;
    return true;
}

static bool parse_objects(parser *p) {
    text words = {0};
    while (!at_item_end(p)) {
        const theory_token *t = expect_name(p, "the name of an object");
        if (!t) break;
        text_printf(&words, "%s%.*s", words.size ? " " : "", (int)t->length, t->at);
    }
    p->t->objects = arena_string(p->t, text_str(&words), words.size);
    text_free(&words);
    return !p->e->code;
}

/* One of the parameters given, name=value or just value: is it number `i`? */
static bool given_for(const theory *t, unsigned i, unsigned position, const char *s, size_t length,
                      const char **number) {
    const char *equals = memchr(s, '=', length);
    *number = equals ? equals + 1 : s;
    if (!equals) return i == position;
    size_t name = (size_t)(equals - s);
    return strlen(t->parameters[i].name) == name && !memcmp(t->parameters[i].name, s, name);
}

static bool set_parameter(parser *p, unsigned i, const char *number, size_t length) {
    const parameter *q = &p->t->parameters[i];
    char digits[24], *end;
    snprintf(digits, sizeof digits, "%.*s", (int)length, number);
    p->t->parameter[i] = strtoll(digits, &end, 10);
    if (end != digits && !*end && p->t->parameter[i] >= q->min && p->t->parameter[i] <= q->max) return true;
    return error_set(p->e, EXIT_USAGE, "theory %s: %s is '%s'; expected %lld to %lld", p->list->file, q->name, digits,
                     (long long)q->min, (long long)q->max);
}

/* Looks through what is given for parameter number `i`; i THEORY_PARAMETERS: for something that is none of them. */
static bool take_given(parser *p, unsigned i) {
    const char *at = p->given;
    if (!*at) return true;
    const char *end = at + strlen(at) - 1;
    if (*at++ != '(' || *end != ')')
        return error_set(p->e, EXIT_USAGE, "theory %s: '%s'; expected (parameter=value)", p->list->file, p->given);
    for (unsigned position = 0; at < end; position++) {
        size_t n = strcspn(at, ",)");
        const char *number = at;
        bool known = false;
        for (unsigned k = 0; k < THEORY_PARAMETERS && p->t->parameters[k].name && !known; k++) {
            known = given_for(p->t, k, position, at, n, &number);
            if (known && k == i && !set_parameter(p, i, number, n - (size_t)(number - at))) return false;
        }
        if (!known && i == THEORY_PARAMETERS)
            return error_set(p->e, EXIT_USAGE, "theory %s has no parameter for '%.*s'", p->t->name, (int)n, at);
        at += n + 1;
        at += strspn(at, " ");
    }
    return true;
}

static bool parse_parameter(parser *p) {
    unsigned i = 0;
    const theory_token *name = expect_name(p, "the parameter's name");
    if (!name) return false;
    while (i < THEORY_PARAMETERS && p->t->parameters[i].name) i++;
    if (i == THEORY_PARAMETERS)
        return token_complain(p->list, name, p->e, "too many parameters; expected at most %d", THEORY_PARAMETERS);
    parameter q = {.max = 1 << 30, .summary = ""};
    if (!expect_word(p, "=", "'=' and what it is unless said otherwise") || !expect_integer(p, &q.standard))
        return false;
    if (!at_item_end(p) && accept_word(p, ",") &&
        (!expect_integer(p, &q.min) || !expect_word(p, ",", "',' and the most it may be") ||
         !expect_integer(p, &q.max)))
        return false;
    q.name = arena_string(p->t, name->at, name->length);
    p->t->parameters[i] = q;
    p->t->parameter[i] = q.standard;
    return take_given(p, i);
}

/* ---- a whole theory ---- */

enum { MOST_NESTED = 32 }; /* theories that build on each other */

typedef struct theory_reading { /* what is open while a theory is read, bases included */
    parser p;
    unsigned nesting;
    token_list shipped[MOST_NESTED + 1]; /* at most one a level */
    unsigned lists;
} theory_reading;

static bool read_block(theory_reading *r, const token_list *list, uint32_t at);

/* The place behind "theory NAME"; 0: not there. */
static uint32_t find_block(const token_list *l, const theory_token *name, uint32_t end) {
    for (uint32_t i = end; i-- > 0;)
        if (l->token[i].begins_item && token_is(&l->token[i], "theory") && l->token[i + 1].length == name->length &&
            !memcmp(l->token[i + 1].at, name->at, name->length))
            return i + 1;
    return 0;
}

/* A base is a theory further up in the file, or a shipped one. */
static bool read_base(theory_reading *r, const theory_token *name) {
    parser *p = &r->p;
    if (r->nesting > MOST_NESTED)
        return token_complain(p->list, name, p->e, "more than %d theories build on each other", MOST_NESTED);
    uint32_t at = find_block(p->list, name, (uint32_t)(name - p->list->token) - 1);
    if (at && p->list->token + at + 2 == name) at = 0; /* itself */
    if (at) return read_block(r, p->list, at);
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)name->length, name->at);
    const char *source = theory_source(word);
    if (!source)
        return token_complain(
            p->list, name, p->e,
            "no theory '%s'; expected one from further up, or a shipped one (`plumb theory` lists them)", word);
    assert(r->lists <= MOST_NESTED);
    token_list *l = &r->shipped[r->lists];
    if (!lex(source, word, l, p->e)) return false;
    r->lists++;
    at = find_block(l, name, l->count - 1);
    return at && read_block(r, l, at);
}

static bool drop_axiom(parser *p) {
    const theory_token *name = expect_name(p, "the name of an axiom to leave out");
    if (!name) return false;
    theory *t = p->t;
    for (unsigned i = 0; i < t->axioms; i++) {
        if (!same_text(name, t->axiom[i].name)) continue;
        memmove(&t->axiom[i], &t->axiom[i + 1], (--t->axioms - i) * sizeof *t->axiom);
        return true;
    }
    return token_complain(p->list, name, p->e, "the base has no axiom '%.*s'; expected one to leave out",
                          (int)name->length, name->at);
}

static bool read_extends(theory_reading *r) {
    parser *p = &r->p;
    const token_list *list = p->list;
    const theory_token *name = expect_name(p, "the name of a theory");
    if (!name) return false;
    uint32_t at = p->at;
    if (!read_base(r, name)) return false;
    p->list = list;
    p->at = at;
    p->t->objects = arena_string(p->t, "", 0); /* are what the base was about */
    p->t->summary = arena_string(p->t, "", 0);
    while (!at_item_end(p))
        if (!expect_word(p, "-", "'-' and an axiom to leave out, or the next item") || !drop_axiom(p)) return false;
    return true;
}

static bool read_item(theory_reading *r) {
    static const struct {
        const char *word;
        bool (*parse)(parser *);
    } items[] = {{"summary", parse_summary},  {"object", parse_objects}, {"parameter", parse_parameter},
                 {"method", parse_method},    {"match", parse_match},    {"axiom", parse_axiom},
                 {"define", parse_definition}};
    parser *p = &r->p;
    p->scoped = p->hidden = p->slots = 0;
    assert(p->at < p->list->count && !p->labels_only);
    const theory_token *word = current(p);
    for (unsigned i = 0; i < sizeof items / sizeof *items; i++) {
        if (!token_is(word, items[i].word)) continue;
        p->at++;
        return items[i].parse(p) &&
               (at_item_end(p) || token_error(p->list, current(p), "the next item at the beginning of a line", p->e));
    }
    token_complain(p->list, word, p->e,
                   "'%.*s'; expected theory, summary, object, parameter, method, match, define or axiom",
                   (int)word->length, word->at);
    return false;
}

/* `at` is the place of the theory's name. */
static bool read_block(theory_reading *r, const token_list *list, uint32_t at) {
    parser *p = &r->p;
    r->nesting++;
    p->list = list;
    p->at = at;
    const theory_token *name = expect_name(p, "the theory's name");
    if (!name) return false;
    if (!at_item_end(p) && (!expect_word(p, "extends", "extends, or the next item") || !read_extends(r))) return false;
    p->t->name = arena_string(p->t, name->at, name->length);
    while (current(p)->kind != TOKEN_END && !token_is(current(p), "theory"))
        if (!read_item(r)) return false;
    r->nesting--;
    return true;
}

static bool begins_theory(const theory_token *t) { return t->begins_item && token_is(t, "theory"); }

static theory *read_theory(const token_list *l, uint32_t at, const char *parameters, error *e) {
    theory *t = MEM_NEW(theory);
    t->arena = MEM_NEW(struct theory_arena);
    t->name = t->summary = t->objects = arena_string(t, "", 0);
    theory_reading r = {.p = {.t = t, .e = e, .given = parameters}};
    bool good = read_block(&r, l, at) && take_given(&r.p, THEORY_PARAMETERS);
    for (unsigned k = 0; k < r.lists; k++) token_list_free(&r.shipped[k]);
    if (!good && !e->code) error_set(e, EXIT_BAD_INPUT, "%s: not a theory", l->file);
    return t;
}

/* Of a user's file (name NULL: its last theory) every theory is read, so that mistakes are found. */
static theory *read_wanted(const token_list *l, const char *name, const char *parameters, error *e) {
    theory *t = NULL;
    uint32_t last = 0;
    if (l->count < 2 || !begins_theory(&l->token[0])) {
        token_error(l, &l->token[0], "'theory' and a name", e);
        return NULL;
    }
    for (uint32_t i = 0; i < l->count; i++)
        if (begins_theory(&l->token[i]) && (!name || token_is(&l->token[i + 1], name))) last = i;
    for (uint32_t i = 0; i <= last && !e->code; i++) {
        if (!begins_theory(&l->token[i]) || (name && i < last)) continue;
        theory_free(t);
        t = read_theory(l, i + 1, i == last ? parameters : "", e);
    }
    return t;
}

/* As theories/base.thy has them. */
static void find_order_axioms(theory *t) {
    static const char *const order[] = {"(forall x0. !(b(x0,x0)))",
                                        "(forall x0,x1,x2. ((b(x0,x1) & b(x1,x2)) -> b(x0,x2)))",
                                        "(forall x0,x1. (!(x0 = x1) -> (b(x0,x1) ^ b(x1,x0))))"};
    for (unsigned i = 0; i < t->axioms; i++) {
        text written = {0};
        formula_print(t, t->axiom[i].as_written, &written);
        for (unsigned k = 0; k < sizeof order / sizeof *order; k++)
            t->axiom[i].of_order |= !strcmp(text_str(&written), order[k]);
        text_free(&written);
    }
}

static void name_with_parameters(theory *t, const char *parameters) {
    text name = {0};
    text_printf(&name, "%s%s", t->name, parameters);
    t->name = arena_string(t, name.at, name.size);
    text_free(&name);
}

theory *theory_parse(const char *source, const char *file, const char *parameters, error *e) {
    return theory_parse_named(source, file, NULL, parameters, e);
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
static bool is_slot(uint8_t slot, uint32_t bound) { return slot < THEORY_SLOTS && bound >> slot & 1; }

static void check_term(const theory *t, term x, uint32_t bound) {
    switch (x.kind) {
    case TERM_METHOD: assert(x.index < t->methods); break;
    case TERM_CONSTANT: assert(x.index < t->constants); break;
    case TERM_ARG: assert(x.index < HISTORY_MAX_ARGS && is_slot(x.slot, bound)); break;
    default: assert(is_slot(x.slot, bound));
    }
}

static void check_formula(const theory *t, const formula *f, uint32_t bound, bool normal);

static void check_tally(const theory *t, const formula *f, uint32_t bound) {
    for (uint32_t i = 0; i < f->summands; i++) {
        const summand *s = &f->summand[i];
        const uint32_t inside = s->kind == SUMMAND_TERM ? bound : bound | UINT32_C(1) << s->slot;
        if (s->kind != SUMMAND_COUNT) check_term(t, s->term, inside);
        if (s->kind == SUMMAND_TERM) continue;
        assert(s->part < f->parts && !is_slot(s->slot, bound));
        check_formula(t, f->part[s->part], inside, false);
    }
}

static void check_atom(const theory *t, const formula *f, uint32_t bound) {
    assert(f->parts == 0);
    if (f->kind == FORMULA_EQUAL || f->kind == FORMULA_LESS) {
        check_term(t, f->left, bound);
        check_term(t, f->right, bound);
        assert(term_sort(f->left) == term_sort(f->right));
        assert(f->kind == FORMULA_EQUAL || term_sort(f->left) == SORT_VALUE);
    } else if (f->kind != FORMULA_TRUE && f->kind != FORMULA_FALSE) {
        assert(is_slot(f->x, bound) && is_slot(f->y, bound));
    }
}

/* Every variable is bound (bits of `bound`), and once; connectives have as many parts as they need. In normal form
 * negation stands at atoms only, and ->, <->, ^ do not occur. */
static void check_formula(const theory *t, const formula *f, uint32_t bound, bool normal) {
    switch (f->kind) {
    case FORMULA_TALLY: check_tally(t, f, bound); return;
    case FORMULA_NOT:
        assert(f->parts == 1 && (!normal || f->part[0]->parts == 0 || f->part[0]->kind == FORMULA_TALLY));
        break;
    case FORMULA_AND:
    case FORMULA_OR: assert(f->parts >= 1); break;
    case FORMULA_IMPLIES:
    case FORMULA_IFF:
    case FORMULA_XOR: assert(f->parts == 2 && !normal); break;
    case FORMULA_FORALL:
    case FORMULA_EXISTS:
        assert(f->parts == 1 && f->bound > 0 && f->first + f->bound <= THEORY_SLOTS);
        for (unsigned v = 0; v < f->bound; v++) {
            assert(!is_slot((uint8_t)(f->first + v), bound));
            assert(t->methods == 32 || f->guard[v] >> t->methods == 0);
            bound |= UINT32_C(1) << (f->first + v);
        }
        break;
    default: check_atom(t, f, bound); return;
    }
    for (uint32_t i = 0; i < f->parts; i++) check_formula(t, f->part[i], bound, normal);
}

static void check_theory(const theory *t) {
    const uint32_t labels = 1u << MATCH_X | 1u << MATCH_Y;
    for (unsigned i = 0; i < t->axioms; i++) {
        assert(theory_axiom(t, t->axiom[i].name) == &t->axiom[i]); /* names are different */
        check_formula(t, t->axiom[i].as_written, 0, false);
        check_formula(t, t->axiom[i].normal, 0, true);
    }
    assert(!t->match == !t->match_normal);
    if (!t->match) return;
    check_formula(t, t->match, labels, false);
    check_formula(t, t->match_normal, labels, true);
}
#endif

theory *theory_parse_named(const char *source, const char *file, const char *name, const char *parameters, error *e) {
    token_list l;
    if (!lex(source, file, &l, e)) return NULL;
    theory *t = read_wanted(&l, name, parameters, e);
    token_list_free(&l);
    if (t && e->code) {
        theory_free(t);
        return NULL;
    }
    if (!t) return NULL;
    theory_set_guards(t);
    find_order_axioms(t);
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    check_theory(t);
#endif
    t->source = arena_string(t, source, strlen(source));
    name_with_parameters(t, parameters);
    return t;
}

const axiom *theory_axiom(const theory *t, const char *name) {
    for (unsigned i = 0; i < t->axioms; i++)
        if (!strcmp(t->axiom[i].name, name)) return &t->axiom[i];
    return NULL;
}

/* By name: what is called total says so. */
bool theory_is_total(const theory *t) { return theory_axiom(t, "total") != NULL; }
