#include "history/value_digest.h"

#include "base/digest.h"

static uint64_t digest_items(uint64_t digest, enum digest_kind kind, const values *t, value v) {
    size_t n;
    const value *item = value_list(t, v, &n);
    digest = digest_word(digest_word(digest, kind), n);
    for (size_t i = 0; i < n; i++) digest = value_digest(digest, t, item[i]);
    return digest;
}

uint64_t value_digest(uint64_t digest, const values *t, value v) {
    size_t n;
    switch (value_kind_of(t, v)) {
    case KIND_INT: return digest_int(digest, value_as_int(t, v));
    case KIND_BYTES: {
        const char *p = value_as_bytes(t, v, &n);
        return digest_bytes(digest_word(digest, DIGEST_BYTES), p, n);
    }
    case KIND_NUMBER: {
        const char *p = value_as_number(t, v, &n);
        return digest_bytes(digest_word(digest, DIGEST_NUMBER), p, n);
    }
    case KIND_TUPLE: return digest_items(digest, DIGEST_TUPLE, t, v);
    case KIND_SET: return digest_items(digest, DIGEST_SET, t, v);
    case KIND_MAP: return digest_items(digest, DIGEST_MAP, t, v);
    default: return digest_constant(digest, v - VALUE_SPECIAL);
    }
}
