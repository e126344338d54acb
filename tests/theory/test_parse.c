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

static void methods_are_what_they_say(void **unused) {
    (void)unused;
    theory *t = parse("theory t\nmethod n(int, int) -> nothing\nmethod v(int, value) -> value also w x-y z\nmethod "
                      "r(value?) -> removed\n"
                      "method p() -> bool\nmethod i(int?)\n  -> int\nmethod three(value, value, value)\n");
    static const struct {
        const char *name;
        unsigned min, max;
        argument_kind arg;
        result_kind result;
    } rows[] = {{"n", 2, 2, ARG_INT, RESULT_VOID},      {"v", 2, 2, ARG_VALUE, RESULT_VALUE},
                {"r", 0, 1, ARG_VALUE, RESULT_REMOVED}, {"p", 0, 0, ARG_VALUE, RESULT_BOOL},
                {"i", 0, 1, ARG_INT, RESULT_INT},       {"three", 3, 3, ARG_VALUE, RESULT_VOID}};
    assert_int_equal(t->methods, 6);
    for (unsigned i = 0; i < 6; i++) {
        const method *m = &t->method[i];
        assert_string_equal(m->name, rows[i].name);
        assert_int_equal(m->min_args, rows[i].min);
        assert_int_equal(m->max_args, rows[i].max);
        assert_int_equal(m->arg, rows[i].arg);
        assert_int_equal(m->result, rows[i].result);
        if (i != 1) assert_null(m->aliases);
    }
    assert_string_equal(t->method[1].aliases, "w x-y z");
    theory_free(t);
    fails_with(HEAD "method c(value, value, value, value)\n", "f.thy:4:31: 'value'; expected at most three arguments");
    fails_with(HEAD "method c(value value)\n", "f.thy:4:16: 'value'; expected ',' or ')'");
    fails_with(HEAD "method c() also\n", "f.thy:5:1: the file ends; expected another name of the method");
    fails_with(HEAD "method c() also d 3\n", "f.thy:4:19: '3'; expected another name of the method");
    fails_with(HEAD "method c() d\n", "f.thy:4:12: 'd'; expected 'also' and other names, or the next item");
    fails_with(HEAD "method c() ->\n", "f.thy:5:1: the file ends; expected nothing, value");
    fails_with(HEAD "method (value)\n", "f.thy:4:8: '('; expected the method's name");
}

/* One that the base has too is declared anew, in its place. */
static void methods_are_declared_anew(void **unused) {
    (void)unused;
    theory *t = parse("theory s\nmethod a()\nmethod b()\ntheory t extends s\nmethod a(value) -> bool\nmethod c()\n");
    assert_int_equal(t->methods, 3);
    assert_string_equal(t->method[0].name, "a");
    assert_int_equal(t->method[0].max_args, 1);
    assert_int_equal(t->method[0].result, RESULT_BOOL);
    assert_string_equal(t->method[2].name, "c");
    theory_free(t);
}

static void numbers_of_items_are_limited(void **unused) {
    (void)unused;
    text source = {0};
    text_add(&source, "theory t\n");
    for (unsigned i = 0; i < THEORY_METHODS; i++) text_printf(&source, "method m%u()\n", i);
    theory *t = parse(text_str(&source));
    assert_int_equal(t->methods, THEORY_METHODS);
    theory_free(t);
    text_add(&source, "method more()\n");
    fails_with(text_str(&source), "f.thy:34:8: too many methods; expected at most 32");
    text_clear(&source);
    text_add(&source, HEAD);
    for (unsigned i = 0; i < 64; i++) text_printf(&source, "define d%u(x): b(x,x)\n", i);
    theory_free(parse(text_str(&source)));
    text_add(&source, "define more(x): b(x,x)\n");
    fails_with(text_str(&source), "f.thy:68:8: too many definitions; expected at most 64");
    text_clear(&source);
    text_add(&source, "theory t\n");
    for (unsigned i = 0; i < THEORY_PARAMETERS; i++) text_printf(&source, "parameter p%u = 1\n", i);
    theory_free(parse(text_str(&source)));
    text_add(&source, "parameter more = 1\n");
    fails_with(text_str(&source), "too many parameters; expected at most");
    text_free(&source);
}

/* Texts of every size are kept, also those that are longer than what is allocated at a time. */
static void long_texts_are_kept(void **unused) {
    (void)unused;
    for (size_t size = 1; size < 70000; size = size * 3 + 1) {
        text source = {0}, summary = {0};
        for (size_t i = 0; i < size; i++) text_char(&summary, (char)('a' + i % 26));
        text_printf(
            &source,
            "theory s\nsummary \"%s\"\nobject queue\ntheory t\nsummary \"%s\"\nobject stack queue set\nmethod a()\n",
            text_str(&summary), text_str(&summary));
        theory *t = parse(text_str(&source));
        assert_string_equal(t->summary, text_str(&summary));
        assert_string_equal(t->objects, "stack queue set");
        assert_string_equal(t->source, text_str(&source));
        assert_string_equal(t->method[0].name, "a");
        theory_free(t);
        text_free(&source);
        text_free(&summary);
    }
}

