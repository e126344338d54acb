/* From values to small numbers: open addressing, with removal that leaves no marks behind, so that it never has to be
 * built anew however long a monitor runs. */
#ifndef PLUMB_HISTORY_VALUE_MAP_H
#define PLUMB_HISTORY_VALUE_MAP_H

#include "base/hash.h"
#include "base/mem.h"
#include "history/value.h"

#include <assert.h>
#include <stdlib.h>

#define VALUE_MAP_ABSENT UINT32_MAX

typedef struct value_map_slot {
    value v;
    uint32_t number; /* VALUE_MAP_ABSENT: free */
} value_map_slot;

typedef struct value_map {
    value_map_slot *slot;
    uint32_t slots, n;
} value_map;

static inline void value_map_reserve(value_map *m, uint32_t slots) {
    assert((slots & (slots - 1)) == 0 && slots > m->n); /* a probe ends */
    value_map_slot *old = m->slot;
    uint32_t old_slots = m->slots;
    m->slot = MEM_ARRAY(value_map_slot, slots); /* before anything changes: a map may outlive a call without memory */
    m->slots = slots;
    for (uint32_t i = 0; i < slots; i++) m->slot[i].number = VALUE_MAP_ABSENT;
    for (uint32_t i = 0; i < old_slots; i++) {
        if (old[i].number == VALUE_MAP_ABSENT) continue;
        uint32_t at = (uint32_t)hash_mix(old[i].v) & (slots - 1);
        while (m->slot[at].number != VALUE_MAP_ABSENT) at = (at + 1) & (slots - 1);
        m->slot[at] = old[i];
    }
    free(old);
}

static inline uint32_t value_map_at(const value_map *m, value v) {
    uint32_t at = (uint32_t)hash_mix(v) & (m->slots - 1);
    while (m->slot[at].number != VALUE_MAP_ABSENT && m->slot[at].v != v) at = (at + 1) & (m->slots - 1);
    return at;
}

static inline uint32_t value_map_find(const value_map *m, value v) {
    return m->slots ? m->slot[value_map_at(m, v)].number : VALUE_MAP_ABSENT;
}

static inline void value_map_add(value_map *m, value v, uint32_t number) {
    if (2 * (m->n + 1) > m->slots) value_map_reserve(m, m->slots ? 2 * m->slots : 16);
    assert(number != VALUE_MAP_ABSENT && value_map_find(m, v) == VALUE_MAP_ABSENT);
    m->slot[value_map_at(m, v)] = (value_map_slot){v, number};
    m->n++;
    assert(m->n < m->slots);
}

/* In place of the number that it had, if it had one. */
static inline void value_map_set(value_map *m, value v, uint32_t number) {
    if (value_map_find(m, v) == VALUE_MAP_ABSENT) value_map_add(m, v, number);
    else m->slot[value_map_at(m, v)].number = number;
}

/* Those behind it move up when that brings them nearer to where they belong. */
static inline void value_map_remove(value_map *m, value v) {
    uint32_t mask = m->slots - 1, hole = value_map_at(m, v);
    if (m->slot[hole].number == VALUE_MAP_ABSENT) return;
    for (uint32_t at = (hole + 1) & mask; m->slot[at].number != VALUE_MAP_ABSENT; at = (at + 1) & mask) {
        uint32_t home = (uint32_t)hash_mix(m->slot[at].v) & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        m->slot[hole] = m->slot[at];
        hole = at;
    }
    assert(m->n > 0);
    m->slot[hole].number = VALUE_MAP_ABSENT;
    m->n--;
    assert(value_map_find(m, v) == VALUE_MAP_ABSENT);
}

static inline size_t value_map_memory(const value_map *m) { return m->slots * sizeof *m->slot; }

#endif
