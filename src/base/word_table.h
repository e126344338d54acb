/* Keeps arrays of 32-bit words once and gives each a number: hash-consing of states and situations. Not over
 * base/table.h: it is never cleared, and slots without stamps are half as large, where a search keeps millions. */
#ifndef PLUMB_BASE_WORD_TABLE_H
#define PLUMB_BASE_WORD_TABLE_H

#include "base/budget.h"

#include <assert.h>
#include <stdint.h>

typedef struct word_table {
    uint32_t *pool;  /* the words of all arrays, one behind the other */
    uint32_t *start; /* array i is pool[start[i]] .. pool[start[i+1]-1] */
    uint32_t *slot;  /* open addressing, number + 1 */
    uint32_t count, slots, room;
    size_t pool_used, pool_room;
    budget *budget; /* charged for what it holds */
    size_t charged;
} word_table;

void word_table_init(word_table *t, budget *b);
void word_table_free(word_table *t);
uint32_t word_table_number(word_table *t, const uint32_t *w, uint32_t n);

static inline const uint32_t *word_table_words(const word_table *t, uint32_t i, uint32_t *n) {
    assert(i < t->count);
    assert(t->start[i] <= t->start[i + 1] && t->start[i + 1] <= t->pool_used);
    *n = t->start[i + 1] - t->start[i];
    return t->pool + t->start[i];
}

#endif
