/* What the files of outlook.h share:
 *
 *     outlook.c         outlooks, calls, returns
 *     outlook_step.c    the ways that lead on, until one operation has taken effect in all of them
 *     outlook_order.c   which operations have to be tried before another, and which can wait
 *     outlook_sums.c    pending operations of objects whose state is a sum */
#ifndef PLUMB_MONITOR_OUTLOOK_INSIDE_H
#define PLUMB_MONITOR_OUTLOOK_INSIDE_H

#include "monitor/outlook.h"

enum { MOST_SUMMANDS = 5 }; /* pending operations: so few are followed in all their combinations */

static inline bool is_named(const object *o, const char *name) { /* asked often: mostly the first letter says no */
    return o->type->name[0] == name[0] && !strcmp(o->type->name, name);
}

/* ---- outlook_step.c ---- */
/* Into all->work: the ways of f and those that lead on from them, up to where this operation has taken effect. */
outlook_end outlook_close_under(outlooks *all, outlook *f, unsigned s);
/* The way c with all->state, this done, and one more of a kind used; observers that fit the state take effect at
 * once. */
void outlook_reach(outlooks *all, const outlook *f, const prospect *c, uint64_t done, uint32_t kind);
bool outlooks_many_pending(const outlooks *all); /* more operations than MOST_SUMMANDS */

/* ---- outlook_order.c ---- */
/* Does it have operations that can be exchanged whatever the state? */
bool object_has_apart(const object *o);
/* The operations that have not taken effect and are not apart from this one, or not from one of those, and so on. All
 * others may as well come later. */
uint64_t outlook_may_come_before(const outlooks *all, const outlook *f, uint64_t done, unsigned s);
/* It may as well take effect at the moment of its own return: until then it is of use to no operation that is open, and
 * later it hinders none more than now. What is called later and has a use for it finds it still open. */
bool outlook_can_wait(const outlooks *all, const outlook *f, uint64_t undone, unsigned s);
/* A pending lock, acquire or remove makes room for no other operation: it matters only to one that failed, or found
 * nothing, and to what its own client does later, if that goes on. */
bool operation_only_takes(const object *o, const operation *op);
static inline bool operation_found_nothing(const operation *op) {
    return op->res == VALUE_FALSE || op->res == VALUE_EMPTY;
}

/* ---- outlook_sums.c ---- */
/* Few pending operations: whatever they add up to. Many: where something else leads on, only for the operation that
 * returns, and one or two at once if that does; ways are left out then. */
void outlook_extend_by_sums(outlooks *all, const outlook *f, uint32_t i, uint64_t who, unsigned returning);

#endif
