/* Configurations of the quasi engines (queue_quasi.c, stack_quasi.c, pqueue_quasi.c): how things can stand at an event.
 *
 * A configuration is a mask of open removals that have taken effect, and what is known of single elements beyond what
 * the history says: how often each was overtaken, and the narrowed window of its add. Elements about which nothing is
 * known are not mentioned, so a configuration has as many entries as removals have left traces, and the content is
 * never copied.
 *
 * Time is a `moment`: rank << 32 is the event of that rank, what lies between is the gap behind it. */
#ifndef PLUMB_ENGINE_QUASI_QUASI_CONFIGS_H
#define PLUMB_ENGINE_QUASI_QUASI_CONFIGS_H

#include "base/table.h"
#include "engine/linear/inventory.h"
#include "engine/general/trail.h"

typedef uint64_t moment;
#define MOMENT_NEVER UINT64_MAX
static inline moment moment_of(uint32_t rank) { return rank == RANK_NEVER ? MOMENT_NEVER : (moment)rank << 32; }
static inline moment moment_next_event(moment m) { return ((m >> 32) + 1) << 32; }

#define COUNT_TAKEN UINT32_MAX /* a pending removal took the element */

typedef struct touched { /* what is known of an element; entries of a configuration ascend by element */
    uint32_t element, count;
    moment lo, hi; /* its add happens strictly between */
} touched;

typedef struct config {
    uint64_t done;     /* slots of open removals that have taken effect */
    uint32_t first, n; /* entries in the pool */
    uint32_t trail;
} config;

typedef struct configs {
    config *at;
    uint32_t n, room;
    touched *pool;
    uint32_t used, pool_room;
} configs;

typedef struct draft { /* the entries of one configuration while they change */
    touched *at;
    uint32_t n, room;
} draft;

void configs_free(configs *s);
void configs_clear(configs *s);
void configs_add(configs *s, uint64_t done, const touched *entry, uint32_t n, uint32_t path);
size_t configs_memory(const configs *s);
static inline const touched *config_entries(const configs *s, const config *c) {
    return s->pool ? s->pool + c->first : NULL; /* NULL: no configuration has any */
}
const touched *config_find(const touched *entry, uint32_t n, uint32_t element); /* NULL: nothing is known of it */

void draft_take(draft *d, const touched *entry, uint32_t n);
touched *draft_at(draft *d, touched standard); /* the element's entry, added with what is standard when missing */
void draft_drop(draft *d, uint32_t element);
void draft_free(draft *d);

/* Leaves out configurations that another one with the same mask dominates: fewer overtakings, wider windows. `lo` and
 * `hi` are the windows of elements that have no entry. Then sorted by mask. */
void configs_prune(configs *s, const moment *lo, const moment *hi);

/* Everything reached at one event, in the order found, each (configuration, tag) once. */
typedef struct reached {
    configs configs;
    uint32_t *tag;
    uint32_t tag_room;
    table numbers; /* by content */
} reached;

void reached_clear(reached *r);
bool reached_add(reached *r, uint64_t done, const draft *d, uint32_t path, uint32_t tag); /* false: was there already */
void reached_free(reached *r);

#endif
