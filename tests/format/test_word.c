/* Values as the line formats spell them: what each spelling means, what is refused and why, and that what is written is
 * read back. */
#include "support/cmocka.h"

#include "base/mem.h"
#include "format/word.h"

#include <stdlib.h>
#include <string.h>

/* One value is read up to `rest`, and is written as `written`. */
static void reads(const char *input, const char *written, const char *rest) {
    values *t = values_new();
    const char *wrong = NULL;
    value v = VALUE_UNKNOWN;
    text out = {0};
    const char *end = word_read(t, input, &v, &wrong);
    if (!end) fail_msg("%s: %s", input, wrong);
    assert_string_equal(end, rest);
    word_write(t, v, &out);
    assert_string_equal(text_str(&out), written);
    text_free(&out);
    values_free(t);
}

static void refuses(const char *input, const char *why) {
    values *t = values_new();
    const char *wrong = NULL;
    value v;
    assert_null(word_read(t, input, &v, &wrong));
    if (!strstr(wrong, why)) fail_msg("%s: got '%s', expected '%s'", input, wrong, why);
    values_free(t);
}

static void numbers(void **unused) {
    (void)unused;
    reads("0", "0", "");
    reads("-12 x", "-12", " x");
    reads("007", "7", "");
    reads("999999999999999999", "999999999999999999", "");
    reads("9223372036854775807", "9223372036854775807", "");
    reads("-9223372036854775808)", "-9223372036854775808", ")");
    reads("9223372036854775808", "9223372036854775808", ""); /* larger than 64 bits: a number all the same */
    reads("-9223372036854775809", "-9223372036854775809", "");
    reads("9.5,", "9.5", ",");
    reads("-0.25", "-0.25", "");
}

/* What fits 64 bits is the integer that it says, to the last digit. */
static void integers_of_64_bits(void **unused) {
    (void)unused;
    int64_t i = 0;
    assert_non_null(word_int("9223372036854775807", &i));
    assert_true(i == INT64_MAX);
    assert_non_null(word_int("-9223372036854775808", &i));
    assert_true(i == INT64_MIN);
    assert_null(word_int("9223372036854775808", &i));
    assert_null(word_int("-9223372036854775809", &i));
    assert_null(word_int("92233720368547758070", &i));
    assert_null(word_int("1234567890123456789x", &i));
    assert_null(word_int("12x", &i));
    assert_null(word_int("-", &i));
    assert_non_null(word_int("1000000000000000000]", &i));
    assert_true(i == INT64_C(1000000000000000000));
}

static void words(void **unused) {
    (void)unused;
    reads("x", "x", "");
    reads("key_3 ", "key_3", " ");
    reads("a-b.c:d/e", "a-b.c:d/e", "");
    reads("12e4", "\"12e4\"", ""); /* no number, and quoted so that no reader takes it for one */
    reads("-x", "\"-x\"", "");
    reads("Z\xc3\xbcrich", "\"Z\xc3\xbcrich\"", "");
    reads("true", "true", "");
    reads("false", "false", "");
    reads("empty", "empty", "");
    reads("full", "full", "");
    reads("none", "none", "");
    reads("nil", "none", "");
    reads("null", "none", "");
    reads("nullx", "nullx", "");
    reads("\"nil\"", "\"nil\"", "");
    reads("\"inf\"", "\"inf\"", "");
    refuses("", "no value");
    refuses(")", "no value");
    refuses("\xff", "invalid UTF-8");
}

static void quoted(void **unused) {
    (void)unused;
    reads("\"\"", "\"\"", "");
    reads("\"a b\" c", "\"a b\"", " c");
    reads("\"7\"", "\"7\"", "");
    reads("\"\\\"\\\\\\/\"", "\"\\\"\\\\/\"", "");
    reads("\"\\b\\f\\n\\r\\t\"", "\"\\x08\\x0c\\x0a\\x0d\\x09\"", "");
    reads("\"\\x00\\x7f\\xFf\\x9a\"", "\"\\x00\\x7f\\xff\\x9a\"", "");
    reads("\"\\u0041\\u00e9\"", "\"A\xc3\xa9\"", "");
    reads("\"\\u00E9\\u20ac\"", "\"\xc3\xa9\xe2\x82\xac\"", "");
    reads("\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", "");
    reads("\"\\udbff\\udfff\"", "\"\xf4\x8f\xbf\xbf\"", "");
    refuses("\"a", "string without end");
    refuses("\"\\", "bad escape; expected one of");
    refuses("\"\\q\"", "bad escape; expected one of");
    refuses("\"\\x1\"", "two hexadecimal digits");
    refuses("\"\\xg1\"", "two hexadecimal digits");
    refuses("\"\\x1g\"", "two hexadecimal digits");
    refuses("\"\\u004\"", "four hexadecimal digits");
    refuses("\"\\u1g00\"", "four hexadecimal digits");
    refuses("\"\\u100`\"", "four hexadecimal digits");
    refuses("\"\\u10@0\"", "four hexadecimal digits");
    refuses("\"\\u10/0\"", "four hexadecimal digits");
    refuses("\"\\u10:0\"", "four hexadecimal digits");
    refuses("\"\\ud83d\"", "lone surrogate");
    refuses("\"\\ud83dx\"", "lone surrogate");
    refuses("\"\\ud83d\\n\"", "lone surrogate");
    refuses("\"\\ud83d\\u0041\"", "lone surrogate");
    refuses("\"\\ud83d\\ue000\"", "lone surrogate");
    refuses("\"\\ude00\"", "lone surrogate");
    refuses("\"\\udc00\\udc00\"", "lone surrogate");
    refuses("\"\xff\"", "invalid UTF-8");
}

/* Tuples in tuples, so many. */
static char *nested(unsigned levels) {
    char *all = mem_zero(2 * levels + 2, 1);
    memset(all, '[', levels);
    all[levels] = '1';
    memset(all + levels + 1, ']', levels);
    return all;
}

static void tuples(void **unused) {
    (void)unused;
    reads("[]", "[]", "");
    reads("[ ]x", "[]", "x");
    reads("[1 2 x]", "[1 2 x]", "");
    reads("[1,2 , \"a b\"\t[3]]", "[1 2 \"a b\" [3]]", "");
    reads("[1 2 3 4 5 6 7 8 9 10]", "[1 2 3 4 5 6 7 8 9 10]", "");
    refuses("[1 2", "tuple without end");
    refuses("[", "tuple without end");
    refuses("[1 \"a", "string without end");
    refuses("[1,,2]", "no value");
    refuses("[)]", "no value");
    char *most = nested(VALUE_MOST_DEEP), *more = nested(VALUE_MOST_DEEP + 1);
    reads(most, most, "");
    refuses(more, "nested too deep");
    char *row = mem_zero(4 * VALUE_MOST_DEEP + 8, 1); /* one after the other is not one in the other */
    strcat(row, "[");
    for (unsigned i = 0; i < VALUE_MOST_DEEP + 1; i++) strcat(row, i ? " []" : "[]");
    strcat(row, "]");
    reads(row, row, "");
    free(most);
    free(more);
    free(row);
}

TEST_MAIN(TEST(numbers), TEST(integers_of_64_bits), TEST(words), TEST(quoted), TEST(tuples))
