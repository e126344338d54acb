/* The tokenizer: every text is read in one block and in blocks of 1, 2, 3, ... bytes, with the same result. */
#include "support/cmocka.h"

#include "format/token.h"

#include <stdlib.h>
#include <string.h>

typedef struct slices {
    const char *p;
    size_t left, step;
    char *copy; /* of exactly one slice, so that reading beyond it is found */
} slices;

static size_t next_slice(void *context, const char **p) {
    slices *s = context;
    size_t n = s->left < s->step ? s->left : s->step;
    free(s->copy);
    s->copy = malloc(n ? n : 1);
    memcpy(s->copy, s->p, n);
    s->p += n;
    s->left -= n;
    *p = s->copy;
    return n;
}

static void print_token(const token *k, text *out) {
    if (out->size) text_char(out, ' ');
    switch (k->kind) {
    case TOKEN_MAP: text_char(out, '{'); break;
    case TOKEN_LIST: text_char(out, '['); break;
    case TOKEN_CLOSE: text_char(out, ')'); break;
    case TOKEN_STRING: text_json(out, k->at, k->size); break;
    case TOKEN_KEYWORD: text_printf(out, ":%.*s", (int)k->size, k->at); break;
    case TOKEN_SYMBOL: text_printf(out, "'%.*s", (int)k->size, k->at); break;
    case TOKEN_INT: text_int(out, k->integer); break;
    case TOKEN_NUMBER: text_printf(out, "~%.*s", (int)k->size, k->at); break;
    case TOKEN_NIL: text_add(out, "nil"); break;
    case TOKEN_TRUE: text_add(out, "true"); break;
    case TOKEN_FALSE: text_add(out, "false"); break;
    default: break;
    }
}

static void run(dialect d, const char *p, size_t n, size_t step, text *out) {
    tokens t;
    token k;
    slices s = {.p = p, .left = n, .step = step};
    tokens_init(&t, d, "file", next_slice, &s);
    while (tokens_next(&t, &k) != TOKEN_END && k.kind != TOKEN_WRONG) print_token(&k, out);
    if (k.kind == TOKEN_WRONG) text_printf(out, "!%u: %s", tokens_line(&t), tokens_what(&t));
    tokens_free(&t);
    free(s.copy);
}

static void expect_bytes(dialect d, const char *p, size_t n, const char *want) {
    for (size_t step = n ? n : 1; step > 0; step = step > 9 ? 9 : step - 1) {
        text got = {0};
        run(d, p, n, step, &got);
        assert_string_equal(text_str(&got), want);
        text_free(&got);
    }
}

static void json(const char *p, const char *want) { expect_bytes(DIALECT_JSON, p, strlen(p), want); }
static void edn(const char *p, const char *want) { expect_bytes(DIALECT_EDN, p, strlen(p), want); }

static void json_values(void **unused) {
    (void)unused;
    json("", "");
    json(" {\"a\" : [1,-2, 3.5e+2,0] , \"b\":null,\"c\":{} ,\"d\":[true,false,\"\"]}\n",
         "{ \"a\" [ 1 -2 ~3.5e+2 0 ) \"b\" nil \"c\" { ) \"d\" [ true false \"\" ) )");
    json("9223372036854775807 -9223372036854775808 9223372036854775808 1e5",
         "9223372036854775807 -9223372036854775808 ~9223372036854775808 ~1e5");
}

static void json_strings(void **unused) {
    (void)unused;
    json("\"a\\n\\t\\\"\\\\\\/\\u0041\\u00e9\"", "\"a\\n\\t\\\"\\\\/A\xc3\xa9\"");
    json("\"\\ud83d\\ude00 \xf0\x9f\x98\x80\"", "\"\xf0\x9f\x98\x80 \xf0\x9f\x98\x80\"");
    json("\"\\ud83d\"", "!1: escape of a lone surrogate U+D83D; expected a pair \\uD8xx\\uDCxx");
    json("\"\\ude00\"", "!1: escape of a lone surrogate U+DE00; expected a pair \\uD8xx\\uDCxx");
    json("\"\\ud83d\\n\"", "!1: escape of a lone surrogate U+D83D; expected a pair \\uD8xx\\uDCxx");
    json("\"\\ud83d\\u0041\"", "!1: escape of a lone surrogate U+D83D; expected a pair \\uD8xx\\uDCxx");
    json("\"\\u12g4\"", "!1: bad \\u escape; expected four hexadecimal digits");
    json("\"\\x\"", "!1: bad escape in a string; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    json("\"a\tb\"", "!1: control character 0x09 inside a string; expected it escaped");
    json("\n\"abc", "!2: the text ends inside this string; expected '\"'");
    expect_bytes(DIALECT_JSON, "\"a\0b\"", 5, "!1: control character 0x00 inside a string; expected it escaped");
}

