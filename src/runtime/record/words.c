/* Values into words and blocks of words (format/plumb_log.h). */
#include "runtime/record/recorder.h"

#include "base/digest.h"

#include <assert.h>
#include <string.h>

/* What is not known is no value; plumb_ret says so otherwise. */
static const uint8_t constants[] = {[PLUMB_NONE] = 0, [PLUMB_EMPTY] = 1, [PLUMB_FULL] = 2, [PLUMB_UNKNOWN] = 0};

int64_t wide_word_int(plumb_word word) {
    uint64_t tag = word & 7, rest = word >> 3;
    assert(!plumb_word_is_plain(word) && word != PLUMB_WORD_TOO_WIDE);
    uint64_t upper = tag > 1 ? tag - 1 : rest >> 60 ? 0 : 7;
    return (int64_t)(upper << 61 | rest);
}

bool value_fits_word(const plumb_value *v) {
    if (v->kind == PLUMB_INT) return plumb_fits_word(v->as.integer);
    return v->kind <= PLUMB_BOOL;
}

plumb_word value_word(const plumb_value *v) {
    if (v->kind == PLUMB_INT) return PLUMB_WORD_INT(v->as.integer);
    if (v->kind == PLUMB_BOOL) return v->as.integer ? PLUMB_WORD_TRUE : PLUMB_WORD_FALSE;
    return PLUMB_WORD_CONSTANT(constants[v->kind]);
}

bool value_is_recordable(const plumb_value *v) {
    if (v->kind == PLUMB_INT || value_fits_word(v)) return true;
    if (v->kind == PLUMB_BYTES) return v->as.bytes || !v->size;
    if (v->kind != PLUMB_TUPLE || (v->size && !v->as.item)) return false;
    for (uint32_t i = 0; i < v->size; i++)
        if (!value_is_recordable(&v->as.item[i])) return false;
    return true;
}

static uint64_t *reserve(block_writer *b, size_t words) {
    uint64_t *at = b->at ? b->at + b->words : NULL;
    assert(b->words >= 1); /* the length comes first */
    b->words += words;
    return at;
}

static void store_bytes(uint64_t *to, const char *p, size_t n) {
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, p + i, n - i < 8 ? n - i : 8);
        log_store(&to[i / 8], word);
    }
}

/* References go forward only, so that a reader cannot run in a circle. */
plumb_word block_value(block_writer *b, const plumb_value *v) {
    if (value_fits_word(v)) return value_word(v);
    plumb_word reference = (plumb_word)b->words << 3 | LOG_REFERENCE;
    assert(v->kind == PLUMB_INT || v->kind == PLUMB_BYTES || v->kind == PLUMB_TUPLE);
    size_t content = v->kind == PLUMB_INT ? 1 : v->kind == PLUMB_BYTES ? ((size_t)v->size + 7) / 8 : v->size;
    uint64_t *at = reserve(b, 1 + content);
    if (at) {
        log_store(&at[0], (uint64_t)v->kind << 32 | v->size);
        if (v->kind == PLUMB_INT) log_store(&at[1], (uint64_t)v->as.integer);
        if (v->kind == PLUMB_BYTES) store_bytes(at + 1, v->as.bytes, v->size);
    }
    for (uint32_t i = 0; v->kind == PLUMB_TUPLE && i < v->size; i++) {
        plumb_word item = block_value(b, &v->as.item[i]);
        if (at) log_store(&at[1 + i], item);
    }
    return reference;
}

uint64_t digest_of_word(uint64_t digest, plumb_word word) {
    return (word & 7) == LOG_INT ? digest_int(digest, (int64_t)word >> 3)
                                 : digest_constant(digest, (uint32_t)(word >> 3));
}

uint64_t digest_of_value(uint64_t digest, const plumb_value *v) {
    switch (v->kind) {
    case PLUMB_INT: return digest_int(digest, v->as.integer);
    case PLUMB_BYTES: return digest_bytes(digest_word(digest, DIGEST_BYTES), v->as.bytes, v->size);
    case PLUMB_TUPLE:
        digest = digest_word(digest_word(digest, DIGEST_TUPLE), v->size);
        for (uint32_t i = 0; i < v->size; i++) digest = digest_of_value(digest, &v->as.item[i]);
        return digest;
    default: return value_fits_word(v) ? digest_of_word(digest, value_word(v)) : digest; /* misuse, told elsewhere */
    }
}
