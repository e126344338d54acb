/* Mutations that rest on writes: what was overwritten does not come back. */
#include "base/mem.h"
#include "generate/plant.h"

#include <stdlib.h>
#include <string.h>

static bool before(const planting *p, uint32_t a, uint32_t b) { return history_before(p->h, a, b); }

/* Replaces whatever was there, always. */
static bool is_plain_write(const planting *p, uint32_t i) {
    return plant_is(p, i, "write") || plant_is(p, i, "put") || plant_is(p, i, "update");
}

/* Two writes to the same place. */
static bool same_place(const planting *p, uint32_t a, uint32_t b) {
    return plant_key(p, a) == plant_key(p, b) &&
           (!plant_is(p, a, "update") || plant_arg(p, a, 0) == plant_arg(p, b, 0));
}

/* A write w1 of a value x that is written once, and a write w2 with w1 < w2 < i: a read of x comes between w1 and
 * w2. NO_PLACE: none in reach. */
static uint32_t overwritten_write(const planting *p, uint32_t i) {
    uint32_t second = NO_PLACE;
    for (uint32_t d = 1; d <= i && d < PLANT_WINDOW; d++) {
        uint32_t w = i - d;
        if (history_pending(p->h, w) || plant_key(p, w) != plant_key(p, i) || !is_plain_write(p, w)) continue;
        if (second == NO_PLACE) {
            if (before(p, w, i)) second = w;
        } else if (same_place(p, w, second) && before(p, w, second)) {
            value x = plant_arg(p, w, p->h->nargs[w] - 1u);
            if (plant_only_writer(p, w, x) == w) return w;
        }
    }
    return NO_PLACE;
}

static bool stale_read(planting *p, uint32_t i) {
    if (!(plant_role(p, i) & ROLE_OBSERVES)) return false;
    uint32_t w = overwritten_write(p, i);
    if (w == NO_PLACE) return false;
    p->h->res[i] = plant_arg(p, w, 0);
    return true;
}

static bool stale_scan(planting *p, uint32_t i) {
    if (!(plant_role(p, i) & ROLE_OBSERVES)) return false;
    uint32_t w = overwritten_write(p, i);
    if (w == NO_PLACE || value_kind_of(p->h->values, p->h->res[i]) != KIND_TUPLE) return false;
    size_t n;
    const value *item = value_as_tuple(p->h->values, p->h->res[i], &n);
    int64_t place = value_as_int(p->h->values, plant_arg(p, w, 0));
    if (place < 0 || (size_t)place >= n) return false;
    value *copy = mem_copy(item, n * sizeof *copy);
    copy[place] = plant_arg(p, w, 1);
    p->h->res[i] = value_tuple(p->h->values, copy, n);
    free(copy);
    return true;
}

/* A maximum never falls: after a write of v, nothing below v is read. */
static bool stale_maximum(planting *p, uint32_t i) {
    if (!(plant_role(p, i) & ROLE_OBSERVES)) return false;
    for (uint32_t d = 1; d <= i && d < PLANT_WINDOW; d++) {
        uint32_t w = i - d;
        if (history_pending(p->h, w) || plant_key(p, w) != plant_key(p, i) || !p->h->nargs[w] || !before(p, w, i))
            continue;
        p->h->res[i] = value_int(p->h->values, value_as_int(p->h->values, plant_arg(p, w, 0)) - 1);
        return true;
    }
    return false;
}

bool plant_stale_read(planting *p, uint32_t i) {
    if (!strcmp(p->o->type->name, "snapshot")) return stale_scan(p, i);
    if (!strcmp(p->o->type->name, "max-register")) return stale_maximum(p, i);
    return stale_read(p, i);
}

static bool is_successful_cas(const planting *p, uint32_t i) {
    return plant_is(p, i, "cas") && !history_pending(p->h, i) && p->h->res[i] == VALUE_TRUE;
}

/* A value x that is written once is there during one stretch of time, and a compare-and-set from x to something else
 * that succeeds ends it: two of them cannot both succeed. */
bool plant_lost_cas(planting *p, uint32_t i) {
    if (!is_successful_cas(p, i)) return false;
    for (uint32_t d = 1; d <= i && d < PLANT_WINDOW; d++) {
        uint32_t other = i - d;
        if (plant_key(p, other) != plant_key(p, i) || !is_successful_cas(p, other)) continue;
        value x = plant_arg(p, other, 0);
        if (plant_only_writer(p, other, x) == NO_PLACE || x == plant_arg(p, other, 1) || x == plant_arg(p, i, 1))
            continue;
        p->h->arg[0][i] = x;
        return true;
    }
    return false;
}
