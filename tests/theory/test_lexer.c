/* Words of theory files, seen from outside: what is one name, one number, one sign; comments and lines; places in
 * messages. */
#include "support/cmocka.h"

#include "theory/theory.h"

#include <string.h>

static void reads(const char *source, const char *name) {
    error e = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    if (!t) fail_msg("%s", e.what);
    assert_string_equal(t->name, name);
    theory_free(t);
}

static void refuses(const char *source, const char *expected) {
    error e = {0};
    theory *t = theory_parse(source, "f.thy", "", &e);
    if (t) fail_msg("read without complaint: %s", source);
    assert_string_equal(e.what, expected);
    assert_int_equal(e.code, EXIT_BAD_INPUT);
}

static void names(void **unused) {
    (void)unused;
    reads("theory azAZ_09\n", "azAZ_09");
    reads("theory _x\n", "_x");
    reads("theory Zebra-Zone\n", "Zebra-Zone");
    reads("theory a-b-c # a comment\n", "a-b-c");
    refuses("theory a-1\n", "f.thy:1:9: '-'; expected extends, or the next item");
    refuses("theory a-\n", "f.thy:1:9: '-'; expected extends, or the next item");
    refuses("theory 9a\n", "f.thy:1:8: '9'; expected the theory's name");
    refuses("theory a@\n", "f.thy:1:9: byte 0x40; expected a name, a number or a sign of the language");
    refuses("theory a[\n", "f.thy:1:9: byte 0x5b; expected a name, a number or a sign of the language");
    refuses("theory a{\n", "f.thy:1:9: byte 0x7b; expected a name, a number or a sign of the language");
    refuses("theory a`\n", "f.thy:1:9: byte 0x60; expected a name, a number or a sign of the language");
    refuses("theory a/\n", "f.thy:1:9: byte 0x2f; expected a name, a number or a sign of the language");
    refuses("theory a\xff\n", "f.thy:1:9: byte 0xff; expected a name, a number or a sign of the language");
    refuses("theory a:\n", "f.thy:1:9: ':'; expected extends, or the next item");
}

static void blanks_and_comments(void **unused) {
    (void)unused;
    reads("# first\n\n  # second\ntheory\ta\r\n# last", "a");
    reads("theory a", "a");
    reads("theory a\n \t\n", "a");
    refuses("# first\n\ntheory a\n\tb\n", "f.thy:4:2: 'b'; expected extends, or the next item");
    refuses("theory a\n# a line\n   b\n", "f.thy:3:4: 'b'; expected extends, or the next item");
    refuses("theory a # b\nc\n",
            "f.thy:2:1: 'c'; expected theory, summary, object, parameter, method, match, define or axiom");
}

/* Long words are cut in messages. */
static void places_and_lengths(void **unused) {
    (void)unused;
    refuses(
        "theory a\nmethod m() 1234567890123456789012345678901234567890123\n",
        "f.thy:2:12: '1234567890123456789012345678901234567890'; expected 'also' and other names, or the next item");
    refuses(
        "theory a\nmethod m() 1234567890123456789012345678901234567890\n",
        "f.thy:2:12: '1234567890123456789012345678901234567890'; expected 'also' and other names, or the next item");
    refuses("theory a\nmethod m\nmethod n()\n", "f.thy:3:1: a new item begins ('method'); expected '(' and the kinds "
                                                "of its arguments, or a blank before a line "
                                                "that goes on");
    refuses("theory a\nmethod m\n(value)\n", "f.thy:3:1: '('; expected '(' and the kinds of its arguments");
    refuses("theory a\nmethod m(\n", "f.thy:3:1: the file ends; expected value or int, or key in front");
}

static void signs(void **unused) {
    (void)unused;
    static const char head[] = "theory a\nmethod m(value)\naxiom it: forall x. ";
    static const struct {
        const char *formula, *printed;
    } rows[] = {
        {"arg(x)!=1", "(forall x0. !(arg(x0) = 1))"},
        {"b(x,x)<->b(x,x)", "(forall x0. (b(x0,x0) <-> b(x0,x0)))"},
        {"b(x,x)->b(x,x)", "(forall x0. (b(x0,x0) -> b(x0,x0)))"},
        {"arg(x)<-1", "(forall x0. arg(x0) < -1)"},
        {"arg(x)<1-2", "(forall x0. arg(x0) < -1)"},
        {"!b(x,x)", "(forall x0. !(b(x0,x0)))"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        error e = {0};
        text source = {0}, printed = {0};
        text_printf(&source, "%s%s", head, rows[i].formula);
        theory *t = theory_parse(text_str(&source), "f.thy", "", &e);
        if (!t) fail_msg("%s", e.what);
        formula_print(t, theory_axiom(t, "it")->as_written, &printed);
        assert_string_equal(text_str(&printed), rows[i].printed);
        theory_free(t);
        text_free(&source);
        text_free(&printed);
    }
}

/* What is in quotes is no word of the language. */
static void strings(void **unused) {
    (void)unused;
    error e = {0};
    theory *t =
        theory_parse("theory a\nsummary \"of # theory -> b\"\nmethod m(value)\naxiom it: forall x. arg(x) = \"\"\n",
                     "f.thy", "", &e);
    assert_non_null(t);
    assert_string_equal(t->summary, "of # theory -> b");
    assert_string_equal(t->constant[0].bytes, "");
    theory_free(t);
    refuses("theory a\nsummary \"of\n\"\n", "f.thy:2:9: a string is not closed; expected \" in the same line");
    refuses("theory a\nsummary \"", "f.thy:2:9: a string is not closed; expected \" in the same line");
    refuses("theory a\nsummary word\n", "f.thy:2:9: 'word'; expected a string");
    refuses("theory a\nsummary \"x\" \"y\"\n", "f.thy:2:13: 'y'; expected the next item at the beginning of a line");
    refuses("theory \"a\"\n", "f.thy:1:8: 'a'; expected the theory's name");
    refuses("theory a \"extends\" atomic\n", "f.thy:1:10: 'extends'; expected extends, or the next item");
}

TEST_MAIN(TEST(names), TEST(blanks_and_comments), TEST(places_and_lengths), TEST(signs), TEST(strings))
