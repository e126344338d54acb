#include "engine/linear/spare_updates.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct spare_places {
    uint32_t *at; /* ascending */
    uint32_t n;
} spare_places;

static int by_last_place(const void *a, const void *b, void *context) {
    const place_room *room = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (room[x].to != room[y].to) return room[x].to < room[y].to ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* For each place the last one up to it at which a write can stand; PLACE_NONE: there is none. */
static uint32_t *last_beginnings(const spare_request *q, const value_order *o) {
    uint32_t *last = MEM_ARRAY(uint32_t, (size_t)o->n + 1);
    for (uint32_t k = 0; k <= o->n; k++) {
        const bool may_stand = k == o->n || q->begins[k];
        last[k] = may_stand ? k : k ? last[k - 1] : PLACE_NONE;
    }
    return last;
}

/* Those that have to leave first are served first, as late as possible: so the fewest places do. */
static bool choose_places(const spare_request *q, const value_order *o, spare_places *chosen) {
    uint32_t *misfit = MEM_ARRAY(uint32_t, (size_t)q->looses + 1), n = 0, *last = last_beginnings(q, o);
    bool good = true;
    for (uint32_t x = 0; x < q->looses && good; x++) {
        if (q->place[x] != PLACE_NONE) continue;
        good = q->x[x].differs;
        misfit[n++] = x;
    }
    qsort_r(misfit, n, sizeof *misfit, by_last_place, (void *)(uintptr_t)q->room);
    for (uint32_t i = 0; i < n && good; i++) {
        const place_room *room = &q->room[misfit[i]];
        if (chosen->n && chosen->at[chosen->n - 1] >= room->from) continue;
        const uint32_t k = room->to <= o->n ? last[room->to] : PLACE_NONE;
        good = k != PLACE_NONE && k >= room->from;
        if (good) chosen->at[chosen->n++] = k;
    }
    free(misfit);
    free(last);
    return good;
}

/* By place: before this rank everything that stands there or later has been called; the first return of those. */
static uint32_t *first_returns(const spare_request *q, const value_order *o) {
    uint32_t *first = MEM_ARRAY(uint32_t, (size_t)o->n + 1);
    first[o->n] = RANK_NEVER;
    for (uint32_t k = o->n; k-- > 0;) {
        const uint32_t ret = q->p->h->ret[q->p->op[o->position[k]]];
        first[k] = ret < first[k + 1] ? ret : first[k + 1];
    }
    return first;
}

/* The one called first that is left: it is there whenever another is. Its value is another than the one that is held.
 */
static bool take_spare(const spare_request *q, const value_order *o, uint32_t place, uint32_t before, bool *used,
                       uint32_t *from, uint32_t *found) {
    for (uint32_t i = *from; i < q->spares; i++) {
        if (q->p->h->call[q->p->op[q->spare[i].position]] >= before) return false;
        if (used[i] || q->spare[i].v == o->holds[place]) continue;
        used[i] = true;
        *found = i;
        while (*from < q->spares && used[*from]) ++*from;
        return true;
    }
    return false;
}

static void put_in(const spare_request *q, const value_order *o, const spare_places *chosen, const uint32_t *spare,
                   value_order *with) {
    uint32_t n = 0;
    *with = (value_order){.position = MEM_ARRAY(uint32_t, (size_t)o->n + chosen->n + 1),
                          .holds = MEM_ARRAY(value, (size_t)o->n + chosen->n + 1)};
    with->holds[0] = o->holds[0];
    for (uint32_t k = 0, c = 0; k <= o->n; k++) {
        if (c < chosen->n && chosen->at[c] == k) {
            with->position[n] = q->spare[spare[c]].position;
            with->holds[++n] = q->spare[spare[c++]].v;
        }
        if (k == o->n) break;
        with->position[n] = o->position[k];
        with->holds[++n] = o->holds[k + 1];
    }
    with->n = n;
    assert(n == o->n + chosen->n);
}

bool spare_updates_insert(const spare_request *q, const value_order *o, value_order *with) {
    spare_places chosen = {.at = MEM_ARRAY(uint32_t, (size_t)q->looses + 1)};
    bool good = q->spares && choose_places(q, o, &chosen), *used = mem_zero((size_t)q->spares + 1, sizeof *used);
    uint32_t *spare = MEM_ARRAY(uint32_t, (size_t)chosen.n + 1), *first = first_returns(q, o), from = 0;
    for (uint32_t c = 0; c < chosen.n && good; c++)
        good = take_spare(q, o, chosen.at[c], first[chosen.at[c]], used, &from, &spare[c]);
    if (good) put_in(q, o, &chosen, spare, with);
    FREE_ALL(chosen.at, used, spare, first);
    return good;
}
