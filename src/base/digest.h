/* A digest of a sequence of words that is the same everywhere and for good: it is written into certificates and
 * compared with what clients computed while they ran. It tells accidents and mix-ups apart, not forgers: it is no
 * cryptography. */
#ifndef PLUMB_BASE_DIGEST_H
#define PLUMB_BASE_DIGEST_H

#include <stdint.h>

#define DIGEST_START UINT64_C(0x6a09e667f3bcc908)

/* A bijection of the word for each digest, and of the digest for each word: no step forgets anything. */
static inline uint64_t digest_word(uint64_t digest, uint64_t word) {
    uint64_t x = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    x ^= x >> 32;
    return x * UINT64_C(0xd6e8feb86659fd93) + 1;
}

static inline uint64_t digest_bytes(uint64_t digest, const void *p, uint64_t n) {
    const unsigned char *byte = p;
    digest = digest_word(digest, n);
    for (uint64_t i = 0; i < n; i++) digest = digest_word(digest, byte[i]);
    return digest;
}

/* Values: their kind, then what they are. A call: method and number of arguments, then these; then the result. */
enum digest_kind { DIGEST_CONSTANT, DIGEST_INT, DIGEST_BYTES, DIGEST_TUPLE, DIGEST_NUMBER, DIGEST_SET, DIGEST_MAP };

static inline uint64_t digest_int(uint64_t digest, int64_t i) {
    return digest_word(digest_word(digest, DIGEST_INT), (uint64_t)i);
}
static inline uint64_t digest_constant(uint64_t digest, uint32_t number) {
    return digest_word(digest, (uint64_t)number << 8 | DIGEST_CONSTANT);
}
static inline uint64_t digest_call(uint64_t digest, unsigned which, uint64_t args) {
    return digest_word(digest, (uint64_t)which << 8 | args);
}

#endif
