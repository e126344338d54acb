/* The state of an object: an array of 32-bit words, mostly values. The form is canonical: two states are the same
 * state exactly when their words are equal, so copying, comparing and hashing need no code per object. */
#ifndef PLUMB_OBJECT_STATE_H
#define PLUMB_OBJECT_STATE_H

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    uint32_t *w;
    uint32_t n, room;
    uint32_t skip; /* words before w that were removed from the front: a long queue is not moved up for each of them */
} state;

static inline void state_free(state *s) {
    if (s->w) free(s->w - s->skip);
    *s = (state){0};
}

static inline void state_rewind(state *s) {
    if (!s->skip) return;
    uint32_t *start = s->w - s->skip;
    memmove(start, s->w, s->n * sizeof *s->w);
    s->w = start;
    s->room += s->skip;
    s->skip = 0;
}

static inline void state_reserve(state *s, uint32_t n) {
    if (n <= s->room) return;
    bool half_is_free = s->skip >= s->room; /* so what is moved now was paid for by what was removed */
    state_rewind(s);
    if (half_is_free && n <= s->room) return;
    assert(s->skip == 0); /* what is grown begins where it was allocated */
    uint32_t room = s->room ? s->room : 4;
    while (room < n) room *= 2;
    s->w = MEM_GROW(s->w, uint32_t, room);
    s->room = room;
}

static inline void state_set(state *s, const uint32_t *w, uint32_t n) {
    state_reserve(s, n);
    if (n) memcpy(s->w, w, n * sizeof *w);
    s->n = n;
}

static inline void state_copy(state *to, const state *from) { state_set(to, from->w, from->n); }

static inline void state_insert(state *s, uint32_t at, uint32_t word) {
    assert(at <= s->n);
    state_reserve(s, s->n + 1);
    memmove(s->w + at + 1, s->w + at, (s->n - at) * sizeof *s->w);
    s->w[at] = word;
    s->n++;
}

static inline void state_push(state *s, uint32_t word) {
    state_reserve(s, s->n + 1);
    s->w[s->n++] = word;
}

static inline void state_remove(state *s, uint32_t at) {
    assert(at < s->n && s->n <= s->room);
    s->n--;
    if (at == 0) {
        s->w++;
        s->room--;
        s->skip++;
        return;
    }
    memmove(s->w + at, s->w + at + 1, (s->n - at) * sizeof *s->w);
}

static inline bool state_equal(const state *a, const state *b) {
    return a->n == b->n && (a->n == 0 || memcmp(a->w, b->w, a->n * sizeof *a->w) == 0);
}

static inline uint64_t state_hash(const state *s) { return hash_words(s->w, s->n); }

/* 64-bit integers take two words, low half first. */
static inline int64_t state_int(const state *s, uint32_t at) {
    assert(at + 1 < s->n);
    return (int64_t)((uint64_t)s->w[at] | (uint64_t)s->w[at + 1] << 32);
}

static inline void state_put_int(state *s, uint32_t at, int64_t i) {
    assert(at + 1 < s->n);
    s->w[at] = (uint32_t)(uint64_t)i;
    s->w[at + 1] = (uint32_t)((uint64_t)i >> 32);
}

#endif
