#include "base/printable.h"

#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

bool printable(uint32_t code) {
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
    if (code == 0x61c || code == 0x200e || code == 0x200f || code == 0xfeff) return false;
    return !(code >= 0x2028 && code <= 0x202e) && !(code >= 0x2066 && code <= 0x2069);
}

size_t printable_piece(const char *s, size_t n, char piece[PRINTABLE_PIECE], size_t *used) {
    size_t length = utf8_sequence(s, n);
    uint32_t code = length ? utf8_code(s, length) : (unsigned char)*s;
    *used = length ? length : 1;
    if (length && printable(code)) {
        memcpy(piece, s, length);
        return length;
    }
    assert(code < 0x10000); /* all that is not printable is in the basic plane */
    int written = snprintf(piece, PRINTABLE_PIECE, code < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)(code & 0xffff));
    return (size_t)written;
}

void copy_printable(char *to, size_t room, const char *s) {
    char piece[PRINTABLE_PIECE];
    size_t n = strlen(s), used, at = 0;
    assert(room > 0);
    for (size_t i = 0; i < n; i += used) {
        size_t length = printable_piece(s + i, n - i, piece, &used);
        if (at + length >= room) break;
        memcpy(to + at, piece, length);
        at += length;
    }
    to[at] = 0;
}
