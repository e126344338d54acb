/* Random formulas: the normal form is true where the formula is, whatever is in the history; guards leave nothing out;
 * and the evaluator finds a match exactly when one of all possible ones does. Judged by an evaluator that knows neither
 * guards nor open truths. */
#include "support/cmocka.h"

#include "base/random.h"
#include "theory/evaluate.h"

#include <string.h>

#define HEAD "theory t\nmethod enq(value)\nmethod deq() -> removed\nmatch: meth(x) = enq & meth(y) = deq & x != y\n"

enum { MOST = 2 };

typedef struct small_history {
    theory_binding b;
    operation op[MOST + 1];
    uint32_t n;
    unsigned match; /* bit x * n + y */
    uint32_t env[THEORY_SLOTS];
} small_history;

/* ---- formulas ---- */

static void write_atom(random_source *r, unsigned variables, text *out) {
    static const char *const unary[] = {"meth(v%u) = enq",  "deq = meth(v%u)",  "ret(v%u) = empty", "arg(v%u) = 1",
                                        "ret(v%u) != none", "arg(v%u) != init", "2 < arg(v%u)",     "arg(v%u) = \"q\""};
    static const char *const binary[] = {"b(v%u,v%u)",          "match(v%u,v%u)",           "v%u = v%u",
                                         "v%u != v%u",          "arg(v%u) = ret(v%u)",      "arg(v%u) < ret(v%u)",
                                         "meth(v%u)=meth(v%u)", "client(v%u) = client(v%u)"};
    unsigned x = random_below(r, variables), y = random_below(r, variables);
    if (random_below(r, 2)) text_printf(out, unary[random_below(r, sizeof unary / sizeof *unary)], x);
    else text_printf(out, binary[random_below(r, sizeof binary / sizeof *binary)], x, y);
}

static void write_formula(random_source *r, unsigned variables, unsigned depth, text *out) {
    static const char *const signs[] = {"&", "|", "->", "<->", "^", "&", "|"};
    unsigned kind = depth ? random_below(r, 10) : 0;
    if (kind < 2) {
        write_atom(r, variables, out);
    } else if (kind == 2) {
        text_add(out, "!(");
        write_formula(r, variables, depth - 1, out);
        text_char(out, ')');
    } else if (kind < 5 && variables < 4) {
        static const char *const words[] = {"forall", "exists", "atleast(2)", "atmost(1)", "atleast(0)"};
        text_printf(out, "(%s v%u. ", words[random_below(r, 5)], variables);
        write_formula(r, variables + 1, depth - 1, out);
        text_char(out, ')');
    } else {
        text_char(out, '(');
        write_formula(r, variables, depth - 1, out);
        text_printf(out, " %s ", signs[random_below(r, 7)]);
        write_formula(r, variables, depth - 1, out);
        text_char(out, ')');
    }
}

/* ---- truth by the definition ---- */

static uint32_t value_of(const small_history *h, term t) {
    const operation *op = &h->op[h->env[t.slot]];
    switch (t.kind) {
    case TERM_METHOD: return t.index;
    case TERM_CONSTANT: return h->b.constant[t.index];
    case TERM_METH: return h->b.method[op->method];
    case TERM_ARG: return op->arg[t.index];
    case TERM_RET: return op->res;
    default: return op->client;
    }
}

static bool holds(small_history *h, const formula *f);

static bool some(small_history *h, const formula *f, unsigned bound, bool wanted) {
    if (bound == f->bound) return holds(h, f->part[0]) == wanted;
    for (uint32_t i = 0; i < h->n; i++) {
        h->env[f->first + bound] = i;
        if (some(h, f, bound + 1, wanted)) return true;
    }
    return false;
}

