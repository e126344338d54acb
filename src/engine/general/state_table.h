/* States kept once each: a configuration names its object state by a number, so equality is equality of numbers.
 * Numbers are given up again by `state_table_retain`. */
#ifndef PLUMB_ENGINE_GENERAL_STATE_TABLE_H
#define PLUMB_ENGINE_GENERAL_STATE_TABLE_H

#include "base/table.h"
#include "object/state.h"

typedef struct state_entry {
    size_t at; /* of its first word */
    uint32_t n;
    uint32_t hash;
} state_entry;

typedef struct state_table {
    uint32_t *word;
    size_t words, word_room;
    state_entry *entry;
    uint32_t count, room;
    table numbers;     /* by content */
    uint32_t retained; /* states after the last retain */
} state_table;

void state_table_free(state_table *t);
uint32_t state_table_number(state_table *t, const state *s);
void state_table_get(const state_table *t, uint32_t number, state *out);
bool state_table_is_long(const state_table *t); /* worth a retain */
/* Keeps only the states whose numbers these are; the numbers are updated. */
void state_table_retain(state_table *t, uint32_t *const *number, uint32_t n);
size_t state_table_memory(const state_table *t);

#endif
