/* Every kind of formula and term as it is printed, with variables named by their slots. */
#include "support/cmocka.h"

#include "theory/theory.h"

static void prints(const char *formula_text, const char *expected) {
    error e = {0};
    text source = {0}, printed = {0};
    text_printf(&source,
                "theory t\nmethod a(value, value?, value?)\nmethod r() -> removed\nmatch: x != y\naxiom it: %s\n",
                formula_text);
    theory *t = theory_parse(text_str(&source), "f.thy", "", &e);
    if (!t) fail_msg("%s", e.what);
    formula_print(t, theory_axiom(t, "it")->as_written, &printed);
    assert_string_equal(text_str(&printed), expected);
    theory_free(t);
    text_free(&source);
    text_free(&printed);
}

static void connectives(void **unused) {
    (void)unused;
    prints("forall x. b(x,x) & x = x & b(x,x)", "(forall x0. (b(x0,x0) & x0 = x0 & b(x0,x0)))");
    prints("forall x. b(x,x) | x = x", "(forall x0. (b(x0,x0) | x0 = x0))");
    prints("forall x. b(x,x) -> x = x", "(forall x0. (b(x0,x0) -> x0 = x0))");
    prints("forall x. b(x,x) <-> x = x", "(forall x0. (b(x0,x0) <-> x0 = x0))");
    prints("forall x. b(x,x) ^ x = x", "(forall x0. (b(x0,x0) ^ x0 = x0))");
    prints("forall x. !b(x,x)", "(forall x0. !(b(x0,x0)))");
    prints("forall x. x != x", "(forall x0. !(x0 = x0))");
}

static void atoms(void **unused) {
    (void)unused;
    prints("forall x,y. b(y,x)", "(forall x0,x1. b(x1,x0))");
    prints("forall x,y. before(x,y)", "(forall x0,x1. b(x0,x1))");
    prints("forall x,y. match(y,x)", "(forall x0,x1. match(x1,x0))");
    prints("forall x,y. y = x", "(forall x0,x1. x1 = x0)");
    prints("forall x. atleast(0) y. b(x,y)", "(forall x0. (none = none))");
    prints("forall x. atmost(-1) y. b(x,y)", "(forall x0. !((none = none)))");
    prints("forall x. exists y,z. b(x,y)", "(forall x0. (exists x1,x2. b(x0,x1)))");
}

static void terms(void **unused) {
    (void)unused;
    prints("forall x,y. arg(x) = arg2(y)", "(forall x0,x1. arg(x0) = arg2(x1))");
    prints("forall x,y. arg3(x) < ret(y)", "(forall x0,x1. arg3(x0) < ret(x1))");
    prints("forall x,y. client(x) = client(y)", "(forall x0,x1. client(x0) = client(x1))");
    prints("forall x. meth(x) = r", "(forall x0. meth(x0) = r)");
    prints("forall x. a = meth(x)", "(forall x0. a = meth(x0))");
    prints("forall x. arg(x) = init", "(forall x0. arg(x0) = init)");
    prints("forall x. arg(x) = 12", "(forall x0. arg(x0) = 12)");
    prints("forall x. arg(x) = 12 - 3 + 1", "(forall x0. arg(x0) = 10)");
    prints("forall x. arg(x) = -12 - 3", "(forall x0. arg(x0) = -15)");
    prints("forall x. arg(x) = \"some text\"", "(forall x0. arg(x0) = \"some text\")");
    prints("forall x. arg(x) = none", "(forall x0. arg(x0) = none)");
    prints("forall x. arg(x) = null", "(forall x0. arg(x0) = none)");
    prints("forall x. ret(x) = empty", "(forall x0. ret(x0) = empty)");
    prints("forall x. ret(x) = full", "(forall x0. ret(x0) = full)");
    prints("forall x. ret(x) = true", "(forall x0. ret(x0) = true)");
    prints("forall x. ret(x) = false", "(forall x0. ret(x0) = false)");
}

TEST_MAIN(TEST(connectives), TEST(atoms), TEST(terms))
