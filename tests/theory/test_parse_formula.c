/* Formulas: scopes, definitions, counts; the largest that are read and the first that are refused, with place and
 * words. */
#include "support/cmocka.h"

#include "theory/theory.h"

#include <string.h>

#define HEAD "theory t\nmethod a(value)\nmethod r() -> removed\nmatch: x != y\n"

static theory *parse(const char *items) {
    error e = {0};
    text source = {0};
    text_printf(&source, HEAD "%s\n", items);
    theory *t = theory_parse(text_str(&source), "f.thy", "", &e);
    if (!t) fail_msg("%s", e.what);
    text_free(&source);
    return t;
}

static void reads(const char *items, const char *expected) {
    text printed = {0};
    theory *t = parse(items);
    formula_print(t, theory_axiom(t, "it")->as_written, &printed);
    assert_string_equal(text_str(&printed), expected);
    theory_free(t);
    text_free(&printed);
}

static void refuses(const char *items, const char *expected) {
    error e = {0};
    text source = {0};
    text_printf(&source, HEAD "%s\n", items);
    theory *t = theory_parse(text_str(&source), "f.thy", "", &e);
    if (t) fail_msg("read without complaint: %s", items);
    assert_string_equal(e.what, expected);
    assert_int_equal(e.code, EXIT_BAD_INPUT);
    text_free(&source);
}

static void inner_variables_hide_outer_ones(void **unused) {
    (void)unused;
    reads("axiom it: forall x,y. (exists x. b(x,y)) & b(x,y)", "(forall x0,x1. ((exists x2. b(x2,x1)) & b(x0,x1)))");
    reads("axiom it: forall x. (forall y. b(x,y)) & (exists z. b(z,x))",
          "(forall x0. ((forall x1. b(x0,x1)) & (exists x1. b(x1,x0))))");
    reads("axiom it: forall x. (atleast(1) y. b(x,y)) & (atleast(1) y. b(y,x))",
          "(forall x0. ((exists x1. (b(x0,x1))) & (exists x1. (b(x1,x0)))))");
    refuses("axiom it: forall x. (exists y. b(x,y)) & b(x,y)",
            "f.thy:5:46: 'y'; expected a variable bound by forall or exists");
    refuses("axiom it: forall x. (atleast(0) y. b(x,y)) & b(x,y)",
            "f.thy:5:50: 'y'; expected a variable bound by forall or exists");
    refuses("axiom it: forall x. (atleast(2) y. b(x,y)) & b(x,y)",
            "f.thy:5:50: 'y'; expected a variable bound by forall or exists");
}

static void definitions_stand_for_formulas(void **unused) {
    (void)unused;
    reads("define d(x, y): b(x,y) | b(y,x)\naxiom it: forall u,v. d(v,u)", "(forall x0,x1. (b(x1,x0) | b(x0,x1)))");
    reads("define d(x): exists y. b(x,y)\naxiom it: forall y. d(y) & b(y,y)",
          "(forall x0. ((exists x1. b(x0,x1)) & b(x0,x0)))");
    reads("define c(x): b(x,x)\ndefine d(y): !c(y)\naxiom it: forall x,y. d(y) & c(x)",
          "(forall x0,x1. (!(b(x1,x1)) & b(x0,x0)))");
    reads("define d(x): b(x,x)\ndefine d(x): x = x\naxiom it: forall x. d(x)", "(forall x0. x0 = x0)");
    reads("define d(p,q,r,s,t,u,v,w): b(p,w)\naxiom it: forall x,y. d(x,x,x,x,x,x,x,y)", "(forall x0,x1. b(x0,x1))");
    refuses("define d(p,q,r,s,t,u,v,w,x): b(p,w)", "f.thy:5:26: 'x'; expected at most eight variables");
    refuses("define d(x): b(x,x)\naxiom it: forall x,y. d(x,y)", "f.thy:6:26: ','; expected ')'");
    refuses("define d(x,y): b(x,y)\naxiom it: forall x,y. d(x)", "f.thy:6:26: ')'; expected ',' and another variable");
    refuses("define d(x): b(x,u)\naxiom it: forall u. d(u)",
            "f.thy:5:18: 'u'; expected a variable bound by forall or exists");
    refuses("define d(x): c(x)\ndefine c(x): b(x,x)", "f.thy:5:14: 'c'; expected a variable, meth(x), arg(x), ret(x), "
                                                      "client(x), count(x. F), sum(x. F, T), a method or a constant");
}

