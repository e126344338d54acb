/* From words to numbers: open addressing, removal without marks left behind. */
#ifndef PLUMB_RUNTIME_WORD_INDEX_H
#define PLUMB_RUNTIME_WORD_INDEX_H

#include "base/mem.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#define NUMBER_NONE UINT32_MAX

typedef struct word_slot {
    uint64_t word;
    uint32_t number; /* NUMBER_NONE: nothing is here */
} word_slot;

typedef struct word_index {
    word_slot *slot;
    uint64_t slots, n;
    unsigned shift;
} word_index;

/* The highest bits: words that follow each other, as tags do, are then as far apart as can be (the golden ratio). */
static inline uint64_t word_index_home(const word_index *t, uint64_t word) {
    return (word >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> t->shift;
}

/* Where the word is, or would be. */
static inline uint64_t word_index_at(const word_index *t, uint64_t word) {
    uint64_t at = word_index_home(t, word);
    assert(at < t->slots && t->n < t->slots); /* there is a free slot to stop at */
    while (t->slot[at].number != NUMBER_NONE && t->slot[at].word != word) at = (at + 1) & (t->slots - 1);
    return at;
}

static inline void word_index_resize(word_index *t, uint64_t slots) {
    word_index old = *t;
    assert(slots >= 2 && (slots & (slots - 1)) == 0 && 2 * old.n <= slots);
    *t = (word_index){.slot = MEM_ARRAY(word_slot, slots),
                      .slots = slots,
                      .n = old.n,
                      .shift = 64 - (unsigned)__builtin_ctzll(slots)};
    for (uint64_t i = 0; i < slots; i++) t->slot[i].number = NUMBER_NONE;
    for (uint64_t i = 0; i < old.slots; i++)
        if (old.slot[i].number != NUMBER_NONE) t->slot[word_index_at(t, old.slot[i].word)] = old.slot[i];
    free(old.slot);
}

/* False: the word is there already. */
static inline int word_index_add(word_index *t, uint64_t word, uint32_t number) {
    assert(number != NUMBER_NONE);
    if (2 * (t->n + 1) > t->slots) word_index_resize(t, 2 * t->slots);
    uint64_t at = word_index_at(t, word);
    if (t->slot[at].number != NUMBER_NONE) return 0;
    t->slot[at] = (word_slot){word, number};
    t->n++;
    return 1;
}

static inline void word_index_remove(word_index *t, uint64_t hole) {
    uint64_t mask = t->slots - 1;
    assert(t->n > 0 && hole < t->slots && t->slot[hole].number != NUMBER_NONE);
    t->n--;
    for (uint64_t at = (hole + 1) & mask; t->slot[at].number != NUMBER_NONE; at = (at + 1) & mask) {
        uint64_t home = word_index_home(t, t->slot[at].word);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        t->slot[hole] = t->slot[at];
        hole = at;
    }
    t->slot[hole].number = NUMBER_NONE;
}

#endif
