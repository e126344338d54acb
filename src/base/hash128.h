/* Numbers of 128 bits that stand for many bytes: where equal numbers are taken for equal contents. Each step is a
 * bijection of the number for given input, and of the input for a given number, so only two different inputs of several
 * words can meet; of n contents some two do with a chance of about n * n / 2^129. For memory only: never written to a
 * file. */
#ifndef PLUMB_BASE_HASH128_H
#define PLUMB_BASE_HASH128_H

#include "base/hash.h"

#include <stdbool.h>

typedef struct hash128 {
    uint64_t low, high;
} hash128;

static inline uint64_t rotate_left(uint64_t x, unsigned n) { return x << n | x >> (64 - n); }

static inline void hash128_words(hash128 *h, uint64_t first, uint64_t second) {
    h->low = rotate_left(h->low ^ first * 0x9e3779b97f4a7c15u, 29) * 0xd6e8feb86659fd93u + h->high;
    h->high = rotate_left(h->high ^ second * 0xc2b2ae3d27d4eb4fu, 31) * 0xff51afd7ed558ccdu + h->low;
}

static inline bool hash128_equal(hash128 a, hash128 b) { return a.low == b.low && a.high == b.high; }

void hash128_bytes(hash128 *h, const void *p, size_t n); /* and their number */
/* All that went in so far decides every bit. */
static inline hash128 hash128_done(const hash128 *h) {
    const uint64_t low = hash_mix(h->low + rotate_left(h->high, 23));
    return (hash128){low, hash_mix(h->high ^ low * 0x9e3779b97f4a7c15u)};
}

#endif