/* The base's methods and axioms come first, without those left out; what it is about and for is not taken over. */
static void bases(void **unused) {
    (void)unused;
    theory *t = parse(
        "theory r\nsummary \"s\"\nobject queue\nmethod a()\naxiom one: forall x. b(x,x)\naxiom two: forall x. x=x\n"
        "axiom three: forall x. x!=x\ntheory t extends r -two\n  -one\naxiom four: forall x. x=x\n");
    assert_string_equal(t->name, "t");
    assert_string_equal(t->summary, "");
    assert_string_equal(t->objects, "");
    assert_int_equal(t->methods, 1);
    assert_int_equal(t->axioms, 2);
    assert_string_equal(t->axiom[0].name, "three");
    assert_string_equal(t->axiom[1].name, "four");
    assert_non_null(theory_axiom(t, "four"));
    assert_null(theory_axiom(t, "two"));
    assert_false(theory_is_total(t));
    theory_free(t);
    t = parse(HEAD);
    assert_true(theory_is_total(t));
    theory_free(t);
    fails_with("theory t extends queue -\n", "f.thy:2:1: the file ends; expected the name of an axiom to leave out");
    fails_with("theory t extends queue fifo\n",
               "f.thy:1:24: 'fifo'; expected '-' and an axiom to leave out, or the next item");
    fails_with("theory t extends\n", "f.thy:2:1: the file ends; expected the name of a theory");
    fails_with("theory t\nparameter\n", "f.thy:3:1: the file ends; expected the parameter's name");
    fails_with("theory t\nparameter = 3\n", "f.thy:2:11: '='; expected the parameter's name");
    fails_with("theory t of queue\n", "f.thy:1:10: 'of'; expected extends, or the next item");
    fails_with("theory t extends u\ntheory u\n", "f.thy:1:18: no theory 'u'; expected one from further up");
    fails_with("theory u\nlemma\ntheory t\n", "f.thy:2:1: 'lemma'; expected theory, summary");
}

/* A line that begins at its beginning is the next item, whatever it begins with. */
static void formulas_end_with_their_item(void **unused) {
    (void)unused;
    static const char *const operators[] = {"->", "<->", "&", "|", "^", "=", "!=", ",", ".", "("};
    for (unsigned i = 0; i < sizeof operators / sizeof *operators; i++) {
        text source = {0}, expected = {0};
        text_printf(&source, "theory t\nmethod a()\naxiom one: forall x. x=x\n%s x=x\n", operators[i]);
        text_printf(&expected, "f.thy:4:1: '%s'; expected theory, summary", operators[i]);
        fails_with(text_str(&source), text_str(&expected));
        text_free(&source);
        text_free(&expected);
    }
}

/* Theories build on each other, on a shipped one at last; not without end. */
static void many_bases(void **unused) {
    (void)unused;
    text source = {0};
    text_add(&source, "theory t0 extends queue\n");
    for (unsigned i = 1; i < 28; i++) text_printf(&source, "theory t%u extends t%u\n", i, i - 1);
    theory *t = parse(text_str(&source));
    assert_string_equal(t->name, "t27");
    assert_true(t->axioms > 0);
    theory_free(t);
    for (unsigned i = 28; i < 40; i++) text_printf(&source, "theory t%u extends t%u\n", i, i - 1);
    fails_with(text_str(&source), "more than 32 theories build on each other");
    text_free(&source);
}

/* The nearest theory of that name further up is the base; of a file that has several the last is read, or the one
 * named. */
static void theories_of_one_file(void **unused) {
    (void)unused;
    static const char source[] =
        "theory s\nmethod a()\ntheory s\nmethod b()\nmethod c()\ntheory t extends s\ntheory u\nmethod d()\n";
    error e = {0};
    theory *t = theory_parse_named(source, "f.thy", "t", "", &e);
    assert_non_null(t);
    assert_int_equal(t->methods, 2);
    assert_string_equal(t->method[0].name, "b");
    theory_free(t);
    t = parse(source);
    assert_string_equal(t->name, "u");
    theory_free(t);
}

