#include "base/utf8.h"

#include <assert.h>

size_t utf8_sequence(const void *p, size_t n) {
    const unsigned char *s = p;
    if (n == 0) return 0;
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || n < length) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0; /* overlong */
    if (s[0] == 0xed && s[1] > 0x9f) return 0; /* surrogates */
    if (s[0] == 0xf0 && s[1] < 0x90) return 0; /* overlong */
    if (s[0] == 0xf4 && s[1] > 0x8f) return 0; /* above U+10FFFF */
    return length;
}

uint32_t utf8_code(const void *p, size_t length) {
    const unsigned char *s = p;
    assert(length && utf8_sequence(p, length) == length);
    if (length == 1) return s[0];
    uint32_t code = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) code = code << 6 | (s[i] & 0x3f);
    return code;
}

bool utf8_valid(const void *p, size_t n) {
    const unsigned char *s = p;
    for (size_t i = 0; i < n;) {
        size_t length = utf8_sequence(s + i, n - i);
        if (!length) return false;
        i += length;
    }
    return true;
}

static size_t encode(uint32_t code, char out[4]) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code >= 0xd800 && code < 0xe000) return 0;
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    if (code > 0x10ffff) return 0;
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

size_t utf8_encode(uint32_t code, char out[4]) {
    size_t n = encode(code, out);
    assert(utf8_sequence(out, n) == n); /* what is written can be read */
    return n;
}

size_t utf8_columns(const void *p, size_t n) {
    const unsigned char *s = p;
    size_t columns = 0;
    for (size_t i = 0; i < n; i++) columns += (s[i] & 0xc0) != 0x80;
    return columns;
}
