/* All elements of a set in one sweep over the events: what set_linear.c does for one of them, without splitting the
 * history and merging the witnesses. Whatever takes effect does so at the moment of some event between its
 * call and its return, so the order in which that happens is a linearization of the whole.
 *
 * An element is one word: whether it is in, and a list of those of its operations that are open and have not taken
 * effect. Such lists are short unless very many operations on one element are open at once; then this gives up. */
#include "engine/linear/set_roles.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <string.h>

enum { PATIENCE = 8 }; /* steps along lists that each event may take on average */
#define NO_OPERATION 0x7fffffffu
#define IN 0x80000000u

typedef struct set_sweep {
    const history *h;
    const uint32_t *part;
    uint32_t *element;  /* by part: the first that waits, and IN */
    uint32_t *next;     /* by operation: the one that waits behind it; NO_OPERATION: none */
    uint8_t *done;      /* by operation */
    uint32_t *order, n; /* the witness so far: written over the events that were passed */
    uint64_t steps;
} set_sweep;

static void done(set_sweep *g, uint32_t i) {
    assert(i < g->h->n && !g->done[i] && g->n < g->h->n);
    g->done[i] = 1;
    g->order[g->n++] = i;
}

static void wait(set_sweep *g, uint32_t i, uint32_t *element) {
    assert(!g->done[i]);
    g->next[i] = *element & NO_OPERATION;
    *element = (*element & IN) | i;
}

/* The waiting flip from the present state that has to return first; NO_OPERATION when there is none. */
static uint32_t first_flip(set_sweep *g, uint32_t element) {
    uint32_t best = NO_OPERATION;
    unsigned in = element >> 31;
    for (uint32_t i = element & NO_OPERATION; i != NO_OPERATION; i = g->next[i]) {
        set_role r = set_role_of(g->h, i);
        assert(!g->done[i]);
        g->steps++;
        if (r.flips && r.state == in && (best == NO_OPERATION || g->h->ret[i] < g->h->ret[best])) best = i;
    }
    return best;
}

/* False when no operation can flip it. Observers of the state it is in now take effect. */
static bool flip(set_sweep *g, uint32_t *element) {
    uint32_t flipping = first_flip(g, *element), waiting = NO_OPERATION, next;
    if (flipping == NO_OPERATION) return false;
    unsigned in = !(*element >> 31);
    done(g, flipping);
    for (uint32_t i = *element & NO_OPERATION; i != NO_OPERATION; i = next) {
        next = g->next[i];
        assert(next == NO_OPERATION || g->part[next] == g->part[i]);
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

static void take_call(set_sweep *g, uint32_t i) {
    uint32_t *element = &g->element[g->part[i]];
    set_role r = set_role_of(g->h, i);
    if (!r.flips && history_pending(g->h, i)) return;
    if (!r.flips && r.state == *element >> 31) done(g, i);
    else wait(g, i, element);
}

static bool take_return(set_sweep *g, uint32_t i) {
    if (g->done[i]) return true;
    uint32_t *element = &g->element[g->part[i]];
    set_role r = set_role_of(g->h, i);
    /* no other operation waits */
    if (r.flips && (*element & NO_OPERATION) == i && g->next[i] == NO_OPERATION && r.state == *element >> 31) {
        done(g, i);
        *element = ~*element | NO_OPERATION;
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

static all_parts_answer sweep(set_sweep *g, uint32_t *event, budget *b, uint32_t *failed) {
    for (uint32_t r = 0; r < g->h->events; r++) {
        uint32_t e = event[r];
        assert(g->n <= r); /* the witness is written behind the events that are still to be read */
        if (e == UINT32_MAX) continue;
        if (!(e & 1)) {
            take_call(g, e / 2);
        } else if (!take_return(g, e / 2)) {
            *failed = g->part[e / 2];
            return ALL_PARTS_VIOLATION;
        }
        if ((r & 0xffff) == 0 && (budget_check_clock(b) || g->steps > (uint64_t)PATIENCE * r + (1 << 20)))
            return ALL_PARTS_NO;
    }
    return ALL_PARTS_LINEARIZABLE;
}

SELF_CHECK static bool all_that_returned_are_done(const set_sweep *g) {
    for (uint32_t i = 0; i < g->h->n; i++)
        if (!g->done[i] && !history_pending(g->h, i)) return false;
    return true;
}

static void take_witness(set_sweep *g, witness *w) {
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

all_parts_answer set_decide_all_elements(const history *h, const uint32_t *part, uint32_t parts, budget *b, witness *w,
                                         uint32_t *failed) {
    enum { SPARSE = 4 }; /* a core keeps the ranks of the history it was taken from */
    if (h->events / SPARSE > h->n || !has_results(h)) return ALL_PARTS_NO;
    set_sweep g = {.h = h, .part = part, .element = MEM_ARRAY(uint32_t, parts), .next = MEM_ARRAY(uint32_t, h->n)};
    g.done = mem_zero(h->n, 1);
    g.order = list_events(h);
    for (uint32_t p = 0; p < parts; p++) g.element[p] = NO_OPERATION;
    all_parts_answer answer = sweep(&g, g.order, b, failed);
    assert_costly(answer != ALL_PARTS_LINEARIZABLE || all_that_returned_are_done(&g));
    if (answer == ALL_PARTS_LINEARIZABLE) take_witness(&g, w);
    FREE_ALL(g.element, g.next, g.done, g.order);
    return answer;
}
