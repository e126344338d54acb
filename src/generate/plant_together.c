/* Mutations of objects whose operations take effect together. Whatever sets or intervals are chosen, what is changed
 * here fits none of them: the arguments speak of all steps. */
#include "generate/plant.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Item k of a view becomes v. */
static value with_item(const planting *p, value view, size_t k, value v) {
    size_t n;
    const value *item = value_as_tuple(p->h->values, view, &n);
    value *copy = mem_copy(item, n * sizeof *copy);
    copy[k] = v;
    value changed = value_tuple(p->h->values, copy, n);
    free(copy);
    return changed;
}

static size_t segment_of(const planting *p, uint32_t i) {
    return (size_t)value_as_int(p->h->values, plant_arg(p, i, 0));
}

static value seen_in(const planting *p, uint32_t i, size_t segment) {
    size_t n;
    const value *item = value_as_tuple(p->h->values, p->h->res[i], &n);
    return segment < n ? item[segment] : VALUE_NONE;
}

/* An operation that ends has begun, and what it wrote is there unless its own segment was written again, which no
 * other does. */
bool plant_unseen_own(planting *p, uint32_t i) {
    if (seen_in(p, i, segment_of(p, i)) == VALUE_NONE || plant_arg(p, i, 1) == VALUE_NONE) return false;
    p->h->res[i] = with_item(p, p->h->res[i], segment_of(p, i), VALUE_NONE);
    return true;
}

/* i was called after j returned, and nothing is ever taken out of a segment: i sees something where j wrote. */
bool plant_forgotten(planting *p, uint32_t i) {
    for (uint32_t away = 1; away <= i && away < PLANT_WINDOW; away++) {
        uint32_t j = i - away;
        if (!history_before(p->h, j, i) || plant_key(p, j) != plant_key(p, i) || segment_of(p, j) == segment_of(p, i))
            continue;
        if (plant_arg(p, j, 1) == VALUE_NONE || seen_in(p, i, segment_of(p, j)) == VALUE_NONE) continue;
        p->h->res[i] = with_item(p, p->h->res[i], segment_of(p, j), VALUE_NONE);
        return true;
    }
    return false;
}

/* Another one has this name already. */
bool plant_taken_name(planting *p, uint32_t i) {
    for (uint32_t j = 0; j < p->h->n; j++) {
        if (j == i || history_pending(p->h, j) || plant_key(p, j) != plant_key(p, i)) continue;
        p->h->res[i] = p->h->res[j];
        return true;
    }
    return false;
}

static bool is_decided(const planting *p, uint32_t i, value v) {
    for (uint32_t j = 0; j < p->h->n; j++)
        if (j != i && !history_pending(p->h, j) && plant_key(p, j) == plant_key(p, i) && p->h->res[j] == v) return true;
    return false;
}

/* k others are decided on already: one more, though it was proposed, is too many. */
bool plant_too_many_decisions(planting *p, uint32_t i) {
    uint32_t different = 0;
    for (uint32_t j = 0; j < p->h->n && different < p->o->parameter[0]; j++) {
        if (j == i || history_pending(p->h, j) || plant_key(p, j) != plant_key(p, i)) continue;
        bool first = true;
        for (uint32_t k = 0; k < j && first; k++)
            first = k == i || history_pending(p->h, k) || plant_key(p, k) != plant_key(p, i) ||
                    p->h->res[k] != p->h->res[j];
        different += first;
    }
    if (different < p->o->parameter[0] || is_decided(p, i, plant_arg(p, i, 0))) return false;
    p->h->res[i] = plant_arg(p, i, 0);
    return true;
}

/* i met one that says it met none: only i's partner had what i got, and no other has it to give. */
bool plant_one_sided(planting *p, uint32_t i) {
    bool push = plant_is(p, i, "push"), exchanges = plant_is(p, i, "exchange");
    value alone = push ? VALUE_FALSE : VALUE_EMPTY;
    if (p->h->res[i] == alone || p->h->res[i] == VALUE_FALSE) return false;
    if (plant_is(p, i, "pop")) return false;
    if (plant_only_writer(p, i, plant_arg(p, i, 0)) != i) return false;
    for (uint32_t j = 0; j < p->h->n; j++) {
        if (j == i || history_pending(p->h, j) || plant_key(p, j) != plant_key(p, i) ||
            p->h->res[j] != plant_arg(p, i, 0))
            continue;
        if (!exchanges && !plant_is(p, j, "pop")) continue;
        p->h->res[i] = alone;
        return true;
    }
    return false;
}
