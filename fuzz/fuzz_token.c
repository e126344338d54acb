/* The tokenizer must give the same tokens whatever the blocks: all bytes at once, or one, two or three at a time. */
#include "base/hash.h"
#include "format/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct slices {
    const uint8_t *p;
    size_t left, step;
    char *copy;
} slices;

static size_t next_slice(void *context, const char **p) {
    slices *s = context;
    size_t n = s->left < s->step ? s->left : s->step;
    free(s->copy);
    s->copy = malloc(n ? n : 1);
    if (n) memcpy(s->copy, s->p, n);
    s->p += n;
    s->left -= n;
    *p = s->copy;
    return n;
}

static uint64_t digest(dialect d, const uint8_t *p, size_t n, size_t step) {
    tokens t;
    token k;
    slices s = {.p = p, .left = n, .step = step};
    uint64_t sum = 0;
    tokens_init(&t, d, "file", next_slice, &s);
    while (tokens_next(&t, &k) != TOKEN_END && k.kind != TOKEN_WRONG) {
        sum = hash_pair(sum, (uint64_t)k.kind << 32 | k.line);
        if (k.kind == TOKEN_INT) sum = hash_pair(sum, (uint64_t)k.integer);
        else if (k.kind >= TOKEN_STRING && k.kind <= TOKEN_NUMBER) sum = hash_pair(sum, hash_bytes(k.at, k.size));
    }
    if (k.kind == TOKEN_WRONG)
        sum = hash_pair(sum, hash_bytes(tokens_what(&t), strlen(tokens_what(&t))) + tokens_line(&t));
    tokens_free(&t);
    free(s.copy);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    for (dialect d = DIALECT_JSON; d <= DIALECT_EDN; d++) {
        uint64_t whole = digest(d, p, n, n ? n : 1);
        for (size_t step = 1; step <= 3; step++)
            if (digest(d, p, n, step) != whole) abort();
    }
    return 0;
}
