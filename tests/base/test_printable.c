#include "base/printable.h"

#include "base/error.h"
#include "base/text.h"
#include "support/cmocka.h"

#include <string.h>

static void shown_as(const char *raw, const char *expected) {
    text t = {0};
    text_printable(&t, raw);
    assert_string_equal(text_str(&t), expected);
    text_free(&t);
}

/* What a terminal would obey is written as an escape; everything else stays as it is. */
static void nothing_is_obeyed(void **unused) {
    (void)unused;
    shown_as("queue.jsonl", "queue.jsonl");
    shown_as("gr\xc3\xbc\xc3\x9f \xe2\x9c\x93 \xf0\x9f\x90\x99", "gr\xc3\xbc\xc3\x9f \xe2\x9c\x93 \xf0\x9f\x90\x99");
    shown_as("\033[2Jx\n", "\\x1b[2Jx\\x0a");
    shown_as("\xc2\x9b"
             "2J",
             "\\x9b2J");
    shown_as("\xe2\x80\xaelno\xe2\x81\xa9", "\\u202elno\\u2069");
    shown_as("\xff\xe2\x80", "\\xff\\xe2\\x80");
    shown_as("\x7f\xef\xbb\xbf", "\\x7f\\ufeff");
}

static void every_direction(void **unused) {
    (void)unused;
    static const uint32_t turns[] = {0x61c,  0x200e, 0x200f, 0x202a, 0x202b, 0x202c,
                                     0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) assert_false(printable(turns[i]));
    for (uint32_t c = 0; c < 0x20; c++) assert_false(printable(c));
    for (uint32_t c = 0x7f; c < 0xa0; c++) assert_false(printable(c));
    assert_true(printable(' ') && printable(0xa0) && printable(0x2027) && printable(0x10ffff));
}

/* JSON says the same string in other letters. */
static void json_stays_exact(void **unused) {
    (void)unused;
    text t = {0};
    text_json(&t, "a\xe2\x80\xae\xc2\x9b\033", 7);
    assert_string_equal(text_str(&t), "\"a\\u202e\\u009b\\u001b\"");
    text_free(&t);
}

static void errors_are_one_harmless_line(void **unused) {
    (void)unused;
    error e = {0};
    error_set(&e, 65, "%s: bad", "\033]0;x\a\n\xe2\x80\xae");
    assert_string_equal(e.what, "\\x1b]0;x\\x07\\x0a\\u202e: bad");
    char room[8];
    copy_printable(room, sizeof room, "abcde\xc3\xbc\xc3\xbc"); /* never half a character */
    assert_string_equal(room, "abcde\xc3\xbc");
}

TEST_MAIN(TEST(nothing_is_obeyed), TEST(every_direction), TEST(json_stays_exact), TEST(errors_are_one_harmless_line))
