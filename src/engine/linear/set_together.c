/* All elements of a set in one sweep over the events: what set_linear.c does for one of them, without taking the
 * history apart and its witnesses together again. Whatever takes effect does so at the moment of some event between its
 * call and its return, so the order in which that happens is a linearization of the whole.
 *
 * An element is one word: whether it is in, and a list of those of its operations that are open and have not taken
 * effect. Such lists are short unless very many operations on one element are open at once; then this gives up. */
#include "engine/linear/set_roles.h"

#include "base/mem.h"

#include <string.h>

enum { PATIENCE = 8 }; /* steps along lists that each event may take on average */
#define NOBODY 0x7fffffffu
#define IN 0x80000000u

typedef struct gathering {
    const history *h;
    const uint32_t *part;
    uint32_t *element;  /* by part: the first that waits, and IN */
    uint32_t *next;     /* by operation: who waits behind it, NOBODY: nobody does */
    uint8_t *done;      /* by operation */
    uint32_t *order, n; /* the witness so far: written over the events that were passed */
    uint64_t steps;
} gathering;

static void done(gathering *g, uint32_t i) {
    g->done[i] = 1;
    g->order[g->n++] = i;
}

static void wait(gathering *g, uint32_t i, uint32_t *element) {
    g->next[i] = *element & NOBODY;
    *element = (*element & IN) | i;
}

/* The waiting flip from the present state that has to return first; NOBODY when there is none. */
static uint32_t first_flip(gathering *g, uint32_t element) {
    uint32_t best = NOBODY;
    unsigned in = element >> 31;
    for (uint32_t i = element & NOBODY; i != NOBODY; i = g->next[i]) {
        set_role r = set_role_of(g->h, i);
        g->steps++;
        if (r.flips && r.state == in && (best == NOBODY || g->h->ret[i] < g->h->ret[best])) best = i;
    }
    return best;
}

/* False when nobody can flip it. Whoever looked for the state it is in now has seen it. */
static bool flip(gathering *g, uint32_t *element) {
    uint32_t flipping = first_flip(g, *element), waiting = NOBODY, next;
    if (flipping == NOBODY) return false;
    unsigned in = !(*element >> 31);
    done(g, flipping);
    for (uint32_t i = *element & NOBODY; i != NOBODY; i = next) {
        next = g->next[i];
        set_role r = set_role_of(g->h, i);
        if (i == flipping) continue;
        if (!r.flips && r.state == in) {
            done(g, i);
        } else {
            g->next[i] = waiting;
            waiting = i;
        }
    }
    *element = waiting | (in ? IN : 0);
    return true;
}

static void take_call(gathering *g, uint32_t i) {
    uint32_t *element = &g->element[g->part[i]];
    set_role r = set_role_of(g->h, i);
    if (!r.flips && history_pending(g->h, i)) return;
    if (!r.flips && r.state == *element >> 31) done(g, i);
    else wait(g, i, element);
}

static bool take_return(gathering *g, uint32_t i) {
    if (g->done[i]) return true;
    uint32_t *element = &g->element[g->part[i]];
    set_role r = set_role_of(g->h, i);
    /* nobody else is there */
    if (r.flips && (*element & NOBODY) == i && g->next[i] == NOBODY && r.state == *element >> 31) {
        done(g, i);
        *element = ~*element | NOBODY;
        return true;
    }
    if (r.state != *element >> 31 && !flip(g, element)) return false;
    return !r.flips || flip(g, element);
}

/* Events in order: 2 * operation, + 1 for a return. */
static uint32_t *list_events(const history *h) {
    uint32_t *event = MEM_ARRAY(uint32_t, h->events);
    if (h->events != 2 * h->n - h->pending) memset(event, 0xff, h->events * sizeof *event);
    for (uint32_t i = 0; i < h->n; i++) {
        event[h->call[i]] = 2 * i;
        if (h->ret[i] != RANK_NEVER) event[h->ret[i]] = 2 * i + 1;
    }
    return event;
}

static together_answer sweep(gathering *g, uint32_t *event, budget *b, uint32_t *failed) {
    for (uint32_t r = 0; r < g->h->events; r++) {
        uint32_t e = event[r];
        if (e == UINT32_MAX) continue;
        if (!(e & 1)) {
            take_call(g, e / 2);
        } else if (!take_return(g, e / 2)) {
            *failed = g->part[e / 2];
            return TOGETHER_VIOLATION;
        }
        if ((r & 0xffff) == 0 && (budget_check_clock(b) || g->steps > (uint64_t)PATIENCE * r + (1 << 20)))
            return TOGETHER_NO;
    }
    return TOGETHER_LINEARIZABLE;
}

static void take_witness(gathering *g, witness *w) {
    const history *h = g->h;
    *w = (witness){.op = MEM_GROW(g->order, uint32_t, g->n), .n = g->n};
    g->order = NULL;
    if (!h->pending) return;
    w->res = MEM_ARRAY(value, w->n);
    for (uint32_t k = 0; k < w->n; k++) w->res[k] = history_pending(h, w->op[k]) ? VALUE_TRUE : h->res[w->op[k]];
}

static bool has_results(const history *h) {
    bool lacks = false;
    for (uint32_t i = 0; i < h->n; i++) lacks |= h->res[i] == VALUE_NONE;
    return !lacks;
}

together_answer set_decide_together(const history *h, const uint32_t *part, uint32_t parts, budget *b, witness *w,
                                    uint32_t *failed) {
    enum { SPARSE = 4 }; /* a core keeps the ranks of the history it was taken from */
    if (h->events / SPARSE > h->n || !has_results(h)) return TOGETHER_NO;
    gathering g = {.h = h, .part = part, .element = MEM_ARRAY(uint32_t, parts), .next = MEM_ARRAY(uint32_t, h->n)};
    g.done = mem_zero(h->n, 1);
    g.order = list_events(h);
    for (uint32_t p = 0; p < parts; p++) g.element[p] = NOBODY;
    together_answer answer = sweep(&g, g.order, b, failed);
    if (answer == TOGETHER_LINEARIZABLE) take_witness(&g, w);
    free(g.element);
    free(g.next);
    free(g.done);
    free(g.order);
    return answer;
}
