/* plumb-binary: blocks, annotations, and damage of every kind. Round trips of values are in test_round_trip.c. */
#include "support/cmocka.h"

#include "base/mem.h"
#include "base/random.h"
#include "format/binary.h"
#include "history/builder.h"
#include "support/read_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

static history *long_history(uint32_t n) {
    error e = {0};
    builder *b = builder_new("test", &e);
    random_source r = {7};
    for (uint32_t i = 0; i < n; i++) {
        value arg[1] = {value_int(builder_values(b), i)};
        char name[16];
        size_t length = (size_t)snprintf(name, sizeof name, "c%u", i % 300); /* new clients in later blocks as well */
        if (i < 100000) length = 1;
        call_record call = {.client = value_bytes(builder_values(b), name, length),
                            .method = builder_method(b, i % 2 ? "enq" : "deq", 3, 1),
                            .key = VALUE_NONE,
                            .arg = arg,
                            .nargs = i % 2,
                            .line = i + 1};
        if (i % 50000 == 0) builder_annotation(b, value_bytes(builder_values(b), "fault", 5));
        assert_true(builder_operation(b, &call, (int64_t)i * 10, (int64_t)i * 10 + random_below(&r, 9),
                                      i % 2 ? VALUE_NONE : arg[0]));
    }
    history *h = builder_finish(b);
    assert_non_null(h);
    builder_free(b);
    return h;
}

static void expect_same_columns(const history *a, const history *b) {
    assert_int_equal(a->n, b->n);
    for (uint32_t i = 0; i < a->n; i++) {
        operation x, y;
        history_operation(a, i, &x);
        history_operation(b, i, &y);
        if (x.call != y.call || x.ret != y.ret || x.client != y.client || x.nargs != y.nargs || x.arg[0] != y.arg[0] ||
            x.res != y.res || strcmp(a->method_name[x.method], b->method_name[y.method]) ||
            history_call_time(a, i) != history_call_time(b, i) || history_ret_time(a, i) != history_ret_time(b, i))
            fail_msg("operation %u differs", i);
    }
}

static void several_blocks(void **unused) {
    (void)unused;
    history *h = long_history(200001);
    text t = {0};
    error e = {0};
    assert_true(write_text("plumb-binary", h, &t, &e));
    history *back = read_bytes(NULL, t.at, t.size, false, &e);
    assert_string_equal(e.what, "");
    expect_same_columns(h, back);
    assert_int_equal(back->annotations, h->annotations);
    for (uint32_t a = 0; a < h->annotations; a++) assert_int_equal(back->annotation[a].before, h->annotation[a].before);
    assert_true(t.size < 10 * (size_t)h->n);
    text_free(&t);
    history_free(back);
    history_free(h);
}

/* A history without stamps has none afterwards. */
static void order_stays_order(void **unused) {
    (void)unused;
    error e = {0};
    text t = {0};
    history *h = read_text("violin", "# @object my-queue\n[1] call add(1)\n[2] call remove\n[1] return\n", &e);
    assert_true(write_text("plumb-binary", h, &t, &e));
    history *back = read_bytes(NULL, t.at, t.size, false, &e);
    assert_non_null(back);
    assert_false(history_has_times(back));
    assert_string_equal(back->object_hint, "my-queue");
    assert_int_equal(back->pending, 1);
    text_free(&t);
    history_free(h);
    history_free(back);
}

static void small_file(text *t) {
    error e = {0};
    history *h =
        read_text(NULL, "# queue\n0 enq x 1 2\n1 enq [1 [2 99999999999]] 1 3\n0 deq @k \"x\" 3 4\n1 deq 5 -\n", &e);
    assert_non_null(h);
    assert_true(write_text("plumb-binary", h, t, &e));
    history_free(h);
}

/* No prefix of a file is a file, and no single byte can change unnoticed. */
static void damage_is_noticed(void **unused) {
    (void)unused;
    text t = {0};
    small_file(&t);
    for (size_t n = 0; n < t.size; n++) {
        error e = {0};
        assert_null(read_bytes("plumb-binary", t.at, n, false, &e));
        assert_int_equal(e.code, EXIT_BAD_INPUT);
        assert_non_null(strstr(e.what, "expected"));
    }
    for (size_t i = 0; i < t.size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            error e = {0};
            t.at[i] = (char)(t.at[i] ^ 1 << bit);
            history *h = read_bytes("plumb-binary", t.at, t.size, false, &e);
            t.at[i] = (char)(t.at[i] ^ 1 << bit);
            assert_null(h);
            assert_int_equal(e.code, EXIT_BAD_INPUT);
        }
    text_char(&t, 'x');
    error e = {0};
    assert_null(read_bytes("plumb-binary", t.at, t.size, false, &e));
    text_free(&t);
}

