#include "engine/saturate/closure.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_WORDS = 1 };

uint64_t *mask_grow(uint64_t *m, uint32_t rows, uint32_t old_words, uint32_t words) {
    uint64_t *wider = mem_zero((size_t)rows * words + 1, sizeof *wider);
    for (uint32_t r = 0; r < rows && m; r++)
        memcpy(wider + (size_t)r * words, m + (size_t)r * old_words, old_words * sizeof *m);
    free(m);
    return wider;
}

static void grow_matrix(uint64_t **m, uint32_t rows, uint32_t old_rows, uint32_t old_words, uint32_t words) {
    uint64_t *larger = mem_zero((size_t)rows * words, sizeof *larger);
    for (uint32_t r = 0; r < old_rows; r++)
        memcpy(larger + (size_t)r * words, *m + (size_t)r * old_words, old_words * sizeof *larger);
    free(*m);
    *m = larger;
}

static void grow(closure *c) {
    uint32_t old = c->room, old_words = c->words, words = old_words ? 2 * old_words : FIRST_WORDS, room = 64 * words;
    grow_matrix(&c->after, room, old, old_words, words);
    grow_matrix(&c->before, room, old, old_words, words);
    uint64_t **mask[] = {&c->live, &c->watched, &c->past, &c->done, &c->scratch};
    for (unsigned i = 0; i < sizeof mask / sizeof *mask; i++) *mask[i] = mask_grow(*mask[i], 1, old_words, words);
    c->unused = MEM_GROW(c->unused, uint32_t, room);
    for (uint32_t i = room; i-- > old;) c->unused[c->unused_n++] = i;
    c->room = room;
    c->words = words;
    assert(c->room == 64 * c->words && c->unused_n <= c->room);
}

void closure_init(closure *c) {
    *c = (closure){0};
    grow(c);
}

void closure_free(closure *c) {
    FREE_ALL(c->after, c->before, c->live, c->watched, c->past, c->done, c->scratch, c->unused, c->fresh);
    *c = (closure){0};
}

size_t closure_memory(const closure *c) {
    return 2 * (size_t)c->room * c->words * sizeof *c->after + 5 * c->words * sizeof *c->live +
           c->room * sizeof *c->unused + c->fresh_room * sizeof *c->fresh;
}

static bool is_subset(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t w = 0; w < words; w++)
        if (a[w] & ~b[w]) return false;
    return true;
}

/* What is before x is live, knows it, and has all that is after x behind it too; nothing is on both sides. */
SELF_CHECK static bool row_is_closed(const closure *c, uint32_t x) {
    const uint64_t *before = row_before(c, x), *after = row_after(c, x);
    if (!is_subset(before, c->live, c->words) || !is_subset(after, c->live, c->words)) return false;
    if (mask_has(before, x) || mask_has(after, x)) return false;
    MASK_EACH(c->words, w, p, before[w]) {
        if (!is_before(c, (uint32_t)p, x) || mask_has(after, (uint32_t)p)) return false;
        if (!is_subset(after, row_after(c, (uint32_t)p), c->words)) return false;
        if (!is_subset(row_before(c, (uint32_t)p), before, c->words)) return false;
    }
    MASK_EACH(c->words, v, s, after[v]) {
        if (!mask_has(row_before(c, (uint32_t)s), x)) return false;
    }
    return true;
}

uint32_t closure_new(closure *c) {
    if (!c->unused_n) grow(c);
    uint32_t x = c->unused[--c->unused_n];
    assert(x < c->room && !mask_has(c->live, x));
    mask_set(c->live, x);
    c->count++;
    memcpy(c->before + (size_t)x * c->words, c->past, c->words * sizeof *c->past);
    uint64_t bit = UINT64_C(1) << (x % 64), *column = c->after + x / 64;
    MASK_EACH(c->words, w, p, c->past[w]) column[(size_t)p * c->words] |= bit;
    assert(c->count + c->unused_n == c->room);
    assert_costly(row_is_closed(c, x));
    return x;
}

