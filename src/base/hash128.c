#include "base/hash128.h"

#include <string.h>

void hash128_bytes(hash128 *h, const void *p, size_t n) {
    const unsigned char *at = p;
    const size_t all = n;
    uint64_t pair[2];
    for (; n >= sizeof pair; n -= sizeof pair, at += sizeof pair) {
        memcpy(pair, at, sizeof pair);
        hash128_words(h, pair[0], pair[1]);
    }
    pair[0] = pair[1] = 0;
    if (n) memcpy(pair, at, n);
    hash128_words(h, pair[0], pair[1]);
    hash128_words(h, all, ~all);
}
