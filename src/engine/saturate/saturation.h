/* SATURATE (Emmi, Enea, Hamza, PLDI 2015, sections 4 and 5): what follows for the order of operations from
 * happens-before and the object's theory by unit propagation alone, event by event. A contradiction is a violation.
 * None found is not the opposite: where propagation is known to find everything `saturation_doubt` says so
 * (docs/SATURATION.md).
 *
 * Operations that can matter no more are removed, by one of these rules:
 *   immediate  an add and the remove of its value, as soon as both have returned (the paper's text)
 *   delayed    the same once everything open at that moment has returned (what the paper's program does); for
 *   registers, a
 *              write and its reads once a later write, called after it returned, is in this position (R-ordered
 *              removal)
 *   component  of those that `delayed` would remove, only what is ordered with everything that stays
 *
 * Containers (queue, stack, multiset, priority queues): saturation_container.c. Registers and sets:
 * saturation_cell.c. */
#ifndef PLUMB_ENGINE_SATURATE_SATURATION_H
#define PLUMB_ENGINE_SATURATE_SATURATION_H

#include "engine/saturate/closure.h"
#include "object/object.h"

typedef enum removal_rule {
    REMOVAL_STANDARD,
    REMOVAL_NONE,
    REMOVAL_IMMEDIATE,
    REMOVAL_DELAYED,
    REMOVAL_COMPONENT
} removal_rule;
#define REMOVAL_WORDS "standard none immediate delayed component"

typedef struct saturation_settings {
    removal_rule removal;
    uint32_t cap;   /* operations that may wait for one that does not return, before it is not waited for any longer */
    uint32_t batch; /* operations removed at a time, at least; 0: what is fast */
} saturation_settings;
enum { SATURATION_CAP = 2048 };

typedef struct saturation saturation;

bool saturation_understands(const object *o);                /* has it rules of its own? */
bool saturation_removes(const object *o, removal_rule rule); /* does this rule make sense for it? */
removal_rule saturation_standard(const object *o);

/* Does what is left have what it needs from what was removed? A violation of it alone is one of the history then. */
bool saturation_leaves_whole(const object *o, removal_rule rule);

saturation *saturation_new(const object *o, const saturation_settings *settings);
void saturation_free(saturation *s);

/* Events. `number` is the caller's. A handle is good until its return or drop. */
uint32_t saturation_call(saturation *s, const operation *op, uint64_t number);
void saturation_return(saturation *s, uint32_t handle, value res);
void saturation_drop(saturation *s, uint32_t handle); /* it did not happen */
void saturation_pend(saturation *s, uint32_t handle); /* it will never return */

typedef enum saturation_state { SATURATION_GOES_ON, SATURATION_VIOLATION, SATURATION_GAVE_UP } saturation_state;
saturation_state saturation_now(const saturation *s);
const char *saturation_why(const saturation *s); /* of a violation, or of giving up */
/* NULL: the history so far is certainly linearizable (unless a violation was found). Otherwise what may have been
 * missed. */
const char *saturation_doubt(const saturation *s);
/* removes all it can; true: nothing is left, and everything is as in the beginning */
bool saturation_settle(saturation *s);
uint32_t saturation_live(const saturation *s);
size_t saturation_memory(const saturation *s);
/* The numbers of the live operations, ascending: the rest of the history need not be looked at to see a violation whose
 * operations are all among them. To be freed. */
uint64_t *saturation_numbers(const saturation *s, uint32_t *n);

#endif
