#include "evidence/history_digest.h"

#include "base/digest.h"
#include "base/mem.h"

#include <stdlib.h>

/* Values as people read them: the same text for the same value, whatever table it is in. */
static uint64_t digest_operation(uint64_t digest, const history *h, uint32_t i, text *line) {
    text_clear(line);
    text_add(line, h->method_name[h->method[i]]);
    if (h->key && h->key[i] != VALUE_NONE) { /* none is no key: a history of one object may have a column of them */
        text_char(line, ' ');
        value_print(h->values, h->key[i], line);
    }
    for (unsigned a = 0; a < h->nargs[i]; a++) {
        text_char(line, ',');
        value_print(h->values, h->arg[a][i], line);
    }
    text_char(line, ':');
    if (!history_pending(h, i)) value_print(h->values, h->res[i], line);
    digest = digest_bytes(digest, line->at, line->size);
    digest = digest_word(digest, h->call[i]);
    return digest_word(digest, history_pending(h, i) ? UINT64_MAX : h->ret[i]);
}

/* Clients by the order in which they come. */
static uint64_t digest_clients(uint64_t digest, const history *h) {
    uint32_t *number = mem_zero((size_t)h->clients + 1, sizeof *number), known = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        uint32_t *mine = &number[h->client[i]];
        if (!*mine) *mine = ++known;
        digest = digest_word(digest, *mine);
    }
    free(number);
    return digest;
}

uint64_t history_digest(const history *h, const object *o) {
    uint64_t digest = digest_word(DIGEST_START, h->n);
    text line = {0};
    for (uint32_t i = 0; i < h->n; i++) digest = digest_operation(digest, h, i, &line);
    text_free(&line);
    return h->client && o->type->sees_clients ? digest_clients(digest, h) : digest;
}