static void counts(void **unused) {
    (void)unused;
    reads("axiom it: atleast(1) x. b(x,x)", "(exists x0. (b(x0,x0)))");
    reads("axiom it: atleast(2) x. b(x,x)", "(exists x0,x1. (b(x0,x0) & b(x1,x1) & !(x0 = x1)))");
    reads("axiom it: atleast(1 + 2) x. b(x,x)",
          "(exists x0,x1,x2. (b(x0,x0) & b(x1,x1) & !(x0 = x1) & b(x2,x2) & !(x0 = x2) & !(x1 = x2)))");
    reads("axiom it: atmost(0) x. b(x,x)", "!((exists x0. (b(x0,x0))))");
    reads("axiom it: atleast(0) x. b(x,x)", "(none = none)");
    theory_free(parse("axiom it: atleast(12) x. b(x,x)"));
    refuses("axiom it: atleast(13) x. b(x,x)", "f.thy:5:23: a count of 13; expected at most 12");
    refuses("axiom it: atmost(12) x. b(x,x)", "f.thy:5:22: a count of 13; expected at most 12");
    refuses("axiom it: atleast(0) x. b(x,y)", "f.thy:5:29: 'y'; expected a variable bound by forall or exists");
    refuses("axiom it: atleast 2 x. b(x,x)", "f.thy:5:19: '2'; expected '(' and a number");
    refuses("axiom it: atleast(n) x. b(x,x)", "f.thy:5:19: 'n'; expected a number or a parameter's name");
    refuses("axiom it: atleast(2 x. b(x,x)", "f.thy:5:21: 'x'; expected ')'");
    refuses("axiom it: atleast(2) 3. b(x,x)", "f.thy:5:22: '3'; expected the name of a variable");
    refuses("axiom it: atleast(2) x b(x,x)", "f.thy:5:24: 'b'; expected '.' and a formula");
    refuses("axiom it: atleast(123456789012345678) x. b(x,x)",
            "f.thy:5:19: a number of 18 digits; expected at most 17");
    theory_free(parse("axiom it: forall x. arg(x) = 12345678901234567"));
}

/* Equal constants are one. */
static void constants_are_kept_once(void **unused) {
    (void)unused;
    theory *t =
        parse("axiom it: forall x. arg(x) = 1 | arg(x) = 2 | arg(x) = 1 | arg(x) = \"1\" | arg(x) = \"2\"\n"
              "  | arg(x) = \"1\" | arg(x) = none | arg(x) = empty | arg(x) = null | arg(x) = init | arg(x) = init");
    assert_int_equal(t->constants, 7);
    assert_false(t->sees_clients);
    theory_free(t);
    t = parse("axiom it: forall x,y. client(x) = client(y)");
    assert_true(t->sees_clients);
    assert_int_equal(t->constants, 0);
    theory_free(t);
}

static void mistakes(void **unused) {
    (void)unused;
    refuses("axiom it: forall x.", "f.thy:6:1: the file ends; expected a formula");
    refuses("axiom it: forall x. b(x", "f.thy:6:1: the file ends; expected ',' and a second variable");
    refuses("axiom it: forall x. b(x x)", "f.thy:5:25: 'x'; expected ',' and a second variable");
    refuses("axiom it: forall x. b(x,x", "f.thy:6:1: the file ends; expected ')'");
    refuses("axiom it: forall x. b(x,3)", "f.thy:5:25: '3'; expected a variable bound by forall or exists");
    refuses("axiom it: forall x. x", "f.thy:6:1: the file ends; expected = or != between variables");
    refuses("axiom it: forall x. x < x", "f.thy:5:23: '<'; expected = or != between variables");
    refuses("axiom it: forall x. x = 3", "f.thy:5:25: '3'; expected a variable bound by forall or exists");
    refuses("axiom it: forall x. arg(x)", "f.thy:6:1: the file ends; expected =, !=, < or <=");
    refuses("axiom it: forall x. arg(x) & b(x,x)", "f.thy:5:28: '&'; expected =, !=, < or <=");
    refuses("axiom it: forall x. arg(x) =", "f.thy:6:1: the file ends; expected a term");
    refuses("axiom it: forall x. client(x) = arg(x)",
            "f.thy:5:31: a client is compared with a value; expected two of one sort");
    refuses("axiom it: forall x. client(x) < client(x)", "f.thy:5:31: '<' between clients; expected values");
    refuses("axiom it: forall x,. b(x,x)", "f.thy:5:20: '.'; expected the name of a variable");
    refuses("axiom it: forall 3. b(x,x)", "f.thy:5:18: '3'; expected the name of a variable");
    refuses("axiom it: forall", "f.thy:6:1: the file ends; expected the name of a variable");
    refuses("axiom it: forall x. arg(x = 3", "f.thy:5:27: '='; expected ')'");
    refuses("axiom it: forall x. that(x) = 3", "f.thy:5:21: 'that'; expected a variable, meth(x), arg(x), ret(x), "
                                               "client(x), count(x. F), sum(x. F, T), a method or a constant");
    refuses("axiom it: !", "f.thy:6:1: the file ends; expected a formula");
    refuses("axiom it: forall x. (b(x,x)))",
            "f.thy:5:29: ')'; expected a connective (& | ^ -> <->) or the next item at "
            "the beginning of a line");
}

