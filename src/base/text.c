#include "base/text.h"

#include "base/mem.h"
#include "base/printable.h"
#include "base/utf8.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_free(text *t) {
    mem_free(t->at);
    *t = (text){0};
}

void text_clear(text *t) {
    t->size = 0;
    if (t->at) t->at[0] = 0;
}

static char *reserve(text *t, size_t n) {
    if (t->room - t->size <= n) {
        size_t room = t->room ? t->room : 64;
        while (room - t->size <= n) room *= 2;
        t->at = mem_resize(t->at, room, 1);
        t->room = room;
    }
    assert(t->size + n < t->room); /* n bytes and the NUL behind them */
    return t->at + t->size;
}

void text_bytes(text *t, const void *p, size_t n) {
    char *to = reserve(t, n);
    if (n) memcpy(to, p, n);
    t->size += n;
    t->at[t->size] = 0;
}

void text_add(text *t, const char *s) { text_bytes(t, s, strlen(s)); }

void text_char(text *t, char c) { text_bytes(t, &c, 1); }

void text_int(text *t, int64_t i) {
    char digits[24], *p = digits + sizeof digits;
    uint64_t u = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    do *--p = (char)('0' + u % 10);
    while (u /= 10);
    if (i < 0) *--p = '-';
    assert(p >= digits);
    text_bytes(t, p, (size_t)(digits + sizeof digits - p));
}

void text_vprintf(text *t, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n > 0) {
        char *to = reserve(t, (size_t)n);
        int written = vsnprintf(to, (size_t)n + 1, format, again);
        assert(written == n); /* the arguments did not change between measuring and writing */
        (void)written;
        t->size += (size_t)n;
    }
    va_end(again);
}

void text_printf(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    text_vprintf(t, format, args);
    va_end(args);
}

void text_printable(text *t, const char *s) {
    char piece[PRINTABLE_PIECE];
    size_t n = strlen(s), used;
    for (size_t i = 0; i < n; i += used) {
        size_t length = printable_piece(s + i, n - i, piece, &used);
        text_bytes(t, piece, length);
    }
}

void text_pad(text *t, size_t column) {
    size_t start = t->size;
    while (start && t->at[start - 1] != '\n') start--;
    while (utf8_columns(t->at + start, t->size - start) < column) text_char(t, ' ');
}

#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
/* One quoted string: no quote inside that is not escaped, no control characters, UTF-8 throughout. */
static bool is_quoted(const char *s, size_t n) {
    if (n < 2 || s[0] != '"' || s[n - 1] != '"' || !utf8_valid(s, n)) return false;
    for (size_t i = 1; i + 1 < n; i++) {
        if ((unsigned char)s[i] < ' ' || s[i] == '"') return false;
        if (s[i] == '\\' && ++i + 1 >= n) return false;
    }
    return true;
}
#endif

void text_json(text *t, const void *p, size_t n) {
    const unsigned char *s = p;
    size_t start = t->size;
    text_char(t, '"');
    for (size_t i = 0; i < n;) {
        size_t valid = utf8_sequence(s + i, n - i);
        if (valid == 0 || s[i] < 0x20 || s[i] == 0x7f) {
            if (s[i] == '\n') text_add(t, "\\n");
            else if (s[i] == '\t') text_add(t, "\\t");
            else text_printf(t, "\\u%04x", s[i]);
            i++;
        } else if (s[i] >= 0x80 && !printable(utf8_code(s + i, valid))) {
            text_printf(t, "\\u%04x", (unsigned)utf8_code(s + i, valid)); /* the same string, harmless on a terminal */
            i += valid;
        } else {
            if (s[i] == '"' || s[i] == '\\') text_char(t, '\\');
            text_bytes(t, s + i, valid);
            i += valid;
        }
    }
    text_char(t, '"');
#if defined PLUMB_SELF_CHECKS && !defined NDEBUG
    assert(is_quoted(t->at + start, t->size - start));
#endif
    (void)start;
}

const char *text_str(const text *t) { return t->at ? t->at : ""; }
