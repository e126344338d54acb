/* SHA-256 (FIPS 180-4): names of contents that travel between machines. Unlike base/digest.h it stands against
 * forgers. */
#ifndef PLUMB_BASE_SHA256_H
#define PLUMB_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32, SHA256_BLOCK = 64, SHA256_HEX = 2 * SHA256_SIZE + 1 };

typedef struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[SHA256_BLOCK];
} sha256;

void sha256_begin(sha256 *h);
void sha256_add(sha256 *h, const void *p, size_t n);
void sha256_end(sha256 *h, unsigned char out[SHA256_SIZE]);

void sha256_name(const void *p, size_t n, char out[SHA256_HEX]); /* in hexadecimal digits */

#endif
