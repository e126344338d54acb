/* The events of one part in the order of their ranks: calls come sorted, returns of the open operations wait in a heap.
 * Memory: the most operations that are open at once. */
#ifndef PLUMB_ENGINE_GENERAL_SWEEP_H
#define PLUMB_ENGINE_GENERAL_SWEEP_H

#include "engine/general/deadline_heap.h"
#include "engine/engine.h"

typedef struct sweep {
    const problem *p;
    uint32_t cut;  /* events behind this rank do not happen; RANK_NEVER: all do */
    uint32_t next; /* position of the next call */
    deadline_heap open;
} sweep;

typedef struct sweep_event {
    uint32_t at; /* position in p->op */
    uint32_t rank;
    bool is_return;
} sweep_event;

static inline void sweep_init(sweep *s, const problem *p, uint32_t cut) { *s = (sweep){.p = p, .cut = cut}; }
static inline void sweep_free(sweep *s) { free(s->open.at); }

/* A part of many is spread over all columns, a cache line for each operation: ask for them early. */
static inline void sweep_prefetch(const problem *p, uint32_t position) {
    enum { AHEAD = 24 };
    if (position + AHEAD >= p->n) return;
    uint32_t op = p->op[position + AHEAD];
    __builtin_prefetch(&p->h->call[op]);
    __builtin_prefetch(&p->h->ret[op]);
    __builtin_prefetch(&p->h->res[op]);
    __builtin_prefetch(&p->h->method[op]);
}

static inline bool sweep_next(sweep *s, sweep_event *e) {
    const problem *p = s->p;
    uint32_t call = s->next < p->n ? p->h->call[p->op[s->next]] : RANK_NEVER;
    uint32_t ret = s->open.n ? deadline_heap_deadline(&s->open) : RANK_NEVER;
    if (call < ret && call <= s->cut) {
        assert(s->next == 0 || p->h->call[p->op[s->next - 1]] < call);
        *e = (sweep_event){s->next, call, false};
        sweep_prefetch(p, s->next);
        uint32_t own = p->h->ret[p->op[s->next]];
        assert(own > call);
        if (own != RANK_NEVER) deadline_heap_push(&s->open, own, s->next);
        s->next++;
        return true;
    }
    if (ret == RANK_NEVER || ret > s->cut) return false;
    *e = (sweep_event){deadline_heap_pop(&s->open), ret, true};
    assert(e->at < s->next && p->h->ret[p->op[e->at]] == ret);
    return true;
}

/* Skips the next operation when nothing is open and it returns before anything else is called; its position in `at`. */
static inline bool sweep_alone(sweep *s, uint32_t *at) {
    const problem *p = s->p;
    if (s->open.n || s->next == p->n) return false;
    uint32_t ret = p->h->ret[p->op[s->next]];
    if (ret == RANK_NEVER || ret > s->cut || (s->next + 1 < p->n && p->h->call[p->op[s->next + 1]] < ret)) return false;
    sweep_prefetch(p, s->next);
    *at = s->next++;
    return true;
}

#endif