static bool holds(small_history *h, const formula *f) {
    uint32_t x = h->env[f->x], y = h->env[f->y], count = 0;
    switch (f->kind) {
    case FORMULA_TRUE: return true;
    case FORMULA_FALSE: return false;
    case FORMULA_BEFORE: return x < y;
    case FORMULA_MATCH: return h->match >> (x * h->n + y) & 1;
    case FORMULA_SAME: return x == y;
    case FORMULA_EQUAL: return value_of(h, f->left) == value_of(h, f->right);
    case FORMULA_LESS: return value_compare(h->b.o->values, value_of(h, f->left), value_of(h, f->right)) < 0;
    case FORMULA_NOT: return !holds(h, f->part[0]);
    case FORMULA_IMPLIES: return !holds(h, f->part[0]) || holds(h, f->part[1]);
    case FORMULA_IFF: return holds(h, f->part[0]) == holds(h, f->part[1]);
    case FORMULA_XOR: return holds(h, f->part[0]) != holds(h, f->part[1]);
    case FORMULA_FORALL: return !some(h, f, 0, false);
    case FORMULA_EXISTS: return some(h, f, 0, true);
    default: break;
    }
    for (uint32_t i = 0; i < f->parts; i++) count += holds(h, f->part[i]);
    return f->kind == FORMULA_AND ? count == f->parts : count > 0;
}

/* The match relation may hold where its condition does. */
static bool may_match(small_history *h, unsigned match) {
    for (uint32_t x = 0; x < h->n; x++) {
        for (uint32_t y = 0; y < h->n; y++) {
            h->env[MATCH_X] = x;
            h->env[MATCH_Y] = y;
            if ((match >> (x * h->n + y) & 1) && !holds(h, h->b.t->match)) return false;
        }
    }
    return true;
}

static bool is_model(small_history *h, bool normal) {
    const axiom *a = theory_axiom(h->b.t, "it");
    for (unsigned match = 0; match < 1u << (h->n * h->n); match++) {
        h->match = match;
        if (may_match(h, match) && holds(h, normal ? a->normal : a->as_written)) return true;
    }
    return false;
}

/* ---- all small histories ---- */

static operation letter(const object *o, unsigned i) {
    values *v = o->values;
    operation op = {.key = VALUE_NONE, .client = i % 2, .arg = {VALUE_NONE, VALUE_NONE, VALUE_NONE}};
    op.method = (uint8_t)object_type_method(o->type, i < 3 ? "enq" : "deq");
    op.nargs = i < 3;
    if (i < 3) op.arg[0] = i == 2 ? value_bytes(v, "q", 1) : value_int(v, i + 1);
    op.res = i < 3 ? VALUE_NONE : i == 3 ? VALUE_EMPTY : value_int(v, i - 3);
    return op;
}

enum { LETTERS = 6 };

/* A word that has a model behind it may begin one. */
static void looks_into_the_future(small_history *h, const char *source) {
    bool extends = is_model(h, false);
    for (unsigned i = 0; i < LETTERS && !extends && h->n < MOST; i++) {
        h->op[h->n] = letter(h->b.o, i);
        h->n++;
        extends = is_model(h, false);
        h->n--;
    }
    if (extends && !theory_may_begin(&h->b, h->op, h->n)) fail_msg("refused for good, and goes on:\n%s", source);
}

static void check_history(small_history *h, const char *source, unsigned count[2]) {
    bool right = is_model(h, false);
    if (is_model(h, true) != right) fail_msg("the normal form of\n%s says otherwise", source);
    if (theory_is_model(&h->b, h->op, h->n, NULL) != right)
        fail_msg("the evaluator does not say %d of\n%s", right, source);
    if (!right && h->n == 0) assert_string_equal(theory_failing_axiom(&h->b, h->op, 0), "it");
    if (right) assert_null(theory_failing_axiom(&h->b, h->op, h->n));
    looks_into_the_future(h, source);
    count[right]++;
}

static void check_formula(const object *o, const char *source, unsigned count[2]) {
    error e = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    if (!t) fail_msg("%s\n%s", e.what, source);
    small_history h = {0};
    theory_bind(t, o, &h.b);
    check_history(&h, source, count);
    for (unsigned i = 0; i < LETTERS; i++) {
        h.n = 1;
        h.op[0] = letter(o, i);
        check_history(&h, source, count);
        for (unsigned j = 0; j < LETTERS; j++) {
            h.n = 2;
            h.op[1] = letter(o, j);
            check_history(&h, source, count);
        }
    }
    theory_free(t);
}

