/* The language: what is read is what was written, and mistakes are told with their place. */
#include "support/cmocka.h"

#include "theory/theory.h"

#include <string.h>

#define HEAD "theory t extends atomic\nmethod a(value)\nmethod r() -> removed\n"

static theory *parse(const char *source) {
    error e = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    if (!t) fail_msg("%s", e.what);
    return t;
}

static void reads_as(const char *formula_text, const char *expected) {
    text source = {0}, printed = {0};
    text_printf(&source, HEAD "axiom it: %s\n", formula_text);
    theory *t = parse(text_str(&source));
    formula_print(t, theory_axiom(t, "it")->as_written, &printed);
    assert_string_equal(text_str(&printed), expected);
    theory_free(t);
    text_free(&source);
    text_free(&printed);
}

static void normal_is(const char *formula_text, const char *expected) {
    text source = {0}, printed = {0};
    text_printf(&source, HEAD "axiom it: %s\n", formula_text);
    theory *t = parse(text_str(&source));
    formula_print(t, theory_axiom(t, "it")->normal, &printed);
    assert_string_equal(text_str(&printed), expected);
    theory_free(t);
    text_free(&source);
    text_free(&printed);
}

static void connectives_bind_as_documented(void **unused) {
    (void)unused;
    reads_as("forall x,y. b(x,y) & x=y | !b(y,x) -> b(x,x) <-> b(y,y)",
             "(forall x0,x1. ((((b(x0,x1) & x0 = x1) | !(b(x1,x0))) -> b(x0,x0)) <-> b(x1,x1)))");
    reads_as("forall x. b(x,x) -> b(x,x) -> b(x,x)", "(forall x0. (b(x0,x0) -> (b(x0,x0) -> b(x0,x0))))");
    reads_as("forall x. exists y. b(x,y) & (forall x. b(x,y))",
             "(forall x0. (exists x1. (b(x0,x1) & (forall x2. b(x2,x1)))))");
    reads_as("forall x. arg(x) < 5 & ret(x)!=empty & meth(x)=a\n  & arg(x)=\"q\" & ret(x)=-3",
             "(forall x0. (arg(x0) < 5 & !(ret(x0) = empty) & meth(x0) = a & arg(x0) = \"q\" & ret(x0) = -3))");
    reads_as("forall z. atmost(1) x. b(x,z)", "(forall x0. !((exists x1,x2. (b(x1,x0) & b(x2,x0) & !(x1 = x2)))))");
}

static void normal_forms(void **unused) {
    (void)unused;
    normal_is("forall x,y. !(b(x,y) -> x = y)", "(forall x0,x1. (b(x0,x1) & !(x0 = x1)))");
    normal_is("!(forall x. b(x,x) ^ x=x)", "(exists x0. ((b(x0,x0) & x0 = x0) | (!(b(x0,x0)) & !(x0 = x0))))");
    normal_is("!!(exists x. !(b(x,x) | x!=x))", "(exists x0. (!(b(x0,x0)) & x0 = x0))");
}

static void guards_are_found(void **unused) {
    (void)unused;
    error e = {0};
    theory *t = theory_open("queue", &e);
    const formula *f = theory_axiom(t, "fifo")->as_written; /* forall a1, a2, r2 */
    assert_int_equal(f->guard[0], 1u << theory_method(t, "enq"));
    assert_int_equal(f->guard[1], 1u << theory_method(t, "add"));
    assert_int_equal(f->guard[2], 1u << theory_method(t, "remove"));
    assert_int_equal(theory_axiom(t, "trans")->as_written->guard[0], 3);
    theory_free(t);
}

static void arguments_may_be_left_out(void **unused) {
    (void)unused;
    theory *t = parse(HEAD "method c(value, int?, value?)\n");
    const method *m = &t->method[theory_method(t, "c")];
    assert_int_equal(m->min_args, 1);
    assert_int_equal(m->max_args, 3);
    theory_free(t);
}

static void fails_with(const char *source, const char *expected) {
    error e = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    if (t) fail_msg("read without complaint: %s", source);
    if (!strstr(e.what, expected)) fail_msg("'%s' does not say '%s'", e.what, expected);
    assert_int_equal(e.code, EXIT_BAD_INPUT);
}

