/* What may be left out of a history so that every right history stays right. A core is found by leaving such things out
 * of a violation for as long as it stays one; then the core's violation implies the history's.
 *
 * Operations with the same group number leave together. An operation marked ALONE may also leave by itself (it observes
 * and nothing rests on it). One marked FRAGILE says something negative about all the others ("it was full", "the value was
 * not x"): it has to leave before any group does. Cutting the history after an event is always allowed. */
#ifndef PLUMB_OBJECT_LEAVE_OUT_H
#define PLUMB_OBJECT_LEAVE_OUT_H

#include "object/object.h"

#define GROUP_KEEP UINT32_MAX /* not to be left out with a group */
enum { LEAVE_ALONE = 1, LEAVE_FRAGILE = 2 };

struct leave_out {
    uint32_t *group; /* by position in the list of operations */
    uint8_t *flags;
    uint32_t groups;
};

void leave_out_init(leave_out *l, uint32_t n); /* everything GROUP_KEEP */
void leave_out_free(leave_out *l);

/* Helpers for object files: the group of everything that deals with value v; two values that must leave together. */
typedef struct value_groups value_groups;
value_groups *value_groups_new(void);
uint32_t value_group(value_groups *g, value v);
void value_groups_join(value_groups *g, value a, value b);
/* Renumbers group[] by joined groups 0..groups-1 and frees g. */
void value_groups_finish(value_groups *g, leave_out *l, uint32_t n);

/* What the object's definition says, or, when it says nothing: only operations that change nothing, each alone. */
void object_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out);

#endif
