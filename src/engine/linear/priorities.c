#include "engine/linear/priorities.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* An element is its own priority, or a tuple [priority ...] (object/pqueue.c). */
static value priority_of(const inventory *c, uint32_t v) {
    value element = inventory_value(c, v);
    size_t n;
    if (value_is_small_int(element) || value_kind_of(c->p->h->values, element) != KIND_TUPLE) return element;
    const value *item = value_as_tuple(c->p->h->values, element, &n);
    return n ? item[0] : element;
}

typedef struct value_priority {
    value priority;
    uint32_t value;
} value_priority;

static int by_priority(const void *a, const void *b, void *context) {
    return value_compare(context, ((const value_priority *)a)->priority, ((const value_priority *)b)->priority);
}

static void rank_priorities(const inventory *c, uint32_t *priority) {
    value_priority *all = MEM_ARRAY(value_priority, c->values);
    for (uint32_t v = 0; v < c->values; v++) all[v] = (value_priority){priority_of(c, v), v};
    qsort_r(all, c->values, sizeof *all, by_priority, c->p->h->values);
    for (uint32_t i = 0, rank = 0; i < c->values; i++) {
        assert(!i || by_priority(&all[i - 1], &all[i], c->p->h->values) <= 0);
        if (i && by_priority(&all[i - 1], &all[i], c->p->h->values) != 0) rank++;
        priority[all[i].value] = rank;
    }
    free(all);
}

/* Greater is better, whichever way the object has it. Handles of small integers are in the order of the integers. */
uint32_t *priorities_of(const inventory *c) {
    uint32_t *priority = MEM_ARRAY(uint32_t, c->values);
    bool small = true;
    for (uint32_t v = 0; v < c->values && small; v++) small = value_is_small_int(priority[v] = inventory_value(c, v));
    if (!small) rank_priorities(c, priority);
    if (strcmp(c->p->o->type->name, "pqueue-min") == 0)
        for (uint32_t v = 0; v < c->values; v++) priority[v] = VALUE_SPECIAL - 1 - priority[v];
    return priority;
}
