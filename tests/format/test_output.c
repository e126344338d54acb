/* What goes through an output comes out of an input, whatever the packing and however large the pieces. */
#include "support/cmocka.h"

#include "base/random.h"
#include "format/input.h"
#include "format/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_back(const char *path, text *got) {
    error e = {0};
    const char *p;
    input *in = input_open(path, &e);
    assert_non_null(in);
    for (size_t n; (n = input_block(in, &p));) text_bytes(got, p, n);
    assert_string_equal(e.what, "");
    input_close(in);
}

/* Bytes that cannot be packed, in pieces on both sides of every buffer size. */
static void all_bytes_arrive(void **unused) {
    (void)unused;
    static const char *const suffixes[] = {"", ".gz", ".zst"};
    static const size_t sizes[] = {0, 1, 16000, 100000, 131072, 700000};
    char directory[] = "/tmp/plumb-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    random_source r = {3};
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            error e = {0};
            text sent = {0}, got = {0};
            snprintf(path, sizeof path, "%s/f%s", directory, suffixes[s]);
            output *out = output_open(path, &e);
            assert_non_null(out);
            while (sent.size < sizes[k]) {
                char byte = (char)random_next(&r);
                if (sent.size == 0) byte = '.'; /* not the beginning of something packed */
                text_char(&sent, byte);
                text_char(output_text(out), byte);
                if (sent.size % 1000 == 0) assert_true(output_flush(out));
            }
            assert_true(output_close(out));
            read_back(path, &got);
            assert_int_equal(got.size, sent.size);
            if (sent.size) assert_memory_equal(got.at, sent.at, sent.size);
            text_free(&sent);
            text_free(&got);
        }
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
        snprintf(path, sizeof path, "%s/f%s", directory, suffixes[s]);
        unlink(path);
    }
    rmdir(directory);
}

static void errors_stay(void **unused) {
    (void)unused;
    error e = {0};
    output *out = output_open("/dev/full", &e);
    for (int i = 0; i < 200000; i++) text_char(output_text(out), 'x');
    assert_false(output_flush(out));
    assert_false(output_flush(out));
    assert_false(output_close(out));
    assert_int_equal(e.code, 66);
    assert_string_equal(e.what, "/dev/full: cannot write: No space left on device");
}

TEST_MAIN(TEST(all_bytes_arrive), TEST(errors_stay))
