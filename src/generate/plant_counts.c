/* Mutations that rest on counting: what has surely happened when an operation is called, and what may have happened
 * when it returns. Each looks at the whole part, so that nothing is left to chance. */
#include "generate/plant.h"

#include <string.h>

static bool same_part(const planting *p, uint32_t a, uint32_t b) {
    if (plant_key(p, a) != plant_key(p, b)) return false;
    return !p->o->type->parts_by_arg || plant_arg(p, a, 0) == plant_arg(p, b, 0);
}

/* By how much an operation changes the count in question when it happens. */
typedef int64_t (*change_function)(const planting *p, uint32_t i);

/* The least that the count can be when i takes effect: increases count if they have surely happened (returned before i
 * was called), decreases if they may have (called before i returned). The most: the other way round. */
static int64_t count_at(const planting *p, uint32_t i, change_function change, bool most) {
    const history *h = p->h;
    int64_t sum = 0;
    for (uint32_t j = 0; j < h->n && h->call[j] < h->ret[i]; j++) {
        if (j == i || !same_part(p, i, j)) continue;
        int64_t by = change(p, j);
        if ((by > 0) == most || history_before(h, j, i)) sum += by;
    }
    return sum;
}

static bool may_have_happened(const planting *p, uint32_t i, value res) {
    return history_pending(p->h, i) || p->h->res[i] == res;
}

/* ---- set: an element is in when it was added (with success) once more than removed ---- */

static int64_t element_change(const planting *p, uint32_t i) {
    if (!may_have_happened(p, i, VALUE_TRUE)) return 0;
    return plant_is(p, i, "add") ? 1 : plant_is(p, i, "remove") ? -1 : 0;
}

bool plant_lost_element(planting *p, uint32_t i) {
    if (!plant_is(p, i, "contains") || p->h->res[i] != VALUE_TRUE || count_at(p, i, element_change, false) < 1)
        return false;
    p->h->res[i] = VALUE_FALSE;
    return true;
}

bool plant_phantom_element(planting *p, uint32_t i) {
    if (!plant_is(p, i, "contains") || p->h->res[i] != VALUE_FALSE || count_at(p, i, element_change, true) > 0)
        return false;
    p->h->res[i] = VALUE_TRUE;
    return true;
}

/* ---- counters ---- */

static int64_t counter_change(const planting *p, uint32_t i) {
    int64_t by = p->h->nargs[i] ? value_as_int(p->h->values, plant_arg(p, i, 0)) : 1;
    if (plant_is(p, i, "inc") || plant_is(p, i, "add")) return by;
    return plant_is(p, i, "dec") ? -by : 0;
}

static bool lost_count(planting *p, uint32_t i) {
    if (!plant_is(p, i, "get")) return false;
    int64_t start = p->o->init_text ? value_as_int(p->h->values, p->o->init) : 0;
    p->h->res[i] = value_int(p->h->values, start + count_at(p, i, counter_change, false) - 1);
    return true;
}

/* When every amount is positive the sum never comes back to a value: two calls cannot find the same one. */
static bool lost_fetch(planting *p, uint32_t i) {
    uint32_t other = NO_PLACE;
    if (!p->h->nargs[i] || value_kind_of(p->h->values, p->h->res[i]) != KIND_INT) return false;
    for (uint32_t j = 0; j < p->h->n; j++) {
        if (!same_part(p, i, j) || !p->h->nargs[j]) continue;
        if (value_as_int(p->h->values, plant_arg(p, j, 0)) <= 0) return false;
        if (j < i && p->h->method[j] == p->h->method[i] && value_kind_of(p->h->values, p->h->res[j]) == KIND_INT)
            other = j;
    }
    if (other == NO_PLACE) return false;
    p->h->res[i] = p->h->res[other];
    return true;
}

bool plant_lost_update(planting *p, uint32_t i) {
    if (!strcmp(p->o->type->name, "counter")) return lost_count(p, i);
    if (!strcmp(p->o->type->name, "fetch-add")) return lost_fetch(p, i);
    return plant_lost_cas(p, i);
}

/* ---- locks: taken as often as acquired and not released ---- */

static bool acquires(const planting *p, uint32_t i) {
    if (plant_is(p, i, "lock") || plant_is(p, i, "acquire")) return true;
    return (plant_is(p, i, "trylock") || plant_is(p, i, "tryacquire")) && may_have_happened(p, i, VALUE_TRUE);
}

static int64_t hold_change(const planting *p, uint32_t i) {
    if (acquires(p, i)) return 1;
    return plant_is(p, i, "unlock") || plant_is(p, i, "release") ? -1 : 0;
}

static int64_t reader_change(const planting *p, uint32_t i) {
    if (plant_is(p, i, "rlock")) return 1;
    if (plant_is(p, i, "tryrlock")) return may_have_happened(p, i, VALUE_TRUE);
    return plant_is(p, i, "runlock") ? -1 : 0;
}

/* The attempt that failed says it succeeded, while all there is to hold is surely held. */
static bool second_hold(planting *p, uint32_t i) {
    int64_t limit = !strcmp(p->o->type->name, "semaphore") ? p->o->parameter[0] : 1;
    if (!plant_is(p, i, "trylock") && !plant_is(p, i, "tryacquire")) return false;
    if (p->h->res[i] != VALUE_FALSE || count_at(p, i, hold_change, false) < limit) return false;
    p->h->res[i] = VALUE_TRUE;
    return true;
}

/* Another client, a writer, takes the lock while a reader surely holds it. */
static bool writer_among_readers(planting *p, uint32_t i) {
    if (!plant_is(p, i, "trywlock") || p->h->res[i] != VALUE_FALSE || count_at(p, i, reader_change, false) < 1)
        return false;
    p->h->res[i] = VALUE_TRUE;
    return true;
}

bool plant_double_hold(planting *p, uint32_t i) {
    return !strcmp(p->o->type->name, "rwlock") ? writer_among_readers(p, i) : second_hold(p, i);
}
