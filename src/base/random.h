/* A small seeded generator (splitmix64): the same seed gives the same run everywhere. */
#ifndef PLUMB_BASE_RANDOM_H
#define PLUMB_BASE_RANDOM_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct random_source {
    uint64_t s;
} random_source;

static inline uint64_t random_next(random_source *r) {
    uint64_t z = (r->s += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Uniform below n (n > 0), by multiplication: the bias is below 2^-32 for n < 2^32. */
static inline uint32_t random_below(random_source *r, uint32_t n) {
    assert(n > 0);
    return (uint32_t)((random_next(r) >> 32) * n >> 32);
}

static inline bool random_chance(random_source *r, double p) { return (double)(random_next(r) >> 11) * 0x1p-53 < p; }

#endif