/* What the header says is judged before the checksum that would notice the same. */
static void unknown_headers(void **unused) {
    (void)unused;
    static const struct {
        size_t at;
        char byte;
        const char *what;
    } headers[] = {{0, 'Q', "not a plumb-binary file"},
                   {3, 'b', "not a plumb-binary file"},
                   {4, 0, "version 0"},
                   {4, 99, "version 99"},
                   {5, 4, "damaged header"},
                   {5, 8, "damaged header"},
                   {5, (char)0x80, "damaged header"},
                   {6, 1, "damaged header"},
                   {6, -1, "damaged header"},
                   {7, 1, "damaged header"}};
    text t = {0};
    small_file(&t);
    for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++) {
        const char kept = t.at[headers[i].at];
        error e = {0};
        t.at[headers[i].at] = headers[i].byte;
        assert_null(read_bytes("plumb-binary", t.at, t.size, false, &e));
        if (!strstr(e.what, headers[i].what)) fail_msg("byte %zu: %s", headers[i].at, e.what);
        t.at[headers[i].at] = kept;
    }
    text_free(&t);
}

static void put_little(text *t, uint32_t u) {
    for (int i = 0; i < 4; i++) text_char(t, (char)(u >> 8 * i));
}

/* A block with a right checksum and any content. */
static uLong put_block(text *t, uLong crc, char kind, const void *raw, size_t n) {
    char packed[4096];
    size_t size = ZSTD_compress(packed, sizeof packed, raw, n, 1);
    assert_false(ZSTD_isError(size));
    size_t start = t->size;
    text_char(t, kind);
    put_little(t, (uint32_t)n);
    put_little(t, (uint32_t)size);
    crc = crc32(crc32(crc, (const Bytef *)t->at + start, 9), (const Bytef *)packed, (uInt)size);
    put_little(t, (uint32_t)crc);
    text_bytes(t, packed, size);
    return crc;
}

static uLong put_header(text *t) {
    text_bytes(t, "PLMB\1\0\0\0", 8);
    return crc32(crc32(0, NULL, 0), (const Bytef *)t->at, 8);
}

static bool is_read(const void *raw, size_t n) {
    text t = {0};
    error e = {0};
    uLong crc = put_header(&t);
    crc = put_block(&t, crc, 'B', raw, n);
    put_block(&t, crc, 'E', "\1\1", 2);
    history *h = read_bytes("plumb-binary", t.at, t.size, false, &e);
    assert_true(h != NULL || e.code == EXIT_BAD_INPUT);
    history_free(h);
    text_free(&t);
    return h != NULL;
}

/* One operation: hint, methods, values, clients, annotations, count; ten columns. */
static const char good[] = {0, 1, 1, 'f', 1, 2, 1, 4, 1, 0, 1, 0,  33, 1, 1, 0,
                            1, 5, 1, 0,   1, 2, 1, 1, 1, 4, 1, 33, 0,  0, 1, 1};
enum { BEFORE_COLUMNS = 14 };

/* Every column has what its operations take, no more and no less. */
static void columns_fit(void **unused) {
    (void)unused;
    size_t at = BEFORE_COLUMNS;
    for (unsigned c = 0; c < BINARY_COLUMNS; c++) {
        char more[sizeof good + 1], less[sizeof good];
        const size_t length = (size_t)good[at], end = at + 1 + length;
        memcpy(more, good, end);
        more[at]++;
        more[end] = 0;
        memcpy(more + end + 1, good + end, sizeof good - end);
        assert_false(is_read(more, sizeof more));
        memcpy(less, good, at + 1);
        less[at] = 0;
        memcpy(less + at + 1, good + end, sizeof good - end);
        assert_int_equal(is_read(less, sizeof good - length), !length);
        at = end;
    }
    assert_int_equal(at, sizeof good);
}

/* Checksums protect against accidents only: content made to harm is refused by the reader itself. */
static void hostile_content(void **unused) {
    (void)unused;
    assert_true(is_read(good, sizeof good));
    random_source r = {3};
    for (int round = 0; round < 20000; round++) {
        char raw[sizeof good];
        memcpy(raw, good, sizeof raw);
        for (uint32_t k = 1 + random_below(&r, 3); k-- > 0;)
            raw[random_below(&r, sizeof raw)] =
                (char)(random_chance(&r, 0.5) ? random_below(&r, 256) : random_below(&r, 4));
        is_read(raw, 1 + random_below(&r, sizeof raw));
    }
}

