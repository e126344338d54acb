/* Mutations that rest on where values come from and when they go. */
#include "generate/plant.h"

#include <string.h>

static bool before(const planting *p, uint32_t a, uint32_t b) { return history_before(p->h, a, b); }

static void exchange_results(planting *p, uint32_t a, uint32_t b) {
    value res = p->h->res[a];
    p->h->res[a] = p->h->res[b];
    p->h->res[b] = res;
}

/* A remove that found a value which was added once and removed once. */
static bool clean_remove(const planting *p, uint32_t i) {
    if (!(plant_role(p, i) & ROLE_REMOVES) || history_pending(p->h, i) || p->h->res[i] == VALUE_EMPTY) return false;
    return plant_only_remover(p, i, p->h->res[i]) == i && plant_only_writer(p, i, p->h->res[i]) != NO_PLACE;
}

/* These objects return only what was an argument before, or is initial. */
bool plant_fresh_value(planting *p, uint32_t i) {
    result_kind kind = p->o->type->methods[p->h->method[i]].result;
    if (kind != RESULT_REMOVED && kind != RESULT_VALUE) return false;
    p->h->res[i] = p->fresh;
    return true;
}

/* One add and two removes of a value: the second finds it gone. */
bool plant_duplicate_remove(planting *p, uint32_t i) {
    if (!(plant_role(p, i) & ROLE_REMOVES)) return false;
    for (uint32_t d = 1; d < PLANT_WINDOW && d <= i; d++) {
        uint32_t other = i - d;
        if (plant_key(p, other) != plant_key(p, i) || !clean_remove(p, other)) continue;
        p->h->res[i] = p->h->res[other];
        return true;
    }
    return false;
}

/* x is added once, before i is called, and removed once, by an operation called after i returned: x is in while i takes
 * effect, so i cannot find the container empty. */
static bool plant_false_empty(planting *p, uint32_t i) {
    if (!(plant_role(p, i) & ROLE_REMOVES) || p->h->res[i] == VALUE_EMPTY) return false;
    for (uint32_t later = i + 1; later < p->h->n && later - i < PLANT_WINDOW; later++) {
        if (!before(p, i, later) || plant_key(p, later) != plant_key(p, i) || !clean_remove(p, later)) continue;
        if (!before(p, plant_only_writer(p, later, p->h->res[later]), i)) continue;
        p->h->res[i] = VALUE_EMPTY;
        return true;
    }
    return false;
}

bool plant_lost_value(planting *p, uint32_t i) {
    return !strcmp(p->o->type->name, "set") ? plant_lost_element(p, i) : plant_false_empty(p, i);
}

/* ---- order ---- */

static char end_of(const planting *p, uint32_t i) { /* of a deque: l or r */
    const char *name = p->o->type->methods[p->h->method[i]].name;
    return name[strlen(name) - 1];
}

typedef enum discipline { FIRST_OUT, LAST_OUT, LARGEST_OUT, SMALLEST_OUT, ANY_OUT } discipline;

/* How two values leave that were added by a and b and are removed by c and d. */
static discipline discipline_of(const planting *p, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const char *name = p->o->type->name;
    if (!strcmp(name, "queue")) return FIRST_OUT;
    if (!strcmp(name, "stack")) return LAST_OUT;
    if (!strncmp(name, "pqueue-max", 10)) return LARGEST_OUT;
    if (!strncmp(name, "pqueue-min", 10)) return SMALLEST_OUT;
    if (end_of(p, a) != end_of(p, b) || end_of(p, c) != end_of(p, d)) return ANY_OUT;
    return end_of(p, a) == end_of(p, c) ? LAST_OUT : FIRST_OUT;
}

/* The remove c, which returns before d is called, gets d's value y and d gets c's value x. That is wrong when
 *   first out:   add(x) returned before add(y) was called: y leaves while x, which is nearer to the exit, stays
 *   last out:    add(y) < add(x) < c: x is nearer to the exit and in, while y leaves
 *   largest out: both are added before c, x > y: y leaves while the larger x is in (smallest: x < y)
 * and each of x and y is added once and removed once. */
static bool exchange_is_wrong(const planting *p, uint32_t c, uint32_t d) {
    value x = p->h->res[c], y = p->h->res[d];
    uint32_t add_x = plant_only_writer(p, c, x), add_y = plant_only_writer(p, d, y);
    int order = value_compare(p->h->values, x, y);
    switch (discipline_of(p, add_x, add_y, c, d)) {
    case FIRST_OUT: return before(p, add_x, add_y);
    case LAST_OUT: return before(p, add_y, add_x) && before(p, add_x, c);
    case LARGEST_OUT: return order > 0 && before(p, add_x, c) && before(p, add_y, c);
    case SMALLEST_OUT: return order < 0 && before(p, add_x, c) && before(p, add_y, c);
    case ANY_OUT: return false;
    }
    return false;
}

bool plant_wrong_order(planting *p, uint32_t i) {
    if (!clean_remove(p, i)) return false;
    for (uint32_t later = i + 1; later < p->h->n && later - i < PLANT_WINDOW; later++) {
        if (!before(p, i, later) || plant_key(p, later) != plant_key(p, i) || !clean_remove(p, later)) continue;
        if (!exchange_is_wrong(p, i, later)) continue;
        exchange_results(p, i, later);
        return true;
    }
    return false;
}

/* All decisions are one: two different results are one too many. */
bool plant_disagreement(planting *p, uint32_t i) {
    bool another = false;
    for (uint32_t j = 0; j < p->h->n && !another; j++)
        another = j != i && !history_pending(p->h, j) && plant_key(p, j) == plant_key(p, i);
    if (!another) return false;
    for (uint32_t j = 0; j < p->h->n; j++) {
        if (plant_key(p, j) != plant_key(p, i) || plant_arg(p, j, 0) == p->h->res[i]) continue;
        p->h->res[i] = plant_arg(p, j, 0);
        return true;
    }
    return false;
}
