/* Open addressing, once: a table of numbers. What a number stands for, its hash and its equality are the owner's; the
 * table only finds the number of a key. Items live in an array of the owner's, so they can be walked in the order in
 * which they came and have small names.
 *
 *     static uint32_t word_hash(const void *owner, uint32_t item);
 *     static bool word_is(const void *owner, uint32_t item, const void *key);
 *
 *     uint32_t at = table_find(&t, hash, word_is, owner, key);          TABLE_NONE: it is not there
 *     if (at == TABLE_NONE) table_add(&t, hash, word_hash, owner, n++);
 *
 * Not over it: base/word_table.h (arrays of words, in half the room); history/value_map.h, engine/value_index.h,
 * runtime/word_index.h and runtime/word_set.h, which remove; what evidence/ keeps for itself: an oracle shares nothing
 * with what it judges.
 *
 * The functions are inline and get their callbacks as constants, so that compilers make one loop of both. Clearing is
 * one addition: a slot counts only when it has the current stamp. */
#ifndef PLUMB_BASE_TABLE_H
#define PLUMB_BASE_TABLE_H

#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_NONE UINT32_MAX
enum { TABLE_LEAST = 64 }; /* slots of the smallest table */

typedef struct table_slot {
    uint32_t stamp, item;
} table_slot;

typedef struct table { /* all zero: empty */
    table_slot *slot;
    uint32_t slots; /* a power of two; at most half of them are taken */
    uint32_t count;
    uint32_t stamp; /* never 0 once there are slots */
} table;

typedef uint32_t table_hash(const void *owner, uint32_t item);
typedef bool table_is(const void *owner, uint32_t item, const void *key);

static inline void table_free(table *t) {
    free(t->slot);
    *t = (table){0};
}

static inline size_t table_memory(const table *t) { return t->slots * sizeof *t->slot; }

static inline void table_clear(table *t) {
    t->count = 0;
    if (!t->slots || ++t->stamp) return;
    memset(t->slot, 0, t->slots * sizeof *t->slot);
    t->stamp = 1;
}

static inline bool table_taken(const table *t, uint32_t at) { return t->slot[at].stamp == t->stamp; }

static inline uint32_t table_find(const table *t, uint32_t hash, table_is *is, const void *owner, const void *key) {
    if (!t->slots) return TABLE_NONE;
    uint32_t mask = t->slots - 1;
    for (uint32_t at = hash & mask; table_taken(t, at); at = (at + 1) & mask)
        if (is(owner, t->slot[at].item, key)) return t->slot[at].item;
    return TABLE_NONE;
}

static inline void table_place(table *t, uint32_t hash, uint32_t item) {
    uint32_t mask = t->slots - 1, at = hash & mask;
    while (table_taken(t, at)) at = (at + 1) & mask;
    t->slot[at] = (table_slot){t->stamp, item};
}

/* So many slots, a power of two; items are placed again by their hashes. Nothing is changed before the memory is there:
 * a table may outlive a call that ran out of it. */
static inline void table_reserve(table *t, uint32_t slots, table_hash *hash_of, const void *owner) {
    assert((slots & (slots - 1)) == 0 && slots >= 2 * t->count);
    table old = *t;
    t->slot = mem_zero(slots, sizeof *t->slot);
    t->slots = slots;
    t->stamp = 1;
    uint32_t placed = 0;
    for (uint32_t i = 0; i < old.slots; i++) {
        if (!table_taken(&old, i)) continue;
        table_place(t, hash_of(owner, old.slot[i].item), old.slot[i].item);
        placed++;
    }
    assert(placed == t->count);
    (void)placed;
    free(old.slot);
}

/* An item that is not there. */
static inline void table_add(table *t, uint32_t hash, table_hash *hash_of, const void *owner, uint32_t item) {
    assert(item != TABLE_NONE);
    if (2 * ((uint64_t)t->count + 1) > t->slots)
        table_reserve(t, t->slots ? 2 * t->slots : TABLE_LEAST, hash_of, owner);
    table_place(t, hash, item);
    t->count++;
}

#endif
