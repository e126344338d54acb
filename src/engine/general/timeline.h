/* The events of one part in order, prepared for a search that moves over them.
 *
 * Operations that returned get a slot for the time they are open: two operations that are open at once have different
 * slots, so "which of the open operations are linearized" is a mask over slots, as wide as the history is concurrent
 * and no wider. Pending operations have no slot. Pending ones that do the same (same method and arguments, and same
 * client where the object looks at it) form a class: of these the one called first is as good as any other, so only how
 * many of a class were used matters. Pending operations that no linearization needs are left out. */
#ifndef PLUMB_ENGINE_GENERAL_TIMELINE_H
#define PLUMB_ENGINE_GENERAL_TIMELINE_H

#include "engine/engine.h"
#include "engine/general/due.h"

#define NO_EVENT UINT32_MAX

typedef struct pending_class {
    uint32_t first, count; /* members: pending[first] .. pending[first + count - 1], by call */
} pending_class;

typedef struct timeline {
    uint32_t events;
    uint32_t *event; /* 2 * position in p->op, +1 for a return */
    due_times due;
    uint32_t *ret_event; /* by position in p->op: index of its return event, or of when it is due; NO_EVENT: pending */
    uint32_t *order;     /* by position: which completed operation to try first; all different */
    uint16_t *slot;      /* by position in p->op, of completed operations */
    uint8_t *quiet;      /* by position: changes nothing */
    uint32_t slots;      /* most operations open at once */
    uint32_t completed;
    uint32_t *pending; /* positions, by class, then by call */
    pending_class *class;
    uint32_t classes;
} timeline;

enum { TIMELINE_MAX_SLOTS = 65000 };

bool timeline_init(timeline *t, const problem *p); /* false: more than TIMELINE_MAX_SLOTS open at once */
void timeline_free(timeline *t);

static inline bool event_is_return(uint32_t e) { return e & 1; }

#endif
