/* Fressian as EDN: each code by hand, random values against what they were made from, and damage. */
#include "support/cmocka.h"

#include "base/random.h"
#include "format/fressian.h"
#include "support/fressian_write.h"

#include <stdio.h>

static bool decode(const void *p, size_t n, text *out, char wrong[120]) {
    fressian f;
    fressian_init(&f, p, n);
    bool good = true;
    while (good && fressian_more(&f)) {
        if (out->size) text_char(out, ' ');
        good = fressian_value(&f, out);
    }
    assert_true(good == !f.wrong[0]);
    memcpy(wrong, f.wrong, 120);
    fressian_free(&f);
    return good;
}

static void expect(const void *p, size_t n, const char *want) {
    text got = {0};
    char wrong[120];
    if (!decode(p, n, &got, wrong)) fail_msg("%s: refused: %s", want, wrong);
    assert_string_equal(text_str(&got), want);
    text_free(&got);
}

static void refuse(const void *p, size_t n, const char *want) {
    text got = {0};
    char wrong[120];
    assert_false(decode(p, n, &got, wrong));
    assert_string_equal(wrong, want);
    text_free(&got);
}

#define EXPECT(bytes, want) expect(bytes, sizeof bytes - 1, want)
#define REFUSE(bytes, want) refuse(bytes, sizeof bytes - 1, want)

static void atoms(void **unused) {
    (void)unused;
    EXPECT("\x00\x3f\xff", "0 63 -1");
    EXPECT("\x50\x40\x5f\xff\x40\x00\x4f\xfe", "64 4095 -4096 -2");
    EXPECT("\x68\x10\x00\x6f\xff\xff\x60\x00\x00", "4096 524287 -524288");
    EXPECT("\x72\x08\x00\x00\x74\x00\x00\x00\x00", "524288 -8589934592");
    EXPECT("\x7f\xff\xff\xff\xff\xff\xff", "562949953421311");
    EXPECT("\xf8\x80\x00\x00\x00\x00\x00\x00\x00", "-9223372036854775808");
    EXPECT("\xf5\xf6\xf7", "true false nil");
    EXPECT("\xfb\xfc\xfa\x3f\xb9\x99\x99\x99\x99\x99\x9a\xf9\x3f\x00\x00\x00", "0.0 1.0 0.1 0.5");
    EXPECT("\xfa\x7f\xf0\x00\x00\x00\x00\x00\x00\xfa\x7f\xf8\x00\x00\x00\x00\x00\x00", "##Inf ##NaN");
    EXPECT("\xda\xdd"
           "a\"\n",
           "\"\" \"a\\\"\\n\"");
    EXPECT("\xe2\x02"
           "ab"
           "\xe2\x01"
           "c"
           "\xdb"
           "d",
           "\"abcd\"");
    EXPECT("\xe0\xed\xa0\xbd\xed\xb8\x80", "\"\xf0\x9f\x98\x80\""); /* two halves, encoded each by itself */
    EXPECT("\xd2\x01\xff\xd8\x01\x07\xd9\x01\x08", "\"0x01ff\" \"0x0708\"");
}

static void tagged(void **unused) {
    (void)unused;
    EXPECT("\xca\xf7\xdb"
           "f"
           "\xca\xdb"
           "a"
           "\xdb"
           "b"
           "\xc9\xf7\xdb"
           "s",
           ":f :a/b s");
    EXPECT("\xca\xf7\xdd"
           "a b"
           "\xc9\xf7\xdb"
           "1",
           "\"a b\" \"1\"");
    EXPECT("\xc6\xd2\x7f\xff\xc6\xd2\x80\x00\xc6\xd1\x00", "32767 -32768 0");
    EXPECT("\xc6\xd9\x09\x01\x00\x00\x00\x00\x00\x00\x00\x00", "18446744073709551616");
    EXPECT("\xc7\xd1\x7b\x02", "123e-2");
    EXPECT("\xc8\x05\xc4\xdb"
           "x"
           "\xc5\xdb"
           "y"
           "\xc3\xd1\x01",
           "5 \"x\" \"y\" \"0x01\"");
    EXPECT("\xc0\xe6\x01\x02\xc1\xe5\x03\xc0\xf7", "{1 2} #{3} {}");
    EXPECT("\xb3\x02\x07\x08\xb5\x01\xf7\xb2\x01\xf5", "[7 8] [nil] [true]");
    EXPECT("\xef\xe3\x09map-entry\x02\x01\x02\xa0\x03\x04\xf0\x00\x05\x06", "[1 2] [3 4] [5 6]");
    EXPECT("\xef\xde"
           "char\x01\x50\x61\xef\xe3\x13persistent-hash-set\x01\xe5\x01\xa1\xf7",
           "\"a\" #{1} #{}");
    EXPECT("\xef\xdd"
           "odd\x02\x01\x02\xef\xde"
           "o ()\x01\x01",
           "#odd [1 2] [1]");
    EXPECT("\xef\xe3\x09"
           "block-ref\x01\x07",
           "#block-ref 7");
    EXPECT("\xef\xe0record\x02\xdb"
           "C\xc0\xe6\x01\x02",
           "{1 2}");
}

