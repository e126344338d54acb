/* A set of pairs of words with a mark each: open addressing, removal without marks left behind. */
#ifndef PLUMB_RUNTIME_WORD_SET_H
#define PLUMB_RUNTIME_WORD_SET_H

#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct word_entry {
    uint64_t a, b;
    uint32_t mark;
    bool here;
} word_entry;

typedef struct word_set {
    word_entry *slot;
    uint64_t slots, n;
} word_set;

static inline uint64_t word_set_at(const word_set *s, uint64_t a, uint64_t b) {
    uint64_t at = hash_pair(a, b) & (s->slots - 1);
    assert(s->n < s->slots && (s->slots & (s->slots - 1)) == 0); /* there is a free slot to stop at */
    while (s->slot[at].here && (s->slot[at].a != a || s->slot[at].b != b)) at = (at + 1) & (s->slots - 1);
    return at;
}

static inline word_entry *word_set_find(const word_set *s, uint64_t a, uint64_t b) {
    if (!s->n) return NULL;
    word_entry *e = &s->slot[word_set_at(s, a, b)];
    return e->here ? e : NULL;
}

static inline word_entry *word_set_add(word_set *s, uint64_t a, uint64_t b) {
    if (2 * (s->n + 1) > s->slots) {
        word_set old = *s;
        s->slots = old.slots ? 2 * old.slots : 64;
        s->slot = mem_zero(s->slots, sizeof *s->slot);
        for (uint64_t i = 0; i < old.slots; i++)
            if (old.slot[i].here) s->slot[word_set_at(s, old.slot[i].a, old.slot[i].b)] = old.slot[i];
        free(old.slot);
    }
    word_entry *e = &s->slot[word_set_at(s, a, b)];
    assert(!e->here || (e->a == a && e->b == b));
    s->n += !e->here;
    *e = (word_entry){.a = a, .b = b, .here = true};
    return e;
}

static inline void word_set_remove(word_set *s, word_entry *e) {
    uint64_t mask = s->slots - 1, hole = (uint64_t)(e - s->slot);
    assert(hole < s->slots && e->here && s->n > 0);
    for (uint64_t at = (hole + 1) & mask; s->slot[at].here; at = (at + 1) & mask) {
        uint64_t home = hash_pair(s->slot[at].a, s->slot[at].b) & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        s->slot[hole] = s->slot[at];
        hole = at;
    }
    s->slot[hole].here = false;
    s->n--;
}

static inline void word_set_free(word_set *s) {
    free(s->slot);
    *s = (word_set){0};
}

#endif
