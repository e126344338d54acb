/* Hashing of words and bytes, for tables in memory only: never written to a file. */
#ifndef PLUMB_BASE_HASH_H
#define PLUMB_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t hash_mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b) {
    return hash_mix(a * 0x9e3779b97f4a7c15u + (b ^ 0x5851f42d4c957f2du));
}

/* For handles of values: they mostly come in order, so neighbours stay neighbours and share a cache line. */
static inline uint32_t hash_near(uint32_t v) { return v ^ v >> 15; }

uint64_t hash_bytes(const void *p, size_t n);
uint64_t hash_words(const uint32_t *w, size_t n);

#endif
