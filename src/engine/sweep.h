/* The events of one part in the order of their ranks: calls come sorted, returns of the open operations wait in a heap.
 * Memory: the most operations that are open at once. */
#ifndef PLUMB_ENGINE_SWEEP_H
#define PLUMB_ENGINE_SWEEP_H

#include "engine/engine.h"

typedef struct sweep {
    const problem *p;
    uint32_t cut;      /* events behind this rank do not happen; RANK_NEVER: all do */
    uint32_t next;     /* position of the next call */
    uint64_t *heap;    /* return rank << 32 | position */
    uint32_t open, room;
} sweep;

typedef struct sweep_event {
    uint32_t at;       /* position in p->op */
    uint32_t rank;
    bool is_return;
} sweep_event;

void sweep_init(sweep *s, const problem *p, uint32_t cut);
void sweep_free(sweep *s);
void sweep_push(sweep *s, uint32_t ret, uint32_t at);
uint32_t sweep_pop(sweep *s);

static inline bool sweep_next(sweep *s, sweep_event *e) {
    const problem *p = s->p;
    uint32_t call = s->next < p->n ? p->h->call[p->op[s->next]] : RANK_NEVER;
    uint32_t ret = s->open ? (uint32_t)(s->heap[0] >> 32) : RANK_NEVER;
    if (call < ret && call <= s->cut) {
        *e = (sweep_event){s->next, call, false};
        uint32_t own = p->h->ret[p->op[s->next]];
        if (own != RANK_NEVER) sweep_push(s, own, s->next);
        s->next++;
        return true;
    }
    if (ret == RANK_NEVER || ret > s->cut) return false;
    *e = (sweep_event){sweep_pop(s), ret, true};
    return true;
}

#endif