static void put_number(text *t, unsigned u) {
    for (; u >= 128; u >>= 7) text_char(t, (char)(u | 128));
    text_char(t, (char)u);
}

/* Tuples of two of the tuple before: 40 entries of 4 bytes would print as 2^40 values. */
static void tuples_that_grow_are_refused(void **unused) {
    (void)unused;
    text raw = {0}, t = {0};
    error e = {0};
    text_bytes(&raw, "\0\0", 2);
    text_char(&raw, 40);
    text_bytes(&raw, "\2\0", 2);
    for (int i = 1; i < 40; i++) {
        char entry[] = {2, 2, (char)((16 + i - 1) << 1 | 1), (char)((16 + i - 1) << 1 | 1)};
        text_bytes(&raw, entry, sizeof entry);
    }
    text_bytes(&raw, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
    put_block(&t, put_header(&t), 'B', raw.at, raw.size);
    assert_null(read_bytes("plumb-binary", t.at, t.size, false, &e));
    assert_non_null(strstr(e.what, "damaged dictionary"));
    text_free(&raw);
    text_free(&t);
}

/* The first entry is a tuple of one integer, each other a tuple of the one before. */
static void put_tuples(text *raw, unsigned depth) {
    text_bytes(raw, "\0\0", 2);
    put_number(raw, depth);
    text_bytes(raw, "\2\1\4", 3);
    for (unsigned i = 1; i < depth; i++) {
        text_bytes(raw, "\2\1", 2);
        put_number(raw, (16 + i - 1) << 1 | 1);
    }
    text_bytes(raw, "\0\0\0\0\0\0\0\0\0\0\0\0\0", 13); /* no clients, annotations, operations; ten columns */
}

static void depth_has_a_limit(void **unused) {
    (void)unused;
    for (unsigned depth = 254; depth <= 258; depth++) {
        text raw = {0}, t = {0};
        error e = {0};
        put_tuples(&raw, depth);
        put_block(&t, put_block(&t, put_header(&t), 'B', raw.at, raw.size), 'E', "\0\0", 2);
        history *h = read_bytes("plumb-binary", t.at, t.size, false, &e);
        assert_int_equal(h != NULL, depth <= 256);
        history_free(h);
        text_free(&raw);
        text_free(&t);
    }
}

/* However deep a value is that one of the texts can bring, this format brings it back. */
static void deep_values_are_carried(void **unused) {
    (void)unused;
    static const struct {
        const char *format, *before, *after;
    } texts[] = {{"jepsen-edn", "{:process 1, :type :invoke, :f :enq, :value ", "}\n"},
                 {"jepsen-log", "INFO  jepsen.util - 2\t:invoke\t:cas\t", "\n"},
                 {"plumb-jsonl", "{\"client\":1,\"op\":\"enq\",\"args\":[", "],\"call\":1}\n"},
                 {"violin", "[1] call enq(", ")\n"}};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        unsigned deepest = 0;
        for (unsigned depth = 90; depth < 210; depth++) {
            text t = {0}, packed = {0};
            error e = {0};
            text_add(&t, texts[i].before);
            for (unsigned k = 0; k < depth; k++) text_char(&t, '[');
            for (unsigned k = 0; k < depth; k++) text_char(&t, ']');
            text_add(&t, texts[i].after);
            history *h = read_bytes(texts[i].format, t.at, t.size, false, &e), *back = NULL;
            if (!h) assert_int_equal(e.code, EXIT_BAD_INPUT);
            if (h && !write_text("plumb-binary", h, &packed, &e)) fail_msg("%s", e.what);
            if (h && !(back = read_bytes("plumb-binary", packed.at, packed.size, false, &e)))
                fail_msg("%s, %u deep: %s", texts[i].format, depth, e.what);
            if (h) deepest = depth;
            history_free(h);
            history_free(back);
            text_free(&t);
            text_free(&packed);
        }
        if (deepest < 100 || deepest > 105) fail_msg("%s: %u", texts[i].format, deepest);
    }
}

TEST_MAIN(TEST(several_blocks), TEST(order_stays_order), TEST(damage_is_noticed), TEST(unknown_headers),
          TEST(columns_fit), TEST(hostile_content), TEST(tuples_that_grow_are_refused), TEST(depth_has_a_limit),
          TEST(deep_values_are_carried))