static void invalid_utf8(void **unused) {
    (void)unused;
    static const char *const bad[] = {"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"",
                                      "\"\xe2\x82\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        json(bad[i], "!1: invalid UTF-8; expected text in UTF-8");
        edn(bad[i], "!1: invalid UTF-8; expected text in UTF-8");
    }
    edn(":a\xff", "!1: invalid UTF-8; expected text in UTF-8");
}

static void json_grammar(void **unused) {
    (void)unused;
    json("{\"a\" 1}", "{ \"a\"!1: unexpected '1'; expected ':'");
    json("{\"a\":}", "{ \"a\"!1: unexpected '}'; expected a value");
    json("{\"a\":1,}", "{ \"a\" 1!1: unexpected '}'; expected a key in quotes");
    json("{a:1}", "{!1: unexpected 'a'; expected a key in quotes or '}'");
    json("[1 2]", "[ 1!1: unexpected '2'; expected ',' or the closing bracket");
    json("[1,]", "[ 1!1: unexpected ']'; expected a value");
    json("[1}", "[ 1!1: unexpected '}'; expected ']'");
    json("]", "!1: unexpected ']'; expected a value");
    json("\n[[1]", "[ [ 1 )!2: the file ends too early; expected ']'");
    json("{\"a\":1", "{ \"a\" 1!1: the file ends too early; expected '}'");
    json("nul", "!1: unexpected 'nul'; expected a value");
    json("01", "!1: bad number '01'; expected digits");
    json("-", "!1: unexpected '-'; expected a value");
    json("1.", "!1: bad number '1.'; expected digits");
    json("+1", "!1: unexpected '+'; expected a value");
}

static void edn_values(void **unused) {
    (void)unused;
    edn("", "");
    edn("{:a 1, :b/c [x -y? (nil true false)] \"k\" #{1 2}}",
        "{ :a 1 :b/c [ 'x '-y? [ nil true false ) ) \"k\" [ 1 2 ) )");
    edn("+5 -7 12N 99999999999999999999N 1.5 2M 3/4 1.5M 6.02e23 ##Inf",
        "5 -7 12 ~99999999999999999999 ~1.5 ~2M ~3/4 ~1.5M ~6.02e23 ~Inf");
    edn("\\a \\newline \\u0041 \\( \\\xc3\xa9 \\space", "\"a\" \"\\n\" \"A\" \"(\" \"\xc3\xa9\" \" \"");
    edn("\"two\nlines\" ; a comment\n; another\n:x", "\"two\\nlines\" :x");
    edn("nil nilly :nil", "nil 'nilly :nil");
}

static void edn_tags_and_discards(void **unused) {
    (void)unused;
    edn("#inst \"2020\" #jepsen.history.Op{:a 1} #a #b 3", "\"2020\" { :a 1 ) 3");
    edn("[1 #_ 2 3 #_[4 [5 #_ 6] {7}] #_ #_ 8 9 #_ #tag {} 10]", "[ 1 3 10 )");
    edn("{:a #_ :b 1 #_ :c #_ 2}", "{ :a 1 )");
    edn("[1 #_]", "[ 1!1: unexpected ']'; expected a form to discard");
    edn("[#t]", "[!1: unexpected ']'; expected a form behind the tag");
    edn("#_", "!1: the file ends too early; expected a value");
    edn("#_ [1", "!1: the file ends too early; expected ']'");
    edn("#3", "!1: unexpected '3'; expected #{, #_ or a tag behind '#'");
}

static void edn_grammar(void **unused) {
    (void)unused;
    edn("{:a}", "{ :a!1: unexpected '}'; expected a value for the map's last key");
    edn("{:a 1", "{ :a 1!1: the file ends too early; expected '}'");
    edn("[1)", "[ 1!1: unexpected ')'; expected ']'");
    edn("\n\n)", "!3: unexpected ')'; expected a value");
    edn(": a", "!1: unexpected ' '; expected a name behind ':'");
    edn("007", "!1: bad number '007'; expected digits");
    edn("1x", "!1: bad number '1x'; expected digits");
    edn("\\foo", "!1: unknown character name; expected \\a, \\newline, \\space, \\tab or \\uXXXX");
    edn("\"\\q\"", "!1: bad escape in a string; expected one of \\\" \\\\ \\b \\f \\n \\r \\t \\uXXXX");
    edn("@x", "!1: unexpected '@'; expected a value");
}