/* What is printed reads as the same formula. */
static void check_printed(const char *source) {
    error e = {0};
    text first = {0}, again = {0}, second = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    formula_print(t, theory_axiom(t, "it")->as_written, &first);
    text_printf(&again, HEAD "axiom it: %s\n", text_str(&first));
    theory_free(t);
    t = theory_parse(text_str(&again), "f.thy", "", &e);
    if (!t) fail_msg("%s: %s", e.what, text_str(&again));
    formula_print(t, theory_axiom(t, "it")->as_written, &second);
    if (!strstr(source, "atleast(0)")) assert_string_equal(text_str(&first), text_str(&second));
    theory_free(t);
    text_free(&first);
    text_free(&again);
    text_free(&second);
}

static void random_formulas(void **unused) {
    (void)unused;
    error e = {0};
    object *o = object_open("queue", NULL, &e);
    values *v = values_new();
    object_use_values(o, v);
    random_source r = {77};
    unsigned count[2] = {0};
    for (unsigned i = 0; i < 1500; i++) {
        text source = {0};
        text_printf(&source, HEAD "axiom it: %s v0. ", i % 3 ? "forall" : "exists");
        write_formula(&r, 1, 1 + random_below(&r, 4), &source);
        text_char(&source, '\n');
        check_formula(o, text_str(&source), count);
        check_printed(text_str(&source));
        text_free(&source);
    }
    print_message("%u models, %u that are none\n", count[1], count[0]);
    assert_true(count[0] > 10000 && count[1] > 10000);
    object_close(o);
    values_free(v);
}

/* An operation whose method cannot make a difference is left out: by the methods named, and by what may match. */
static void guards(void **unused) {
    (void)unused;
    static const struct {
        const char *formula;
        uint32_t guard; /* enq 1, deq 2 */
    } rows[] = {
        {"forall x. meth(x) = enq -> arg(x) = 1", 1},
        {"forall x. deq = meth(x) -> arg(x) = 1", 2},
        {"forall x. meth(x) != enq | arg(x) = 1", 1},
        {"forall x. arg(x) = 1 -> meth(x) = enq", 2},
        {"forall x. arg(x) = 1", 3},
        {"forall x. !(meth(x) = enq & arg(x) = 1)", 1},
        {"forall x. (exists y. match(x,y)) -> arg(x) = 1", 1},
        {"forall x. (exists y. match(y,x)) -> arg(x) = 1", 2},
        {"forall x. (forall y. meth(x) = enq) | arg(x) = 1", 2},
        {"exists x. meth(x) = deq & arg(x) = 1", 2},
        {"exists x. meth(x) = deq | arg(x) = 1", 3},
        {"exists x. match(x,x)", 0},
        {"exists x. forall y. meth(x) = enq -> arg(y) = 1", 3},
        {"exists x. (meth(x) = enq -> meth(x) = deq) & arg(x) = 1", 2},
        {"exists x. meth(x) = enq ^ arg(x) = 1", 3},
        {"forall x. meth(x) = meth(x) & meth(x) = deq", 3},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        error e = {0};
        text source = {0};
        text_printf(&source, HEAD "axiom it: %s\n", rows[i].formula);
        theory *t = theory_parse(text_str(&source), "f.thy", "", &e);
        if (!t) fail_msg("%s", e.what);
        if (theory_axiom(t, "it")->as_written->guard[0] != rows[i].guard)
            fail_msg("%s: guard %u", rows[i].formula, theory_axiom(t, "it")->as_written->guard[0]);
        assert_true(theory_axiom(t, "it")->normal->guard[0] == rows[i].guard);
        theory_free(t);
        text_free(&source);
    }
}

TEST_MAIN(TEST(random_formulas), TEST(guards))
