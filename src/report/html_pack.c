#include "report/html_pack.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

enum { CHUNK = 48 << 10 }; /* divisible by three: every chunk but the last ends without padding */

void pack_number(text *out, uint64_t n) {
    for (; n >= 0x80; n >>= 7) text_char(out, (char)(n | 0x80));
    text_char(out, (char)n);
}

static void add_base64(text *out, const unsigned char *p, size_t n) {
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t three = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
        char four[4] = {digit[three >> 18], digit[three >> 12 & 63], i + 1 < n ? digit[three >> 6 & 63] : '=',
                        i + 2 < n ? digit[three & 63] : '='};
        text_bytes(out, four, 4);
    }
}

void pack_base64(const text *bytes, text *out) {
    static_assert(CHUNK % 3 == 0, "a chunk in the middle has no padding");
    z_stream z = {0};
    unsigned char *chunk = mem_alloc(CHUNK);
    /* only wrong constants can make it fail */
    if (deflateInit2(&z, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    size_t given = 0;
    int end;
    do {
        if (z.avail_in == 0 && given < bytes->size) {
            size_t left = bytes->size - given;
            z.next_in = (unsigned char *)bytes->at + given;
            z.avail_in = left < (1u << 30) ? (unsigned)left : 1u << 30;
            given += z.avail_in;
        }
        if (z.avail_out == 0) {
            z.next_out = chunk;
            z.avail_out = CHUNK;
        }
        end = deflate(&z, given == bytes->size ? Z_FINISH : Z_NO_FLUSH);
        assert(end == Z_OK || end == Z_STREAM_END || end == Z_BUF_ERROR);
        if (z.avail_out == 0 || end == Z_STREAM_END) add_base64(out, chunk, CHUNK - z.avail_out);
    } while (end != Z_STREAM_END);
    assert(given == bytes->size && z.avail_in == 0);
    deflateEnd(&z);
    free(chunk);
}
