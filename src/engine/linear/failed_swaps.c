#include "engine/linear/failed_swaps.h"

#include "base/mem.h"
#include "engine/rank_order.h"

#include <assert.h>
#include <stdlib.h>

typedef struct swap_room { /* places between which a failed one may stand, by the order of time alone */
    uint32_t from, to;
} swap_room;

static uint32_t call_at(const problem *p, uint32_t i) { return p->h->call[p->op[i]]; }
static uint32_t return_at(const problem *p, uint32_t i) { return p->h->ret[p->op[i]]; }

/* Sorted by rank; `key` gives it. */
static ranked *sorted_by(const problem *p, const uint32_t *position, uint32_t n,
                         uint32_t (*key)(const problem *, uint32_t)) {
    ranked *a = MEM_ARRAY(ranked, n + 1), *other = MEM_ARRAY(ranked, n + 1);
    for (uint32_t k = 0; k < n; k++) a[k] = (ranked){key(p, position[k]), k};
    ranked *sorted = rank_order(a, other, n);
    free(sorted == a ? other : a);
    return sorted;
}

/* Behind everything that returned before its call. */
static void bound_from_below(const problem *p, const value_order *o, const uint32_t *failed, uint32_t n,
                             swap_room *room) {
    ranked *by_return = sorted_by(p, o->position, o->n, return_at);
    uint32_t k = 0, from = 0;
    for (uint32_t x = 0; x < n; x++) {
        for (; k < o->n && by_return[k].rank < call_at(p, failed[x]); k++)
            if (by_return[k].item + 1 > from) from = by_return[k].item + 1;
        room[x].from = from;
    }
    free(by_return);
}

/* Before everything that was called after its return. */
static void bound_from_above(const problem *p, const value_order *o, const uint32_t *failed, uint32_t n,
                             swap_room *room) {
    ranked *by_call = sorted_by(p, o->position, o->n, call_at), *last_first = sorted_by(p, failed, n, return_at);
    uint32_t k = o->n, to = o->n;
    for (uint32_t x = n; x-- > 0;) {
        for (; k > 0 && by_call[k - 1].rank > last_first[x].rank; k--)
            if (by_call[k - 1].item < to) to = by_call[k - 1].item;
        room[last_first[x].item].to = to;
    }
    free(by_call);
    free(last_first);
}

/* For each place the next one at which another value is held; n + 1: none. */
static uint32_t *changes_of(const value_order *o) {
    uint32_t *change = MEM_ARRAY(uint32_t, o->n + 1);
    change[o->n] = o->n + 1;
    for (uint32_t k = o->n; k-- > 0;) change[k] = o->holds[k + 1] == o->holds[k] ? change[k + 1] : k + 1;
    return change;
}

/* Each at the first place that time and value allow and that is not before one of those that returned before its call:
 * an earlier place never takes a place away from another one, so if the first does not do, none does. */
bool failed_swaps_place(const problem *p, const value_order *o, const uint32_t *failed, uint32_t n, uint32_t *place) {
    swap_room *room = MEM_ARRAY(swap_room, n);
    uint32_t *change = changes_of(o);
    ranked *by_return = sorted_by(p, failed, n, return_at);
    bound_from_below(p, o, failed, n, room);
    bound_from_above(p, o, failed, n, room);
    uint32_t k = 0, at_least = 0;
    bool good = true;
    for (uint32_t x = 0; x < n && good; x++) {
        assert(x == 0 || failed[x - 1] < failed[x]);
        for (; k < n && by_return[k].rank < call_at(p, failed[x]); k++)
            if (place[by_return[k].item] > at_least) at_least = place[by_return[k].item];
        uint32_t at = room[x].from > at_least ? room[x].from : at_least;
        if (o->holds[at] == p->h->arg[0][p->op[failed[x]]]) at = change[at];
        good = at <= room[x].to;
        place[x] = at;
    }
    free(room);
    free(change);
    free(by_return);
    return good;
}
