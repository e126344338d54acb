#include "engine/linear/best_first.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void best_add_to_heap(best_first *b, uint64_t item) {
    if (b->heaped == b->room) b->heap = MEM_GROW(b->heap, uint64_t, b->room = b->room ? 2 * b->room : 64);
    uint32_t i = b->heaped++;
    for (; i && b->heap[(i - 1) / 2] < item; i = (i - 1) / 2) b->heap[i] = b->heap[(i - 1) / 2];
    b->heap[i] = item;
}

static uint64_t take_from_heap(best_first *b) {
    uint64_t top = b->heap[0], last = b->heap[--b->heaped];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < b->heaped; i = child) {
        child += child + 1 < b->heaped && b->heap[child + 1] > b->heap[child];
        if (b->heap[child] <= last) break;
        b->heap[i] = b->heap[child];
    }
    b->heap[i] = last;
    assert(!b->heaped || b->heap[0] <= top);
    return top;
}

/* The few ascend, and none is below any in the heap. */
SELF_CHECK static bool best_is_sorted(const best_first *b) {
    for (uint32_t i = 1; i < b->n; i++)
        if (b->few[i - 1] > b->few[i]) return false;
    return !b->heaped || b->heap[0] <= b->few[0];
}

void best_refill(best_first *b) {
    uint32_t n = b->heaped < BEST_FEW / 2 ? b->heaped : BEST_FEW / 2;
    assert(b->n == 0 && b->heaped);
    for (uint32_t i = n; i-- > 0;) b->few[i] = take_from_heap(b);
    b->n = n;
    assert(best_is_sorted(b));
}

void best_make_room(best_first *b) {
    uint32_t low = b->n / 2;
    for (uint32_t i = 0; i < low; i++) best_add_to_heap(b, b->few[i]);
    b->n -= low;
    memmove(b->few, b->few + low, b->n * sizeof *b->few);
    assert(b->n < BEST_FEW && best_is_sorted(b));
}

void best_free(best_first *b) { free(b->heap); }
