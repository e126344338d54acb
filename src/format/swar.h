/* Many characters at once: short numbers and words are read without a loop over their characters. Everything here reads
 * further than it has to, up to 64 bytes behind p, and as far behind digits; input_lines() allows that. */
#ifndef PLUMB_FORMAT_SWAR_H
#define PLUMB_FORMAT_SWAR_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The character at p is the lowest byte. */
static inline uint64_t swar_load(const char *p) {
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* Its first n characters, n from 1 to 8; zeros behind them. */
static inline uint64_t swar_first(uint64_t w, size_t n) { return w << (64 - 8 * n) >> (64 - 8 * n); }

/* How many digits stand at its beginning: a character that is none carries into the top bit of its byte. */
static inline unsigned swar_digits(uint64_t w) {
    w ^= 0x3030303030303030u;
    uint64_t other = (w | (w + 0x7676767676767676u)) & 0x8080808080808080u;
    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* How many characters stand before the first c; 8 when there is none. */
static inline unsigned swar_until(uint64_t w, char c) {
    w ^= 0x0101010101010101u * (unsigned char)c;
    uint64_t zero = (w - 0x0101010101010101u) & ~w & 0x8080808080808080u;
    return zero ? (unsigned)__builtin_ctzll(zero) / 8 : 8;
}

/* For small tables by a word's first characters. */
static inline unsigned swar_slot(uint64_t w, unsigned bits) {
    return (unsigned)(w * 0x9e3779b97f4a7c15u >> (64 - bits));
}

/* ---- integers ---- */

bool swar_long_int(const char *p, size_t n, int64_t *out);

/* The n characters at p, n > 0, if they are digits and a 64-bit integer: those before them are shifted out of the word,
 * then digits are summed up in pairs, pairs of pairs, and so on. */
static inline bool swar_int_of(const char *p, size_t n, int64_t *out) {
    assert(n > 0);
    if (n > 8) return swar_long_int(p, n, out);
    uint64_t w = (swar_load(p) ^ 0x3030303030303030u) << (64 - 8 * n);
    if ((w | (w + 0x7676767676767676u)) & 0x8080808080808080u) return false;
    w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffu;
    w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffu;
    *out = (int64_t)((w * 10000 + (w >> 32)) & 0xffffffffu);
#ifdef PLUMB_SELF_CHECKS
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum = 10 * sum + (p[i] - '0');
    assert(sum == *out);
#endif
    return true;
}

/* All the digits at p: the place behind them; NULL when there are none, or when they are no 64-bit integer. */
static inline const char *swar_int(const char *p, int64_t *out) {
    unsigned n = swar_digits(swar_load(p));
    if (n == 8) n += swar_digits(swar_load(p + 8));
    if (n == 16) n += swar_digits(swar_load(p + 16));
    return n && swar_int_of(p, n, out) ? p + n : NULL;
}

/* ---- gaps ---- */

/* Where words end: all blanks and control characters of the next 64, found at once, so that where a word begins does
 * not wait for the one before it to be read. */
typedef struct gaps {
    const char *base;
    uint64_t at; /* bit i: at base + i; 0: look again */
} gaps;

static inline uint64_t gaps_find(const char *p) {
    uint64_t at = 0;
#ifdef __SSE2__
    for (unsigned i = 0; i < 4; i++) {
        __m128i word = _mm_cmpgt_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), _mm_set1_epi8(' '));
        at |= (uint64_t)(uint16_t)~_mm_movemask_epi8(word) << 16 * i;
    }
#else
    for (unsigned i = 0; i < 64; i++) at |= (uint64_t)((signed char)p[i] <= ' ') << i;
#endif
    return at;
}

/* The first gap at or behind p, where all before p have been handed out; NULL when it is far. */
static inline const char *gaps_next(gaps *g, const char *p) {
    if (!g->at) {
        g->base = p;
        g->at = gaps_find(p);
        if (!g->at) return NULL;
    }
    const char *gap = g->base + __builtin_ctzll(g->at);
    assert(gap >= p); /* gaps before p have been handed out */
    g->at &= g->at - 1;
    return gap;
}

#endif