static void lists_and_references(void **unused) {
    (void)unused;
    EXPECT("\xe4\xe6\x01\xe4\xec\x02\x01\x02", "[] [1 []] [1 2]");
    EXPECT("\xed\x01\x02\xfd\xee\x03\xfd\xee\x04", "[1 2] [3] [4]");
    EXPECT("\xcd\xdb"
           "x\x80\xcd\xe5\x80\x81\xcc\x01",
           "\"x\" \"x\" [\"x\"] [\"x\"] [\"x\"]");
    EXPECT("\xcd\x07\xfe\xcd\x08\x80", "7 8 8");                               /* forgotten in between */
    EXPECT("\xcd\x07\xcf\xcf\xcf\xcf\0\0\0\x02\0\0\0\0\xcd\x08\x80", "7 8 8"); /* by a footer, too */
}

static void operations(void **unused) {
    (void)unused;
    text t = {0};
    put_tag(&t, "jepsen.history.Op", 7);
    put_integer(&t, 3);
    put_integer(&t, 1234567890);
    put_byte(&t, 0xcd);
    put_keyword(&t, "invoke");
    put_integer(&t, 1);
    put_byte(&t, 0xcd);
    put_keyword(&t, "read");
    put_byte(&t, 0xf7);
    put_byte(&t, 0xf7);
    text_bytes(&t, "\xa0\x04\x05\x80\x02\x81\xf7\xc0\xe6", 9);
    put_keyword(&t, "key");
    put_integer(&t, 8);
    expect(t.at, t.size,
           "{:index 3, :time 1234567890, :type :invoke, :process 1, :f :read, :value nil} "
           "{:index 4, :time 5, :type :invoke, :process 2, :f :read, :value nil, :key 8}");
    text_free(&t);
}

static void refused(void **unused) {
    (void)unused;
    REFUSE("\xe5", "the data ends inside a value");
    REFUSE("\xf8\x01", "the data ends inside a value");
    REFUSE("\xed\x01", "the data ends inside a value");
    REFUSE("\xdd"
           "ab",
           "the data ends inside a string");
    REFUSE("\xe3\x05"
           "ab",
           "more items than there are bytes");
    REFUSE("\xec\xff", "more items than there are bytes");
    REFUSE("\xec\xf5", "a value where an integer is expected");
    REFUSE("\xe2\x01"
           "a\x01",
           "something else between the chunks of a string");
    REFUSE("\xfd", "a code that Fressian does not have");
    REFUSE("\xcb", "a code that Fressian does not have");
    REFUSE("\x80", "a reference to a value that was not put aside");
    REFUSE("\xcd\xe5\x80", "a reference to a value that was not put aside"); /* to itself */
    REFUSE("\xcc\xff", "a reference to a value that was not put aside");
    REFUSE("\xa0", "a tag that was not said before");
    REFUSE("\xf0\x00", "a tag that was not said before");
    REFUSE("\xef\x01\x01\x01", "a tag that is no string");
    REFUSE("\xef\xdb"
           "t\x50\xff\x01",
           "more fields than there are bytes");
    REFUSE("\xc0\x05", "a map or set that is no list");
    REFUSE("\xca\xf7\x05", "a name that is no string");
    REFUSE("\xc6\xd0", "a large number is not 1 to 512 bytes");
    REFUSE("\xef\xde"
           "char\x01\x74\x00\x00\x00\x00",
           "a character that there is not");
    unsigned char deep[FRESSIAN_DEPTH + 1];
    memset(deep, 0xe5, sizeof deep);
    refuse(deep, sizeof deep, "nested too deeply");
}

/* Each is a list of two references to the one before: without a bound, 2^60 items. */
static void small_data_does_not_grow_without_end(void **unused) {
    (void)unused;
    text t = {0};
    text_bytes(&t, "\xcd\xda", 2);
    for (unsigned i = 0; i < 60; i++) {
        text_bytes(&t, "\xcd\xe6", 2);
        for (int k = 0; k < 2; k++) {
            put_byte(&t, 0xcc);
            put_integer(&t, i);
        }
    }
    refuse(t.at, t.size, "references to what was put aside make too long a text");
    text_free(&t);
}

