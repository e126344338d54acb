#include "format/swar.h"

bool swar_long_int(const char *p, size_t n, int64_t *out) {
    int64_t high, low;
    if (n > 19 || !swar_int_of(p, n - 8, &high) || !swar_int_of(p + n - 8, 8, &low)) return false;
    uint64_t u = (uint64_t)high * 100000000 + (uint64_t)low; /* 19 digits fit 64 bits */
    *out = (int64_t)u;
    return u <= INT64_MAX;
}