static void parameters_are_given(void **unused) {
    (void)unused;
    static const char source[] = "theory t\nparameter low = -2, -5, 5\nparameter high = 6 + low - 1\n"
                                 "method a(int)\naxiom it: forall x. arg(x) = 1 + low | arg(x) = 0 + high\n";
    static const struct {
        const char *given;
        int64_t low, high;
    } right[] = {{"", -2, 3},
                 {"(4)", 4, 9},
                 {"(4,7)", 4, 7},
                 {"(-5, 0)", -5, 0},
                 {"(high=7)", -2, 7},
                 {"(high=7,low=5)", 5, 7},
                 {"(0, high=1073741824)", 0, 1073741824}};
    for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
        error e = {0};
        theory *t = theory_parse(source, "f.thy", right[i].given, &e);
        if (!t) fail_msg("%s", e.what);
        assert_int_equal(t->parameter[0], right[i].low);
        assert_int_equal(t->parameter[1], right[i].high);
        assert_int_equal(t->constant[0].integer, right[i].low + 1);
        assert_int_equal(t->constant[1].integer, right[i].high);
        assert_true(!strcmp(t->name + 1, right[i].given));
        assert_int_equal(t->parameters[0].standard, -2);
        theory_free(t);
    }
    static const struct {
        const char *given, *expected;
    } wrong[] = {{"(6)", "theory f.thy: low is '6'; expected -5 to 5"},
                 {"(-6)", "theory f.thy: low is '-6'; expected -5 to 5"},
                 {"(x)", "theory f.thy: low is 'x'; expected -5 to 5"},
                 {"(1x)", "theory f.thy: low is '1x'; expected -5 to 5"},
                 {"(high=)", "theory f.thy: high is ''; expected 0 to 1073741824"},
                 {"(high=1073741825)", "theory f.thy: high is '1073741825'; expected 0 to 1073741824"},
                 {"(1,2,4)", "theory t has no parameter for '4'"},
                 {"(hig=3)", "theory t has no parameter for 'hig=3'"},
                 {"(hugh=3)", "theory t has no parameter for 'hugh=3'"},
                 {"(3", "theory f.thy: '(3'; expected (parameter=value)"},
                 {"3)", "theory f.thy: '3)'; expected (parameter=value)"}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        error e = {0};
        assert_null(theory_parse(source, "f.thy", wrong[i].given, &e));
        assert_string_equal(e.what, wrong[i].expected);
        assert_int_equal(e.code, EXIT_USAGE);
    }
    fails_with("theory t\nparameter p 3\n", "f.thy:2:13: '3'; expected '=' and what it is unless said otherwise");
    fails_with("theory t\nparameter p = 3, 1\n", "f.thy:3:1: the file ends; expected ',' and the most it may be");
    fails_with("theory t\nparameter p = q\n", "f.thy:2:15: 'q'; expected a number or a parameter's name");
    fails_with("theory t\nparameter p = 1 + q\n", "f.thy:2:19: 'q'; expected a number or a parameter's name");
    fails_with("theory t\nparameter p = 3 4\n", "f.thy:2:17: '4'; expected the next item at the beginning of a line");
}

static void more_mistakes(void **unused) {
    (void)unused;
    fails_with("theory t\nobject queue 3\n", "f.thy:2:14: '3'; expected the name of an object");
    fails_with("theory t\nmatch meth(x)=meth(y)\n", "f.thy:2:7: 'meth'; expected ':' and a condition on x and y");
    fails_with("theory t\nmatch: x = y & match(x,y)\n",
               "f.thy:2:16: 'match' in the match condition; expected labels only");
    fails_with("theory t\nmatch: z = y\n", "f.thy:2:8: 'z'; expected a variable, meth(x)");
    fails_with("theory t\naxiom : x\n", "f.thy:2:7: ':'; expected the axiom's name");
    fails_with("theory t\ndefine (x): x=x\n", "f.thy:2:8: '('; expected the name of what is defined");
    fails_with("theory t\ndefine d x: x=x\n", "f.thy:2:10: 'x'; expected '(' and variables");
    fails_with("theory t\ndefine d(x,): x=x\n", "f.thy:2:12: ')'; expected a variable");
    fails_with("theory t\ndefine d(x: x=x\n", "f.thy:2:11: ':'; expected ')'");
    fails_with("theory t\ndefine d(x) x=x\n", "f.thy:2:13: 'x'; expected ':' and a formula");
    fails_with("theory\n", "f.thy:2:1: the file ends; expected");
    fails_with("  theory t\n", "f.thy:1:3: 'theory'; expected 'theory' and a name");
    fails_with("theory t\naxiom it: forall x. match(x,x)\nmatch: x = y\naxiom b: match(x,y)\n",
               "f.thy:4:16: 'x'; expected a variable bound");
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
        cmocka_unit_test(methods_are_what_they_say),
        cmocka_unit_test(methods_are_declared_anew),
        cmocka_unit_test(numbers_of_items_are_limited),
        cmocka_unit_test(long_texts_are_kept),
        cmocka_unit_test(bases),
        cmocka_unit_test(formulas_end_with_their_item),
        cmocka_unit_test(many_bases),
        cmocka_unit_test(theories_of_one_file),
        cmocka_unit_test(parameters_are_given),
        cmocka_unit_test(more_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
