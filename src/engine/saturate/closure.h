/* A growing partial order over a few live things, always transitively closed: for each a row of bits of what is after
 * it and one of what is before it. Things have slots, which are used again once they are forgotten; what followed from
 * a forgotten thing for the others stays.
 *
 * The pairs that become ordered, both of whose things are watched, are handed out one by one (closure_next). */
#ifndef PLUMB_ENGINE_SATURATE_CLOSURE_H
#define PLUMB_ENGINE_SATURATE_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ordered_pair {
    uint32_t before, after;
} ordered_pair;

typedef struct closure {
    uint32_t room, words;     /* slots, and words of 64 of them */
    uint64_t *after, *before; /* room rows each */
    uint64_t *live;
    uint64_t *watched;
    uint64_t *past; /* what is before everything that comes from now on */
    uint64_t *done; /* what has ended: it and what is before it are the past */
    uint64_t *scratch;
    uint32_t count;
    uint32_t *unused, unused_n;
    ordered_pair *fresh;
    size_t fresh_n, fresh_room;
} closure;

void closure_init(closure *c);
void closure_free(closure *c);
size_t closure_memory(const closure *c);

/* Something new, after all that is past. When all slots are taken there will be more of them: `words` changes, and
 * masks of others have to grow with it. */
uint32_t closure_new(closure *c);
bool closure_add(closure *c, uint32_t x, uint32_t y); /* x is before y, and what follows; false: it cannot be */
void closure_end(closure *c, uint32_t x);             /* whatever is new from now on is after x */
void closure_forget(closure *c, const uint64_t *which);
bool closure_next(closure *c, ordered_pair *out);

/* ---- masks: rows of `words` words over slots ---- */
static inline bool mask_has(const uint64_t *m, uint32_t i) { return m[i / 64] >> (i % 64) & 1; }
static inline void mask_set(uint64_t *m, uint32_t i) { m[i / 64] |= UINT64_C(1) << (i % 64); }
static inline void mask_clear(uint64_t *m, uint32_t i) { m[i / 64] &= ~(UINT64_C(1) << (i % 64)); }

/* Runs the statement for each slot `i` whose bit is set in the expression over the word number `w`. */
#define MASK_EACH(words, w, i, expression) \
    for (uint32_t w = 0; w < (words); w++) \
        for (uint64_t left_##i = (expression), i = 0; \
             left_##i && ((i = (uint64_t)w * 64 + (uint64_t)__builtin_ctzll(left_##i)), true); \
             left_##i &= left_##i - 1)

uint64_t *mask_grow(uint64_t *m, uint32_t rows, uint32_t old_words, uint32_t words); /* the same bits in wider rows */

static inline const uint64_t *row_after(const closure *c, uint32_t x) { return c->after + (size_t)x * c->words; }
static inline const uint64_t *row_before(const closure *c, uint32_t x) { return c->before + (size_t)x * c->words; }
static inline bool is_before(const closure *c, uint32_t x, uint32_t y) { return mask_has(row_after(c, x), y); }

#endif