/* ---- random values: what they were made from comes out ---- */

typedef struct random_writer {
    random_source r;
    text bytes, want;
    text put[200];
    unsigned puts;
} random_writer;

static void random_value(random_writer *w, unsigned depth);

static void random_list(random_writer *w, unsigned depth, unsigned items) {
    bool closed = random_below(&w->r, 2);
    if (closed) put_byte(&w->bytes, 0xed);
    else if (items < 8) put_byte(&w->bytes, 0xe4 + items);
    else {
        put_byte(&w->bytes, 0xec);
        put_integer(&w->bytes, items);
    }
    for (unsigned i = 0; i < items; i++) {
        if (i) text_char(&w->want, ' ');
        random_value(w, depth + 1);
    }
    if (closed) put_byte(&w->bytes, 0xfd);
}

static void random_atom(random_writer *w) {
    char name[8];
    int64_t i = (int64_t)((uint64_t)random_next(&w->r) >> random_below(&w->r, 64));
    switch (random_below(&w->r, 4)) {
    case 0:
        if (random_below(&w->r, 2)) i = -i;
        put_integer(&w->bytes, i);
        text_int(&w->want, i);
        break;
    case 1:
        put_byte(&w->bytes, 0xf5);
        text_add(&w->want, "true");
        break;
    case 2:
        snprintf(name, sizeof name, "k%u", (unsigned)random_below(&w->r, 9));
        put_keyword(&w->bytes, name);
        text_printf(&w->want, ":%s", name);
        break;
    default:
        snprintf(name, sizeof name, "%.*s", (int)random_below(&w->r, 5), "abcd");
        put_string(&w->bytes, name);
        text_printf(&w->want, "\"%s\"", name);
    }
}

static void random_container(random_writer *w, unsigned depth) {
    unsigned items = (unsigned)random_below(&w->r, 12), kind = (unsigned)random_below(&w->r, 3);
    text_add(&w->want, kind == 0 ? "[" : kind == 1 ? "{" : "#{");
    if (kind) put_byte(&w->bytes, kind == 1 ? 0xc0 : 0xc1);
    random_list(w, depth, items);
    text_char(&w->want, kind ? '}' : ']');
}

static void random_value(random_writer *w, unsigned depth) {
    unsigned which = (unsigned)random_below(&w->r, 8);
    unsigned again = w->puts ? random_below(&w->r, w->puts) : 0;
    if (which == 0 && w->puts && w->put[again].size) { /* not one that is just being written */
        if (again < 32) put_byte(&w->bytes, 0x80 + again);
        else {
            put_byte(&w->bytes, 0xcc);
            put_integer(&w->bytes, again);
        }
        text_bytes(&w->want, w->put[again].at, w->put[again].size);
    } else if (which == 1 && w->puts < 200) {
        unsigned mine = w->puts++;
        size_t before = w->want.size;
        put_byte(&w->bytes, 0xcd);
        random_value(w, depth);
        text_bytes(&w->put[mine], w->want.at + before, w->want.size - before);
    } else if (which < 4 && depth < 5) random_container(w, depth);
    else random_atom(w);
}

static void random_values(void **unused) {
    (void)unused;
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        random_writer w = {.r = {seed}};
        random_value(&w, 0);
        text got = {0};
        char wrong[120];
        bool good = decode(w.bytes.at, w.bytes.size, &got, wrong);
        if (good) assert_string_equal(text_str(&got), text_str(&w.want));
        else assert_string_equal(wrong, "references to what was put aside make too long a text");
        text_clear(&got);
        for (unsigned k = 0; k < 20; k++) { /* damaged: whatever it says, it ends */
            w.bytes.at[random_below(&w.r, (uint32_t)w.bytes.size)] = (char)random_below(&w.r, 256);
            decode(w.bytes.at, 1 + random_below(&w.r, (uint32_t)w.bytes.size), &got, wrong);
            text_clear(&got);
        }
        for (unsigned i = 0; i < w.puts; i++) text_free(&w.put[i]);
        text_free(&w.bytes);
        text_free(&w.want);
        text_free(&got);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atoms),         cmocka_unit_test(tagged),
        cmocka_unit_test(operations),    cmocka_unit_test(lists_and_references),
        cmocka_unit_test(refused),       cmocka_unit_test(small_data_does_not_grow_without_end),
        cmocka_unit_test(random_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
