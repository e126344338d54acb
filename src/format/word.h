/* Values as the line formats (violin, operation lists) spell them:
 *
 *     7  -12  9.5  1e+30  numbers                     true false  empty full  none (also nil, null)
 *     x  key_3  Zürich    bare words: byte strings    "a b"  "\x00"  quoted byte strings, with JSON's escapes and \xHH
 *     [1 2 x]             tuples, items separated by blanks or commas
 *
 * What word_write writes, word_read reads back as the same value. Sets and maps have no word. An exponent has a sign:
 * 12e4 is a bare word. */
#ifndef PLUMB_FORMAT_WORD_H
#define PLUMB_FORMAT_WORD_H

#include "history/value.h"

/* Reads one value at p, in text that ends in a NUL. Returns the place behind it; NULL when there is none, with what is
 * wrong in *wrong ("string without end; expected ..."). */
const char *word_read(values *t, const char *p, value *out, const char **wrong);
void word_write(const values *t, value v, text *out);

static inline const char *word_blanks(const char *p) {
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

/* A character that ends a bare word. */
static inline bool word_ends(char c) {
    static const bool ends[256] = {
        [0] = 1, ['\t'] = 1, ['\r'] = 1, [' '] = 1, ['"'] = 1, ['('] = 1, [')'] = 1, [','] = 1, ['['] = 1, [']'] = 1};
    return ends[(unsigned char)c];
}

const char *word_long_int(const char *digits, bool negative, int64_t *out);

/* A decimal integer that is a whole word and fits 64 bits: the place behind it; NULL otherwise. */
static inline const char *word_int(const char *p, int64_t *out) {
    bool negative = *p == '-';
    p += negative;
    const char *first = p;
    uint64_t u = 0;
    for (; (unsigned char)(*p - '0') < 10; p++) u = u * 10 + (unsigned char)(*p - '0');
    if (p == first || p - first > 18 || !word_ends(*p)) { /* 19 digits are rare: the slow way decides */
        return p - first > 18 ? word_long_int(first, negative, out) : NULL;
    }
    *out = negative ? -(int64_t)u : (int64_t)u;
    return p;
}

#endif
