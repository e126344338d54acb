#include "engine/linear/placement.h"

#include "base/mem.h"
#include "engine/rank_order.h"
#include "engine/self_check.h"

#include <stdlib.h>

typedef struct placing {
    const problem *p;
    const value_order *o;
    const loose_observer *x;
    uint32_t n;
    place_room *room;
    uint32_t *change; /* for each place the next one at which another value is held; o->n + 1: none */
    ranked *held;     /* places by the value that is held there, then ascending */
} placing;

static uint32_t call_at(const problem *p, uint32_t i) { return p->h->call[p->op[i]]; }
static uint32_t return_at(const problem *p, uint32_t i) { return p->h->ret[p->op[i]]; }

static ranked *sorted(ranked *a, uint32_t n) {
    ranked *other = MEM_ARRAY(ranked, n + 1), *result = rank_order(a, other, n);
    free(result == a ? other : a);
    return result;
}

static ranked *order_by(const placing *g, uint32_t (*rank)(const problem *, uint32_t)) {
    ranked *a = MEM_ARRAY(ranked, g->o->n + 1);
    for (uint32_t k = 0; k < g->o->n; k++) a[k] = (ranked){rank(g->p, g->o->position[k]), k};
    return sorted(a, g->o->n);
}

static ranked *observers_by_return(const placing *g) {
    ranked *a = MEM_ARRAY(ranked, g->n + 1);
    for (uint32_t k = 0; k < g->n; k++) a[k] = (ranked){return_at(g->p, g->x[k].position), k};
    return sorted(a, g->n);
}

/* Behind everything that returned before its call. */
static void bound_from_below(placing *g) {
    ranked *by_return = order_by(g, return_at);
    uint32_t k = 0, from = 0;
    for (uint32_t x = 0; x < g->n; x++) {
        for (; k < g->o->n && by_return[k].rank < call_at(g->p, g->x[x].position); k++)
            if (by_return[k].item + 1 > from) from = by_return[k].item + 1;
        assert(from <= g->o->n);
        g->room[x].from = from;
    }
    free(by_return);
}

/* Before everything that was called after its return. */
static void bound_from_above(placing *g) {
    ranked *by_call = order_by(g, call_at), *by_return = observers_by_return(g);
    uint32_t k = g->o->n, to = g->o->n;
    for (uint32_t x = g->n; x-- > 0;) {
        for (; k > 0 && by_call[k - 1].rank > by_return[x].rank; k--)
            if (by_call[k - 1].item < to) to = by_call[k - 1].item;
        g->room[by_return[x].item].to = to;
    }
    free(by_call);
    free(by_return);
}

static void find_values(placing *g) {
    const value_order *o = g->o;
    g->change = MEM_ARRAY(uint32_t, o->n + 1);
    g->change[o->n] = o->n + 1;
    for (uint32_t k = o->n; k-- > 0;) g->change[k] = o->holds[k + 1] == o->holds[k] ? g->change[k + 1] : k + 1;
    ranked *a = MEM_ARRAY(ranked, o->n + 2);
    for (uint32_t k = 0; k <= o->n; k++) a[k] = (ranked){o->holds[k], k};
    g->held = sorted(a, o->n + 1);
    for (uint32_t k = 1; k <= o->n; k++) /* the sort is stable: places of one value ascend */
        assert(g->held[k - 1].rank < g->held[k].rank || g->held[k - 1].item < g->held[k].item);
}

/* The first place from `at` on at which v is held; o->n + 1: none. */
static uint32_t place_of_value(const placing *g, value v, uint32_t at) {
    uint32_t low = 0, high = g->o->n + 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const ranked *m = &g->held[middle];
        if (m->rank < v || (m->rank == v && m->item < at)) low = middle + 1;
        else high = middle;
    }
    return low <= g->o->n && g->held[low].rank == v ? g->held[low].item : g->o->n + 1;
}

static uint32_t first_place(const placing *g, const loose_observer *x, uint32_t at) {
    if (!x->differs) return place_of_value(g, x->v, at);
    return g->o->holds[at] == x->v ? g->change[at] : at;
}

/* Each at the first place that time and value allow and that is not before one of those that returned before its call:
 * an earlier place never takes a place away from another one, so if the first does not do, none does. */
static uint32_t place_all(const placing *g, uint32_t *place) {
    ranked *by_return = observers_by_return(g);
    uint32_t k = 0, at_least = 0, without = 0;
    for (uint32_t x = 0; x < g->n; x++) {
        assert(x == 0 || g->x[x - 1].position < g->x[x].position);
        for (; k < g->n && by_return[k].rank < call_at(g->p, g->x[x].position); k++)
            if (place[by_return[k].item] != PLACE_NONE && place[by_return[k].item] > at_least)
                at_least = place[by_return[k].item];
        place[x] = first_place(g, &g->x[x], g->room[x].from > at_least ? g->room[x].from : at_least);
        assert(place[x] >= g->room[x].from && place[x] >= at_least);
        if (place[x] > g->room[x].to) {
            place[x] = PLACE_NONE;
            without++;
        }
        assert(place[x] == PLACE_NONE || (g->o->holds[place[x]] == g->x[x].v) != g->x[x].differs);
    }
    free(by_return);
    return without;
}

uint32_t observers_place(const problem *p, const value_order *o, const loose_observer *x, uint32_t n, uint32_t *place,
                         place_room *room) {
    if (!n) return 0;
    placing g = {.p = p, .o = o, .x = x, .n = n, .room = room};
    bound_from_below(&g);
    bound_from_above(&g);
    find_values(&g);
    uint32_t without = place_all(&g, place);
    FREE_ALL(g.change, g.held);
    return without;
}
