/* Words, numbers, strings and characters of JSON and EDN: which bytes belong to them, where they end, what they are. */
#include "support/cmocka.h"

#include "format/lexeme.h"
#include "support/expected.h"

#include <string.h>

static size_t no_more(void *context, const char **p) {
    (void)context;
    *p = "";
    return 0;
}

static lexer over(const char *p, size_t n) { return (lexer){.p = p, .end = p + n, .more = no_more, .line = 1}; }

static void say_rest(lexer *x, text *out) {
    if (x->wrong[0]) text_printf(out, "wrong: %s", x->wrong);
    else text_json(out, x->at, x->size);
    text_printf(out, ", line %u, left %zu\n", x->line, (size_t)(x->end - x->p));
    text_free(&x->gathered);
}

/* ---- words ---- */

static void bytes_of_words(void **unused) {
    (void)unused;
    for (int c = 1; c < 128; c++) {
        const char all[] = {'a', (char)c, 'b'};
        lexer x = over(all, sizeof all);
        assert_true(lexer_word(&x));
        const bool ends = c <= ' ' || c == 127 || strchr(",()[]{}\";^`\\@", c);
        assert_int_equal(x.size, ends ? 1 : 3);
        text_free(&x.gathered);
    }
}

/* ---- numbers ---- */

/* The word is these bytes and no more: what follows them in memory is another word's. */
static void expect_number(const char *word, const char *behind, bool json, number_kind want, int64_t integer) {
    char all[64];
    const size_t n = strlen(word);
    memcpy(all, word, n);
    memcpy(all + n, behind, strlen(behind) + 1);
    lexer x = {.at = all, .size = n};
    assert_int_equal(lexer_number(&x, json), want);
    if (want == NUMBER_INT) assert_int_equal(x.integer, integer);
}

static void numbers(void **unused) {
    static const struct {
        const char *word;
        number_kind json, edn;
        int64_t integer;
    } cases[] = {
        {"0", NUMBER_INT, NUMBER_INT, 0},
        {"7", NUMBER_INT, NUMBER_INT, 7},
        {"-7", NUMBER_INT, NUMBER_INT, -7},
        {"+7", NUMBER_NOT, NUMBER_INT, 7},
        {"-", NUMBER_NOT, NUMBER_NOT, 0},
        {"07", NUMBER_NOT, NUMBER_NOT, 0},
        {"7N", NUMBER_NOT, NUMBER_INT, 7},
        {"7NN", NUMBER_NOT, NUMBER_NOT, 0},
        {"7.", NUMBER_NOT, NUMBER_OTHER, 0},
        {"7.5", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"7.5M", NUMBER_NOT, NUMBER_OTHER, 0},
        {"7.5MM", NUMBER_NOT, NUMBER_NOT, 0},
        {"7M", NUMBER_NOT, NUMBER_OTHER, 0},
        {"7e2", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"7E+2", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"7e-2", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"7e", NUMBER_NOT, NUMBER_NOT, 0},
        {"7e+", NUMBER_NOT, NUMBER_NOT, 0},
        {"7e*2", NUMBER_NOT, NUMBER_NOT, 0},
        {"7.5e2", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"7e123456789012345678", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"7e1234567890123456789", NUMBER_NOT, NUMBER_NOT, 0},
        {"7e0001234567890123456789", NUMBER_NOT, NUMBER_NOT, 0},
        {"7e000123456789012345678", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"7/2", NUMBER_NOT, NUMBER_OTHER, 0},
        {"7/", NUMBER_NOT, NUMBER_NOT, 0},
        {"7/2x", NUMBER_NOT, NUMBER_NOT, 0},
        {"7x", NUMBER_NOT, NUMBER_NOT, 0},
        {"9223372036854775807", NUMBER_INT, NUMBER_INT, INT64_MAX},
        {"9223372036854775808", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"-9223372036854775808", NUMBER_INT, NUMBER_INT, INT64_MIN},
        {"-9223372036854775809", NUMBER_OTHER, NUMBER_OTHER, 0},
        {"99999999999999999999", NUMBER_OTHER, NUMBER_OTHER, 0},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const behind[] = {"", "0", "5e5", ".5", "N", "M", "/3"};
        for (size_t b = 0; b < sizeof behind / sizeof *behind; b++) {
            expect_number(cases[i].word, behind[b], true, cases[i].json, cases[i].integer);
            expect_number(cases[i].word, behind[b], false, cases[i].edn, cases[i].integer);
        }
    }
}

/* ---- strings and characters ---- */

static const char *const strings[] = {
    "abc\" rest",
    "\"",
    "",
    "ab",
    "a\\\"b\"",
    "\\\\ \\/ \\b \\f \\n \\r \\t\"",
    "\\x\"",
    "\\",
    "a\nb\"",
    "a\tb\"",
    "a\x1f"
    "b\"",
    "a\x7f"
    "b\"",
    "\\u0041\"",
    "\\u00e9\\u20AC\\uFfFf\"",
    "\\ud83d\\ude00\"",
    "\\ud800\"",
    "\\ud800x\"",
    "\\ud800\\n\"",
    "\\ud800\\udbff\"",
    "\\ud800\\udc00\"",
    "\\udbff\\udfff\"",
    "\\ud800\\ue000\"",
    "\\udc00\"",
    "\\udfff\"",
    "\\u12\"",
    "\\u12g4\"",
    "\\u12G4\"",
    "\\u12/4\"",
    "\\u12:4\"",
    "\\u12@4\"",
    "\\u12`4\"",
    "\xc3\xa9\"",
    "\xc3\"",
    "\xff\"",
};

static void every_string(void **unused) {
    (void)unused;
    text out = {0};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        for (unsigned json = 0; json < 2; json++) {
            lexer x = over(strings[i], strlen(strings[i]));
            text_add(&out, json ? "json \"" : "edn  \"");
            text_json(&out, strings[i], strlen(strings[i]));
            text_printf(&out, " %s ", lexer_string(&x, json) ? "is" : "refused,");
            say_rest(&x, &out);
        }
    is_expected("tests/format/expected/strings.txt", &out);
}

static const char *const characters[] = {
    "a",     "a b",   "ab",     "",         " ",         "(x",    ",",     "newline", "newlines",
    "space", "tab",   "return", "formfeed", "backspace", "u0041", "u20aC", "u004",    "u00411",
    "u004g", "v0041", "ud800",  "\xc3\xa9", "\xc3\xa9x", "\xc3",  "\x7f",  "~",       "!x",
};

static void every_character(void **unused) {
    (void)unused;
    text out = {0};
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        lexer x = over(characters[i], strlen(characters[i]));
        text_char(&out, '\\');
        text_json(&out, characters[i], strlen(characters[i]));
        text_printf(&out, " %s ", lexer_char(&x) ? "is" : "refused,");
        say_rest(&x, &out);
    }
    is_expected("tests/format/expected/characters.txt", &out);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(bytes_of_words), TEST(numbers), TEST(every_string), TEST(every_character)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
