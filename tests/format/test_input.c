/* Lines, blocks, packed data and the ways in which a file can be broken. */
#include "support/cmocka.h"

#include "base/mem.h"
#include "base/text.h"
#include "format/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static void expect_line(input *in, const char *want) {
    size_t n;
    char *line = input_line(in, &n);
    assert_non_null(line);
    assert_int_equal(n, strlen(want));
    assert_string_equal(line, want); /* so there is a NUL behind it */
}

static void lines_end_in_any_way(void **unused) {
    (void)unused;
    error e = {0};
    const char *content = "one\r\n\ntwo\nlast";
    input *in = input_memory("m", content, strlen(content), &e);
    const char *ahead;
    assert_int_equal(input_peek(in, &ahead, 3), 3);
    assert_memory_equal(ahead, "one", 3);
    expect_line(in, "one");
    expect_line(in, "");
    expect_line(in, "two");
    assert_int_equal(input_line_number(in), 3);
    expect_line(in, "last");
    size_t n;
    assert_null(input_line(in, &n));
    assert_false(input_failed(in));
    assert_int_equal(e.code, 0);
    input_close(in);
}

/* The mark in front of texts is no part of them. */
static void a_mark_in_front(void **unused) {
    (void)unused;
    error e = {0};
    const char *content = "\xef\xbb\xbfone\n\xef\xbb\xbftwo";
    input *in = input_memory("m", content, strlen(content), &e);
    expect_line(in, "one");
    expect_line(in, "\xef\xbb\xbftwo");
    input_close(in);
    size_t n;
    in = input_memory("m", content, 3, &e);
    assert_null(input_line(in, &n));
    assert_false(input_failed(in));
    input_close(in);
    in = input_memory("m", content, 2, &e);
    expect_line(in, "\xef\xbb");
    input_close(in);
}

/* Numbered lines of growing length: many of them lie across a buffer's border. */
static void make_lines(text *t, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        text_int(t, i);
        text_char(t, ' ');
        for (unsigned k = 0; k < i % 97; k++) text_char(t, 'x');
        text_char(t, '\n');
    }
}

static void expect_lines(const void *p, size_t size, unsigned count) {
    error e = {0};
    input *in = input_memory("m", p, size, &e);
    size_t n;
    for (unsigned i = 0; i < count; i++) {
        char *line = input_line(in, &n);
        assert_non_null(line);
        assert_int_equal(strtoul(line, NULL, 10), i);
        assert_int_equal(n, (size_t)snprintf(NULL, 0, "%u ", i) + i % 97);
    }
    assert_null(input_line(in, &n));
    assert_int_equal(e.code, 0);
    input_close(in);
}

static void gzip_member(text *out, const void *p, size_t n) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t bound = deflateBound(&z, n);
    unsigned char *packed = mem_alloc(bound);
    z.next_in = (unsigned char *)(uintptr_t)p;
    z.avail_in = (uInt)n;
    z.next_out = packed;
    z.avail_out = (uInt)bound;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    text_bytes(out, packed, bound - z.avail_out);
    deflateEnd(&z);
    free(packed);
}

static void zstd_frame(text *out, const void *p, size_t n) {
    size_t bound = ZSTD_compressBound(n);
    void *packed = mem_alloc(bound);
    size_t size = ZSTD_compress(packed, bound, p, n, 3);
    assert_false(ZSTD_isError(size));
    text_bytes(out, packed, size);
    free(packed);
}

static void many_lines_plain_and_packed(void **unused) {
    (void)unused;
    enum { COUNT = 40000 };
    text plain = {0}, gzip = {0}, zstd = {0};
    make_lines(&plain, COUNT);
    size_t half = plain.size / 2 + 13; /* members and frames may be cut anywhere */
    gzip_member(&gzip, plain.at, half);
    gzip_member(&gzip, plain.at + half, plain.size - half);
    text_bytes(&gzip, "\0\0\0", 3);
    zstd_frame(&zstd, plain.at, half);
    zstd_frame(&zstd, plain.at + half, plain.size - half);
    expect_lines(plain.at, plain.size, COUNT);
    expect_lines(gzip.at, gzip.size, COUNT);
    expect_lines(zstd.at, zstd.size, COUNT);
    text_free(&plain);
    text_free(&gzip);
    text_free(&zstd);
}

static void expect_error(const void *p, size_t n, const char *what) {
    error e = {0};
    input *in = input_memory("m.gz", p, n, &e);
    size_t length;
    while (input_line(in, &length)) {}
    assert_true(input_failed(in));
    assert_int_equal(e.code, 65);
    assert_string_equal(e.what, what);
    input_close(in);
}

