/* A tape: completed operations of one kind, by their calls, and how far an order of them that respects real time has
 * come.
 *
 * What is done is a down-set of an interval order. Let l be the operation with the latest call that is done: whatever
 * was called earlier and is not done has not returned before l's call, so all of these overlap there. They are told by
 * the *slots* they occupy: an operation takes, at its call, the lowest slot that no open operation has. So a front is
 * two words, whatever the length of the tape. */
#ifndef PLUMB_ENGINE_LINEAR_TAPE_H
#define PLUMB_ENGINE_LINEAR_TAPE_H

#include "engine/engine.h"

enum { TAPE_SLOTS = 64 };

typedef struct operation_tape {
    uint32_t n;
    uint32_t *call, *ret; /* ranks, by number on the tape; calls ascend */
    uint32_t *position;   /* in the problem */
    value *v;             /* VALUE_EMPTY: a dequeue that found the queue empty */
    uint8_t *slot;
    unsigned slots;
    uint32_t *row; /* every TAPE_SLOTS numbers: the last operation before it in each slot */
} operation_tape;

typedef struct tape_front {
    uint64_t open; /* slots of those before `next` that are not done */
    uint32_t next; /* the one before it is done, none from here on */
} tape_front;

typedef struct tape_choices { /* what may come next: no operation that is not done returned before its call */
    uint32_t item[TAPE_SLOTS];
    unsigned n;
    uint32_t first_return; /* of all that is not done; RANK_NEVER: all is done */
} tape_choices;

void tape_init(operation_tape *t, uint32_t room);
void tape_free(operation_tape *t);
void tape_add(operation_tape *t, uint32_t call, uint32_t ret, uint32_t position, value v); /* calls ascend */
bool tape_close(operation_tape *t); /* all were added; false: more than TAPE_SLOTS are open at once */

void tape_choose(const operation_tape *t, tape_front f, tape_choices *c);
/* Of choices with the same value only those that no other beats by an earlier call and an earlier return: wherever such
 * a one is taken, the other can be, and the first in its place. */
void tape_keep_best(const operation_tape *t, tape_choices *c);
tape_front tape_take(const operation_tape *t, tape_front f, uint32_t item); /* one of its choices */
uint32_t tape_last_call(const operation_tape *t, tape_front f);             /* of what is done; 0: nothing is */
/* How many of these items, given ascending, are done. */
uint32_t tape_count_done(const operation_tape *t, tape_front f, const uint32_t *item, uint32_t n);
static inline bool tape_done(const operation_tape *t, tape_front f) { return f.next == t->n && !f.open; }

#endif
