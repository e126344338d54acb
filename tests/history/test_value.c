/* Values: equal ones have one handle, numbers are ordered by size, sets and maps have no order and are no tuples. */
#include "support/cmocka.h"

#include "base/random.h"
#include "history/decimal.h"
#include "history/value.h"
#include "history/value_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static value number(values *t, const char *s) {
    value v;
    if (!value_number(t, s, strlen(s), &v)) fail_msg("%s is no number", s);
    return v;
}

static void equal_numbers_are_one_value(void **unused) {
    (void)unused;
    static const char *const same[][4] = {
        {"1", "1.0", "1e0", "10e-1"},
        {"0", "-0", "0.000", "0e99999999999999999999"},
        {"9.5", "95e-1", "0.95E1", "+9.500M"},
        {"18446744073709551616", "18446744073709551616.0", "1.8446744073709551616e19", "18446744073709551616N"},
        {"-9223372036854775808", "-9223372036854775808.0", "-9.223372036854775808e18", "-9223372036854775808N"},
        {"1e300", "1.0E+300", "10e299", "0.1e301"}};
    values *t = values_new();
    for (unsigned i = 0; i < sizeof same / sizeof *same; i++)
        for (unsigned k = 1; k < 4; k++) {
            if (i == 1 && k == 3) continue; /* its exponent is too long */
            assert_int_equal(number(t, same[i][0]), number(t, same[i][k]));
        }
    assert_int_equal(number(t, "1"), value_int(t, 1));
    assert_int_equal(number(t, "-9223372036854775808"), value_int(t, INT64_MIN));
    assert_int_equal(value_kind_of(t, number(t, "9223372036854775808")), KIND_NUMBER);
    assert_int_not_equal(number(t, "1.5"), value_bytes(t, "1.5", 3));
    values_free(t);
}

static void numbers_are_ordered_by_size(void **unused) {
    (void)unused;
    static const char *const ascending[] = {"-1e400",
                                            "-18446744073709551616",
                                            "-9223372036854775808",
                                            "-10.5",
                                            "-9.5",
                                            "-1e-400",
                                            "0",
                                            "1e-400",
                                            "0.1",
                                            "0.11",
                                            "1",
                                            "1.5",
                                            "2",
                                            "9.5",
                                            "10.5",
                                            "100",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "18446744073709551615",
                                            "1e400"};
    enum { N = sizeof ascending / sizeof *ascending };
    values *t = values_new();
    for (unsigned i = 0; i < N; i++)
        for (unsigned k = 0; k < N; k++) {
            int c = value_compare(t, number(t, ascending[i]), number(t, ascending[k]));
            assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
        }
    assert_true(value_compare(t, number(t, "1e400"), value_bytes(t, "", 0)) < 0); /* numbers before strings */
    assert_true(value_compare(t, number(t, "-1e400"), VALUE_TRUE) > 0);
    values_free(t);
}

static void what_is_no_number(void **unused) {
    (void)unused;
    static const char *const none[] = {"", "-", "x", "1.2.3", "1e", "1/3", ".5", "1e1234567890123456789", "0x10", "1 "};
    values *t = values_new();
    value v;
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(value_number(t, none[i], strlen(none[i]), &v));
    values_free(t);
}

/* What is printed is read as the same number, in the shortest digits. */
static void numbers_print_as_they_are(void **unused) {
    (void)unused;
    static const char *const given[][2] = {{"9.50", "9.5"},
                                           {"-0.0010", "-0.001"},
                                           {"1e-9", "1e-9"},
                                           {"18446744073709551615", "18446744073709551615"},
                                           {"1e20", "100000000000000000000"},
                                           {"15e299", "1.5e+300"}};
    values *t = values_new();
    for (unsigned i = 0; i < sizeof given / sizeof *given; i++) {
        text out = {0};
        value v = number(t, given[i][0]);
        value_print(t, v, &out);
        assert_string_equal(text_str(&out), given[i][1]);
        assert_int_equal(number(t, text_str(&out)), v);
        text_free(&out);
    }
    values_free(t);
}