/* Nothing recurses over the input, so any depth is one clean error. */
static void deep_nesting(void **unused) {
    (void)unused;
    static char deep[100000];
    static const char openers[] = "[{(";
    for (size_t i = 0; openers[i]; i++) {
        memset(deep, openers[i], sizeof deep);
        for (dialect d = DIALECT_JSON; d <= DIALECT_EDN; d++) {
            if (d == DIALECT_JSON && openers[i] != '[') continue;
            text got = {0};
            run(d, deep, sizeof deep, 1000, &got);
            assert_non_null(strstr(text_str(&got), "!1: nested more than 200 deep; expected less"));
            text_free(&got);
        }
    }
}

static void deepest_allowed(void **unused) {
    (void)unused;
    char deep[2 * TOKEN_DEPTH];
    memset(deep, '[', TOKEN_DEPTH);
    memset(deep + TOKEN_DEPTH, ']', TOKEN_DEPTH);
    for (dialect d = DIALECT_JSON; d <= DIALECT_EDN; d++) {
        text got = {0};
        run(d, deep, sizeof deep, 7, &got);
        assert_int_equal(got.size, 2 * sizeof deep - 1);
        text_free(&got);
    }
}

static void value_is(dialect d, const char *p, bool reserved, const char *want) {
    tokens t;
    token k;
    slices s = {.p = p, .left = strlen(p), .step = 3};
    values *v = values_new();
    value made;
    text got = {0};
    tokens_init(&t, d, "file", next_slice, &s);
    tokens_next(&t, &k);
    assert_true(tokens_value(&t, &k, v, reserved, &made));
    value_print(v, made, &got);
    assert_string_equal(text_str(&got), want);
    assert_int_equal(tokens_next(&t, &k), TOKEN_END);
    text_free(&got);
    values_free(v);
    tokens_free(&t);
    free(s.copy);
}

static void values_from_tokens(void **unused) {
    (void)unused;
    value_is(DIALECT_JSON, "[1,[],\"a\",{\"k\":[null,true]}]", false, "[1 [] \"a\" {\"k\" [none true]}]");
    value_is(DIALECT_JSON, "[1.0,1e0,1.50,{\"b\":1,\"a\":2,\"b\":3}]", false, "[1 1 1.5 {\"a\" 2, \"b\" 3}]");
    value_is(DIALECT_EDN, "[#{3 1 2 1} #{} {} (1 2) {:b [] 1 #{}}]", false,
             "[#{1 2 3} #{} {} [1 2] {1 #{}, \"b\" []}]");
    value_is(DIALECT_EDN, "[1.5M -2.50e-3 1/3]", false, "[1.5 -0.0025 \"1/3\"]");
    value_is(DIALECT_EDN, "[:x [:empty] :empty]", true, "[\"x\" [\"empty\"] empty]");
    value_is(DIALECT_EDN, ":full", true, "full");
    value_is(DIALECT_EDN, ":full", false, "\"full\"");
    value_is(DIALECT_EDN, "\"empty\"", true, "\"empty\"");
    value_is(DIALECT_EDN, "99999999999999999999N", true, "99999999999999999999");
    value_is(DIALECT_JSON, "5000000000", false, "5000000000");
}

static void skipping(void **unused) {
    (void)unused;
    const char *p = "{\"a\":[1,{\"b\":[]}]} 7";
    tokens t = {0};
    token k;
    tokens_init_line(&t, DIALECT_JSON, p, strlen(p), 12);
    tokens_next(&t, &k);
    assert_true(tokens_skip(&t, &k));
    assert_int_equal(tokens_next(&t, &k), TOKEN_INT);
    assert_int_equal(k.line, 12);
    assert_true(tokens_skip(&t, &k));
    assert_int_equal(tokens_next(&t, &k), TOKEN_END);
    tokens_free(&t);
}

TEST_MAIN(TEST(json_values), TEST(json_strings), TEST(invalid_utf8), TEST(json_grammar), TEST(edn_values),
          TEST(edn_tags_and_discards), TEST(edn_grammar), TEST(deep_nesting), TEST(deepest_allowed),
          TEST(values_from_tokens), TEST(skipping))
