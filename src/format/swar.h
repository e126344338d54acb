/* Eight characters in one machine word: short numbers and words are read without a loop over their characters. Everything
 * here reads eight bytes at p, and as many behind digits; input.h allows that behind a line. */
#ifndef PLUMB_FORMAT_SWAR_H
#define PLUMB_FORMAT_SWAR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
static inline unsigned swar_slot(uint64_t w, unsigned bits) { return (unsigned)(w * 0x9e3779b97f4a7c15u >> (64 - bits)); }

/* The number of its first n characters, all digits, n from 1 to 8: summed up in pairs, pairs of pairs, and so on. */
static inline uint64_t swar_number(uint64_t w, unsigned n) {
    w = (w ^ 0x3030303030303030u) << (64 - 8 * n);
    w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffu;
    w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffu;
    return (w * 10000 + (w >> 32)) & 0xffffffffu;
}

/* Behind sixteen digits: up to three more, if they fit. */
static inline const char *swar_last_digits(const char *p, uint64_t u, int64_t *out) {
    for (unsigned more = 0; (unsigned char)(*p - '0') < 10; more++) {
        if (more == 3) return NULL;
        u = u * 10 + (unsigned char)(*p++ - '0');
    }
    if (u > INT64_MAX) return NULL;
    *out = (int64_t)u;
    return p;
}

/* Behind eight digits that are the number `high`. */
static inline const char *swar_more_digits(const char *p, uint64_t high, int64_t *out) {
    static const uint32_t power[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t w = swar_load(p);
    unsigned n = swar_digits(w);
    if (n == 8) return swar_last_digits(p + 8, high * 100000000 + swar_number(w, n), out);
    *out = (int64_t)(n ? high * power[n] + swar_number(w, n) : high);
    return p + n;
}

/* Digits alone: the place behind them; NULL when there are none, or when they are no 64-bit integer. */
static inline const char *swar_int(const char *p, int64_t *out) {
    uint64_t w = swar_load(p);
    unsigned n = swar_digits(w);
    if (n == 0) return NULL;
    uint64_t number = swar_number(w, n);
    if (n == 8) return swar_more_digits(p + 8, number, out);
    *out = (int64_t)number;
    return p + n;
}

#endif