static void broken_packed_data(void **unused) {
    (void)unused;
    text plain = {0}, packed = {0};
    make_lines(&plain, 2000);
    gzip_member(&packed, plain.at, plain.size);
    for (size_t cut = 2; cut < packed.size; cut += 37)
        expect_error(packed.at, cut, "m.gz: truncated gzip data; expected the end of the compressed stream");
    text_bytes(&packed, "rest", 4);
    expect_error(packed.at, packed.size, "m.gz: damaged gzip data: bytes behind the end; expected gzip members only");
    text_clear(&packed);
    zstd_frame(&packed, plain.at, plain.size);
    for (size_t cut = 4; cut < packed.size; cut += 37)
        expect_error(packed.at, cut, "m.gz: truncated zstd data; expected the end of the compressed stream");
    text_bytes(&packed, "rest", 4);
    expect_error(packed.at, packed.size, "m.gz: damaged zstd data: Unknown frame descriptor");
    text_free(&plain);
    text_free(&packed);
}

static void long_lines(void **unused) {
    (void)unused;
    size_t n = (size_t)INPUT_MAX_LINE + 2, length;
    char *p = mem_alloc(n);
    memset(p, 'a', n);
    p[0] = '\n';
    error e = {0};
    input *in = input_memory("m", p, n, &e);
    expect_line(in, "");
    assert_null(input_line(in, &length));
    assert_string_equal(e.what, "m:2: line longer than 64 MiB; expected shorter lines");
    assert_int_equal(e.code, 65);
    input_close(in);
    e = (error){0};
    in = input_memory("m", p, n - 1, &e);
    expect_line(in, "");
    assert_non_null(input_line(in, &length));
    assert_int_equal(length, INPUT_MAX_LINE);
    input_close(in);
    free(p);
}

static void blocks_give_all_bytes(void **unused) {
    (void)unused;
    error e = {0};
    text plain = {0}, got = {0};
    make_lines(&plain, 20000);
    input *in = input_memory("m", plain.at, plain.size, &e);
    const char *p;
    input_peek(in, &p, 1000); /* does not consume */
    for (size_t n; (n = input_block(in, &p));) text_bytes(&got, p, n);
    assert_int_equal(got.size, plain.size);
    assert_memory_equal(got.at, plain.at, got.size);
    input_close(in);
    text_free(&plain);
    text_free(&got);
}

static void what_cannot_be_opened(void **unused) {
    (void)unused;
    error e = {0};
    assert_null(input_open("/nonexistent/x", &e));
    assert_int_equal(e.code, 66);
    assert_string_equal(e.what, "/nonexistent/x: cannot open: No such file or directory");
    e = (error){0};
    assert_null(input_open("tests", &e));
    assert_int_equal(e.code, 66);
    assert_string_equal(e.what, "tests: is a directory; expected a file");
}

static void pipes_are_read_to_the_end(void **unused) {
    (void)unused;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "\x1f", 1), 1); /* shorter than any magic number */
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    error e = {0};
    input *in = input_open(path, &e);
    expect_line(in, "\x1f");
    input_close(in);
    close(ends[0]);
}

static void stopping_ends_the_input(void **unused) {
    (void)unused;
    error e = {0};
    _Atomic int stop = 1;
    _Atomic uint64_t progress = 0;
    input *in = input_memory("m", "a\nb\n", 4, &e);
    input_watch(in, &progress, &stop);
    size_t n;
    assert_null(input_line(in, &n));
    assert_true(input_failed(in));
    assert_int_equal(e.code, 130);
    input_close(in);
}

/* Looking ahead from any place, a little or a lot, shows what comes next. */
static void looking_ahead(void **unused) {
    (void)unused;
    error e = {0};
    text all = {0};
    make_lines(&all, 20000);
    for (unsigned k = 0; k < 2; k++) {
        input *in = input_memory("m", all.at, all.size, &e);
        size_t at = 0, n;
        for (unsigned step = 0; at < all.size; step++) {
            const char *p;
            n = k ? input_peek(in, &p, 1 + step * 977 % (64 << 10)) : input_peek_now(in, &p, step % 3 == 0);
            assert_true(n > 0 && n <= all.size - at);
            assert_memory_equal(p, all.at + at, n);
            size_t taken = n < 700 + step % 900 ? n : 700 + step % 900;
            input_skip(in, p + taken, 0);
            at += taken;
        }
        assert_null(input_line(in, &n));
        assert_false(input_failed(in));
        input_close(in);
    }
    text_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_end_in_any_way),
        cmocka_unit_test(a_mark_in_front),
        cmocka_unit_test(looking_ahead),
        cmocka_unit_test(many_lines_plain_and_packed),
        cmocka_unit_test(broken_packed_data),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(blocks_give_all_bytes),
        cmocka_unit_test(what_cannot_be_opened),
        cmocka_unit_test(pipes_are_read_to_the_end),
        cmocka_unit_test(stopping_ends_the_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