static void push(closure *c, uint32_t x, uint32_t y) {
    if (c->fresh_n == c->fresh_room) {
        c->fresh_room = c->fresh_room ? 2 * c->fresh_room : 64;
        c->fresh = MEM_GROW(c->fresh, ordered_pair, c->fresh_room);
    }
    c->fresh[c->fresh_n++] = (ordered_pair){x, y};
}

bool closure_next(closure *c, ordered_pair *out) {
    if (!c->fresh_n) return false;
    *out = c->fresh[--c->fresh_n];
    return true;
}

/* p comes before all of `targets`. */
static void put_before(closure *c, uint32_t p, const uint64_t *targets) {
    uint64_t *row = c->after + (size_t)p * c->words, bit = UINT64_C(1) << (p % 64), *column = c->before + p / 64;
    bool watched = mask_has(c->watched, p);
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t fresh = targets[w] & ~row[w];
        row[w] |= fresh;
        for (; fresh; fresh &= fresh - 1) {
            uint32_t z = w * 64 + (uint32_t)__builtin_ctzll(fresh);
            column[(size_t)z * c->words] |= bit;
            if (watched && mask_has(c->watched, z)) push(c, p, z);
        }
    }
}

static void add_to_past(closure *c, uint32_t x) {
    const uint64_t *before = row_before(c, x);
    for (uint32_t w = 0; w < c->words; w++) c->past[w] |= before[w];
    mask_set(c->past, x);
}

bool closure_add(closure *c, uint32_t x, uint32_t y) {
    assert(mask_has(c->live, x) && mask_has(c->live, y));
    if (x == y || is_before(c, y, x)) return false;
    if (is_before(c, x, y)) return true;
    uint64_t *targets = c->scratch, ended = 0;
    const uint64_t *after = row_after(c, y), *sources = row_before(c, x), *known = row_before(c, y);
    memcpy(targets, after, c->words * sizeof *targets);
    mask_set(targets, y);
    for (uint32_t w = 0; w < c->words; w++) ended |= targets[w] & c->done[w];
    put_before(c, x, targets);
    MASK_EACH(c->words, w, p, sources[w] & ~known[w]) put_before(c, (uint32_t)p, targets);
    if (ended) add_to_past(c, x);
    assert(is_before(c, x, y) && mask_has(row_before(c, y), x));
    assert_costly(row_is_closed(c, x) && row_is_closed(c, y));
    return true;
}

void closure_end(closure *c, uint32_t x) {
    assert(mask_has(c->live, x) && !mask_has(c->done, x));
    mask_set(c->done, x);
    add_to_past(c, x);
}

void closure_forget(closure *c, const uint64_t *which) {
    for (uint32_t w = 0; w < c->words; w++) {
        uint64_t gone = which[w] & c->live[w];
        c->live[w] &= ~gone;
        c->watched[w] &= ~gone;
        c->past[w] &= ~gone;
        c->done[w] &= ~gone;
        for (; gone; gone &= gone - 1) {
            uint32_t x = w * 64 + (uint32_t)__builtin_ctzll(gone);
            memset(c->after + (size_t)x * c->words, 0, c->words * sizeof *c->after);
            memset(c->before + (size_t)x * c->words, 0, c->words * sizeof *c->before);
            c->unused[c->unused_n++] = x;
            c->count--;
        }
    }
    MASK_EACH(c->words, w, x, c->live[w]) {
        uint64_t *after = c->after + (size_t)x * c->words, *before = c->before + (size_t)x * c->words;
        for (uint32_t k = 0; k < c->words; k++) {
            after[k] &= ~which[k];
            before[k] &= ~which[k];
        }
    }
    assert(c->count + c->unused_n == c->room);
    assert_costly(is_subset(c->past, c->live, c->words) && is_subset(c->done, c->past, c->words));
}