static void mistakes_are_told(void **unused) {
    (void)unused;
    fails_with("", "f.thy:1:1: the file ends; expected 'theory' and a name");
    fails_with("axiom x: true", "f.thy:1:1:");
    fails_with("theory t extends nothing\n", "f.thy:1:18: no theory 'nothing'");
    fails_with("theory t extends t\n", "f.thy:1:18: no theory 't'");
    fails_with("theory t extends atomic -fifo\n", "f.thy:1:26: the base has no axiom 'fifo'");
    fails_with(HEAD "axiom x forall\n", "f.thy:4:9: 'forall'; expected ':'");
    fails_with(HEAD "axiom x: forall x b(x,x)\n", "f.thy:4:19: 'b'; expected ','");
    fails_with(HEAD "axiom x: forall x. b(x,y)\n", "f.thy:4:24: 'y'; expected a variable bound");
    fails_with(HEAD "axiom x: forall x. b(x,x) &\naxiom y: forall x. b(x,x)\n",
               "f.thy:5:1: a new item begins ('axiom'); expected a formula");
    fails_with(HEAD "axiom x: forall x. (b(x,x)\n", "f.thy:5:1: the file ends; expected ')'");
    fails_with(HEAD "axiom x: forall x. b(x,x) b(x,x)\n", "f.thy:4:27: 'b'; expected a connective");
    fails_with(HEAD "axiom x: forall x. meth(x) = push\n", "f.thy:4:30: 'push'; expected");
    fails_with(HEAD "axiom x: forall x. meth(x) = ret(x)\n", "f.thy:4:28: a method is compared with a value");
    fails_with(HEAD "axiom x: forall x. meth(x) < a\n", "'<' between methods; expected values");
    fails_with(HEAD "match: b(x,y)\n", "f.thy:4:8: 'b' in the match condition");
    fails_with(HEAD "axiom total: forall x. b(x,x)\n", "f.thy:4:7: there is an axiom total already");
    fails_with(HEAD "method c(string)\n", "f.thy:4:10: 'string'; expected value or int");
    fails_with(HEAD "method c(value?, value)\n", "f.thy:4:23: ')'; expected '?'");
    fails_with(HEAD "method c() -> word\n", "f.thy:4:15: 'word'; expected nothing, value");
    fails_with(HEAD "axiom x: forall x. arg(x) = \"q\n", "f.thy:4:29: a string is not closed");
    fails_with(HEAD "axiom x: forall x. arg(x) = $\n", "f.thy:4:29: byte 0x24");
    fails_with(HEAD "lemma x: forall x. b(x,x)\n", "f.thy:4:1: 'lemma'; expected theory, summary");
    fails_with(HEAD "define d(x): d(x)\n", "f.thy:4:14: 'd'; expected");
}

static void nothing_overflows(void **unused) {
    (void)unused;
    text deep = {0}, wide = {0};
    text_add(&deep, HEAD "axiom x: forall x. ");
    for (unsigned i = 0; i < 100000; i++) text_char(&deep, i % 2 ? '(' : '!');
    fails_with(text_str(&deep), "nested too deeply");
    text_add(&wide, HEAD "axiom x: forall x. b(x,x)");
    for (unsigned i = 0; i < 40; i++) text_add(&wide, " ^ b(x,x)");
    fails_with(text_str(&wide), "too large");
    text_clear(&wide);
    text_add(&wide, HEAD "define d0(x): b(x,x)\n");
    for (unsigned i = 1; i < 40; i++) text_printf(&wide, "define d%u(x): d%u(x) & d%u(x)\n", i, i - 1, i - 1);
    fails_with(text_str(&wide), "too large");
    text_free(&deep);
    text_free(&wide);
}

/* Every beginning of every shipped file is read or refused, and nothing worse. */
static void beginnings_of_files(void **unused) {
    (void)unused;
    const theory_file *f;
    for (unsigned i = 0; (f = theory_file_at(i)); i++) {
        size_t n = strlen(f->source);
        char *copy = mem_copy(f->source, n + 1);
        for (size_t cut = n; cut > 0; cut -= cut > 7 ? 7 : cut) {
            error e = {0};
            copy[cut] = 0;
            theory *t = theory_parse(copy, f->name, "", &e);
            assert_true(!t == !!e.code);
            theory_free(t);
        }
        free(copy);
    }
}

static void parameters(void **unused) {
    (void)unused;
    error e = {0};
    theory *t = theory_open("semaphore(permits=3)", &e);
    assert_non_null(t);
    assert_int_equal(t->parameter[0], 3);
    assert_string_equal(t->name, "semaphore(permits=3)");
    theory_free(t);
    assert_null(theory_open("semaphore(99)", &e));
    assert_int_equal(e.code, EXIT_USAGE);
    e = (error){0};
    assert_null(theory_open("queue(3)", &e));
    e = (error){0};
    assert_null(theory_open("nothing", &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connectives_bind_as_documented),
        cmocka_unit_test(normal_forms),
        cmocka_unit_test(guards_are_found),
        cmocka_unit_test(arguments_may_be_left_out),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(nothing_overflows),
        cmocka_unit_test(beginnings_of_files),
        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
