/* SHA-256 (FIPS 180-4), and HMAC with it (RFC 2104): names of contents that travel between machines, and proofs that a
 * message is of one who knows a key. Unlike base/digest.h it stands against forgers. */
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
void hmac_sha256(const void *key, size_t key_size, const void *p, size_t n, unsigned char out[SHA256_SIZE]);
int sha256_differs(const unsigned char *a, const unsigned char *b); /* in a time that does not depend on where */

#endif
