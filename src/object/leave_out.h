/* What may be left out of a history so that every right history stays right. A core is found by leaving such things out
 * of a violation for as long as it stays one; then the core's violation implies the history's.
 *
 * Operations with the same group number leave together. An operation marked ALONE may also leave by itself (it observes
 * and nothing rests on it). One marked FRAGILE says something negative about all the others ("it was full", "the value
 * was not x"): it has to leave before any group does. Cutting the history after an event is always allowed.
 *
 * The answer is about the list of operations it was asked for, with the results they have. It stays good while groups
 * and single operations leave; after a cut, which turns results into unknown ones, it has to be asked for again. Asking
 * again after something left is worth while too: there may be more that can leave then. */
#ifndef PLUMB_OBJECT_LEAVE_OUT_H
#define PLUMB_OBJECT_LEAVE_OUT_H

#include "object/object.h"

#define GROUP_KEEP UINT32_MAX /* not to be left out with a group */
enum { LEAVE_ALONE = 1, LEAVE_FRAGILE = 2 };

struct leave_out {
    uint32_t *group; /* by position in the list of operations */
    uint8_t *flags;
    uint32_t groups;
    bool by_epochs; /* groups are stretches of time: what was there before them is not what the file says any more */
    /* if there are any: only what these operations are about is told apart, everything else may be one group */
    const uint32_t *focus;
    uint32_t focus_n;
};

void leave_out_free(leave_out *l);

/* Helpers for object files: the group of everything that deals with value v; two values that must leave together. */
typedef struct value_groups value_groups;
value_groups *value_groups_new(const history *h, const leave_out *l);
uint32_t value_group(value_groups *g, value v);
void value_groups_join(value_groups *g, value a, value b);
/* Renumbers group[] by joined groups 0..groups-1 and frees g. */
/* For objects whose operations are each about one value: the first argument of methods that are `by_argument`, the
 * result of others. */
void value_groups_assign(value_groups *g, const history *h, const uint32_t *op, uint32_t n, const bool *by_argument,
                         leave_out *l);
void value_groups_finish(value_groups *g, leave_out *l, uint32_t n);

/* For containers: all operations that add or remove one value leave together, the order of the others stays and what
 * was empty stays empty. A pending removal stays: it may be what made room or emptied the container. */
void leave_out_by_value(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out);

/* For locks: what a client takes and gives back leaves together. `what` tells apart different things it can hold. A
 * client's operations come one after the other, but equal time stamps may hide that: then nothing is known of what
 * belongs to what. */
typedef struct holds holds;
holds *holds_new(const history *h, const uint32_t *op, uint32_t n);
/* do the client's operations come one after the other? */
bool holds_in_order(const holds *held, uint32_t client);
uint32_t hold_begin(holds *held, uint32_t client, uint64_t what); /* a new group */
/* the group of the last one still held; GROUP_KEEP: none */
uint32_t hold_end(holds *held, uint32_t client, uint64_t what);
uint32_t hold_nothing(holds *held); /* a new group */
void holds_finish(holds *held, leave_out *l);

/* The whole of it for locks that belong to a client: all but failed tries, which are fragile. */
void leave_out_holds(const history *h, const uint32_t *op, uint32_t n, bool (*unlocks)(const operation *op),
                     uint64_t (*what)(const operation *op), leave_out *out);

/* For objects whose state is a sum: `change` is what the operation added to it. When nothing is open and the sum is
 * zero the object is in its initial state whatever the order was, so what happens between two such moments leaves
 * together. Parts (`part`: any number that tells them apart) do not matter to each other. Operations come by call. */
typedef struct excursions excursions;
excursions *excursions_new(void);
/* its group */
uint32_t excursion(excursions *x, uint64_t part, const operation *op, int64_t change, bool change_known);
void excursions_finish(excursions *x, leave_out *l);

/* For objects with writes that can happen in every state and leave nothing of it (`overwrites`): such a write with
 * nothing open beside it begins an epoch in a known state, so an epoch leaves as a whole. Pending operations stay.
 * Replaces what `out` says if there are more epochs than groups; nothing is fragile then. */
void leave_out_epochs(const object *o, const history *h, const uint32_t *op, uint32_t n,
                      bool (*overwrites)(const operation *op), leave_out *out);

/* What the object's definition says, or, when it says nothing: only operations that change nothing, each alone. And
 * pending operations that no linearization needs (object_needed). */
void object_leave_out(const object *o, const history *h, const uint32_t *op, uint32_t n, leave_out *out);
/* The same for the question whether all but a few operations, `focus`, may leave: cheaper for long histories, and
 * coarser. */
void object_leave_out_around(const object *o, const history *h, const uint32_t *op, uint32_t n, const uint32_t *focus,
                             uint32_t focus_n, leave_out *out);

#endif
