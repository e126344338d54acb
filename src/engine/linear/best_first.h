/* Values by priority, the highest first. The few best ones are a sorted array: the best is taken without a comparison,
 * and those that are added are mostly among the best, so that few have to make room; the others wait in a heap. */
#ifndef PLUMB_ENGINE_LINEAR_BEST_FIRST_H
#define PLUMB_ENGINE_LINEAR_BEST_FIRST_H

#include "engine/self_check.h"

#include <stdint.h>

enum { BEST_FEW = 64 };

typedef struct best_first {
    uint64_t few[BEST_FEW]; /* priority << 32 | value, ascending; none is below any in the heap */
    uint64_t *heap;
    uint32_t n, heaped, room; /* n: of the few; zero only when there are none at all */
} best_first;

void best_add_to_heap(best_first *b, uint64_t item);
void best_refill(best_first *b);    /* takes the best ones out of the heap, once the few are gone */
void best_make_room(best_first *b); /* the lower half of the few goes into the heap */
void best_free(best_first *b);

static inline void best_clear(best_first *b) { b->n = b->heaped = 0; }
static inline uint32_t best_item(const best_first *b) { return (uint32_t)b->few[b->n - 1]; }
static inline uint32_t best_priority(const best_first *b) { return (uint32_t)(b->few[b->n - 1] >> 32); }

static inline uint32_t best_take(best_first *b) {
    assert(b->n > 0 && b->n <= BEST_FEW);
    uint32_t item = best_item(b);
    if (--b->n == 0 && b->heaped) best_refill(b);
    return item;
}

static inline void best_add(best_first *b, uint32_t priority, uint32_t v) {
    uint64_t item = (uint64_t)priority << 32 | v;
    if (b->n == BEST_FEW) best_make_room(b);
    assert(b->n || !b->heaped); /* the few are empty only when there are none at all */
    if (b->heaped && item < b->few[0]) {
        best_add_to_heap(b, item);
        return;
    }
    uint32_t i = b->n++;
    for (; i && b->few[i - 1] > item; i--) b->few[i] = b->few[i - 1];
    b->few[i] = item;
    assert((i == 0 || b->few[i - 1] <= item) && (i + 1 == b->n || item <= b->few[i + 1]));
}

#endif