/* Against the machine's integers: decimals of up to 15 digits scaled to integers. */
static void order_agrees_with_integers(void **unused) {
    (void)unused;
    values *t = values_new();
    random_source r = {7};
    for (unsigned i = 0; i < 20000; i++) {
        int64_t a = (int64_t)random_below(&r, 2000000) - 1000000, b = (int64_t)random_below(&r, 2000000) - 1000000;
        char sa[40], sb[40];
        snprintf(sa, sizeof sa, "%llde-3", (long long)a);
        snprintf(sb, sizeof sb, "%s%lld.%03lld", b < 0 ? "-" : "", (long long)llabs(b) / 1000,
                 (long long)llabs(b) % 1000);
        value va = number(t, sa), vb = number(t, sb);
        int c = value_compare(t, va, vb);
        assert_int_equal((c > 0) - (c < 0), (a > b) - (a < b));
        assert_int_equal(va == vb, a == b);
    }
    values_free(t);
}

static void sets_and_maps_have_no_order(void **unused) {
    (void)unused;
    values *t = values_new();
    value one = value_int(t, 1), two = value_int(t, 2), x = value_bytes(t, "x", 1);
    value a = value_set_of(t, (value[]){one, two, x}, 3), b = value_set_of(t, (value[]){x, one, two, one}, 4);
    assert_int_equal(a, b);
    assert_int_not_equal(a, value_tuple(t, (value[]){one, two, x}, 3));
    value m = value_map_of(t, (value[]){one, x, two, x}, 4),
          n = value_map_of(t, (value[]){two, x, one, two, one, x}, 6);
    assert_int_equal(m, n);
    assert_int_not_equal(m, value_set_of(t, (value[]){one, x, two, x}, 4));
    assert_int_not_equal(value_set_of(t, NULL, 0), value_map_of(t, NULL, 0));
    assert_int_not_equal(value_set_of(t, NULL, 0), value_tuple(t, NULL, 0));
    text out = {0};
    value_print(t, a, &out);
    text_char(&out, ' ');
    value_print(t, m, &out);
    assert_string_equal(text_str(&out), "#{1 2 \"x\"} {1 \"x\", 2 \"x\"}");
    text_free(&out);
    values_free(t);
}

/* Copies are the same in a table that was filled in another order; so is what is encoded and decoded. */
static void copies_are_the_same(void **unused) {
    (void)unused;
    values *t = values_new(), *other = values_new();
    value set = value_set_of(t, (value[]){value_bytes(t, "b", 1), value_bytes(t, "a", 1), number(t, "2.5")}, 3);
    value map = value_map_of(t, (value[]){set, number(t, "1e99"), value_int(t, INT64_MAX), VALUE_EMPTY}, 4);
    value all = value_tuple(t, (value[]){map, set, VALUE_TRUE}, 3);
    value_bytes(other, "a", 1);
    value copy = value_copy(other, t, all);
    text one = {0}, two = {0}, code = {0};
    value_print(t, all, &one);
    value_print(other, copy, &two);
    assert_string_equal(text_str(&one), text_str(&two));
    value_encode(t, all, &code);
    const char *at = text_str(&code);
    assert_int_equal(value_decode(other, &at), copy);
    assert_int_equal(value_copy(t, other, copy), all);
    text_free(&one);
    text_free(&two);
    text_free(&code);
    values_free(t);
    values_free(other);
}

TEST_MAIN(TEST(equal_numbers_are_one_value), TEST(numbers_are_ordered_by_size), TEST(what_is_no_number),
          TEST(numbers_print_as_they_are), TEST(order_agrees_with_integers), TEST(sets_and_maps_have_no_order),
          TEST(copies_are_the_same))
