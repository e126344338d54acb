#include "base/hash.h"

#include <string.h>

/* Multiply and fold: the full product of two 64-bit words, high half over low half. */
static uint64_t fold(uint64_t a, uint64_t b) {
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_bytes(const void *p, size_t n) {
    const unsigned char *s = p;
    uint64_t h = 0x2d358dccaa6c78a5u ^ n, word;
    for (; n >= 8; n -= 8, s += 8) {
        memcpy(&word, s, 8);
        h = fold(h ^ word, 0x8bb84b93962eacc9u);
    }
    word = 0;
    if (n) memcpy(&word, s, n);
    return hash_mix(fold(h ^ word, 0x4b33a62ed433d4a3u));
}

uint64_t hash_words(const uint32_t *w, size_t n) { return hash_bytes(w, n * sizeof *w); }