/* ---- limits: the last that fits, and the first that does not ---- */

static void repeat(text *out, const char *what, unsigned times) {
    for (unsigned i = 0; i < times; i++) text_add(out, what);
}

static void row_of(text *out, const char *before, const char *part, const char *sign, unsigned parts,
                   const char *behind) {
    text_clear(out);
    text_add(out, before);
    for (unsigned i = 0; i < parts; i++) text_printf(out, "%s%s", i ? sign : "", part);
    text_add(out, behind);
}

static void rows_and_depth_are_limited(void **unused) {
    (void)unused;
    text source = {0};
    row_of(&source, "axiom it: forall x. ", "b(x,x)", "&", 63, "");
    theory_free(parse(text_str(&source)));
    row_of(&source, "axiom it: forall x. ", "b(x,x)", "&", 64, "");
    refuses(text_str(&source), "f.thy:6:1: the file ends; expected fewer parts in one row");
    row_of(&source, "axiom it: forall x. ", "b(x,x)", "->", 99, "");
    theory_free(parse(text_str(&source)));
    row_of(&source, "axiom it: forall x. ", "b(x,x)", "->", 100, "");
    refuses(text_str(&source), "f.thy:5:813: nested too deeply; expected at most 100 levels");
    text_clear(&source);
    text_add(&source, "axiom it: forall x. ");
    repeat(&source, "!", 98);
    text_add(&source, "b(x,x)\naxiom again: forall x. b(x,x)");
    theory_free(parse(text_str(&source)));
    text_clear(&source);
    text_add(&source, "axiom it: forall x. ");
    repeat(&source, "!", 99);
    text_add(&source, "b(x,x)");
    refuses(text_str(&source), "f.thy:5:120: nested too deeply; expected at most 100 levels");
    text_free(&source);
}

static void variables_and_constants_are_limited(void **unused) {
    (void)unused;
    text source = {0};
    row_of(&source, "axiom it: forall ", "x", ",", THEORY_SLOTS, ". b(x,x)");
    theory_free(parse(text_str(&source)));
    row_of(&source, "axiom it: forall ", "x", ",", THEORY_SLOTS + 1, ". b(x,x)");
    refuses(text_str(&source), "f.thy:5:82: too many variables; expected at most 32 at once");
    text_clear(&source);
    for (unsigned i = 0; i < THEORY_CONSTANTS; i++) text_printf(&source, "axiom a%u: forall x. arg(x) = %u\n", i, i);
    theory *t = parse(text_str(&source));
    assert_int_equal(t->constants, THEORY_CONSTANTS);
    assert_int_equal(t->axioms, THEORY_AXIOMS);
    theory_free(t);
    text_add(&source, "axiom last: forall x. b(x,x)");
    refuses(text_str(&source), "f.thy:69:7: too many axioms; expected at most 64");
    text_clear(&source);
    for (unsigned i = 0; i < THEORY_CONSTANTS; i++) text_printf(&source, "define a%u(x): arg(x) = %u\n", i, i);
    theory_free(parse(text_str(&source)));
    text_add(&source, "axiom last: forall x. arg(x) = 64");
    refuses(text_str(&source), "f.thy:70:1: too many constants; expected at most 64");
    text_free(&source);
}

TEST_MAIN(TEST(inner_variables_hide_outer_ones), TEST(definitions_stand_for_formulas), TEST(counts),
          TEST(constants_are_kept_once), TEST(mistakes), TEST(rows_and_depth_are_limited),
          TEST(variables_and_constants_are_limited))
