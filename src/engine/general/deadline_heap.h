/* Operations that wait, the one with the earliest deadline (its return) first. */
#ifndef PLUMB_ENGINE_GENERAL_DEADLINE_HEAP_H
#define PLUMB_ENGINE_GENERAL_DEADLINE_HEAP_H

#include "base/mem.h"
#include "engine/self_check.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct deadline_heap {
    uint64_t *at; /* deadline << 32 | position */
    uint32_t n, room;
} deadline_heap;

static inline void deadline_heap_push(deadline_heap *w, uint32_t deadline, uint32_t position) {
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 32;
        w->at = MEM_GROW(w->at, uint64_t, w->room);
    }
    uint64_t item = (uint64_t)deadline << 32 | position;
    uint32_t i = w->n++;
    for (; i && w->at[(i - 1) / 2] > item; i = (i - 1) / 2) w->at[i] = w->at[(i - 1) / 2];
    w->at[i] = item;
    assert(i == 0 || w->at[(i - 1) / 2] <= item);
}

static inline uint32_t deadline_heap_deadline(const deadline_heap *w) { return (uint32_t)(w->at[0] >> 32); }

static inline uint32_t deadline_heap_pop(deadline_heap *w) {
    assert(w->n > 0);
    uint32_t first = (uint32_t)w->at[0], i = 0;
    SELF_CHECK uint64_t least = w->at[0];
    uint64_t item = w->at[--w->n];
    for (uint32_t child = 1; child < w->n; child = 2 * i + 1) {
        if (child + 1 < w->n && w->at[child + 1] < w->at[child]) child++;
        if (w->at[child] > item) break;
        w->at[i] = w->at[child];
        i = child;
    }
    w->at[i] = item;
    assert(w->n == 0 || w->at[0] >= least); /* deadlines come out in order */
    return first;
}

#endif
