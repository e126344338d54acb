#include "engine/sweep.h"

void sweep_init(sweep *s, const problem *p, uint32_t cut) { *s = (sweep){.p = p, .cut = cut}; }

void sweep_free(sweep *s) { free(s->heap); }

void sweep_push(sweep *s, uint32_t ret, uint32_t at) {
    if (s->open == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->heap = MEM_GROW(s->heap, uint64_t, s->room);
    }
    uint64_t item = (uint64_t)ret << 32 | at;
    uint32_t i = s->open++;
    for (; i && s->heap[(i - 1) / 2] > item; i = (i - 1) / 2) s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = item;
}

uint32_t sweep_pop(sweep *s) {
    uint32_t first = (uint32_t)s->heap[0];
    uint64_t item = s->heap[--s->open];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= s->open) break;
        if (child + 1 < s->open && s->heap[child + 1] < s->heap[child]) child++;
        if (s->heap[child] > item) break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    if (s->open) s->heap[i] = item;
    return first;
}
