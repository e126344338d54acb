/* The sweep of engine/linear/stack_linear.c over events that are still coming, with the way back.
 *
 * A value covers the time from the return of its push to the call of its pop: it is inside for sure. Covers hang
 * together in groups, one on top of the other; a group whose values have all left is a block, decided alone and
 * forgotten (docs/MONITORS.md).
 *
 * Steps are the events that change covers, and empties. A step may turn out to be another one: a pop that is open takes
 * nothing, until it returns. So the steps from `firm` on can be taken back: what each of them changed is written
 * down. */
#ifndef PLUMB_RUNTIME_STACK_SWEEP_H
#define PLUMB_RUNTIME_STACK_SWEEP_H

#include "engine/linear/stack_block.h"
#include "runtime/word_index.h"

#include <assert.h>
#include <stdbool.h>

#define STACK_NEVER UINT64_MAX

typedef struct stacked { /* a value; times are numbers of events, STACK_NEVER: not yet */
    uint64_t v;
    uint64_t push_call, push_ret, pop_call, pop_ret;
    uint64_t pushed_at; /* the step of its push's return */
    uint32_t next_begun, next_ended;
    uint32_t number; /* in the block that is looked at */
    uint32_t taker;  /* open pop that is guessed to have taken it; NUMBER_NONE: none */
    bool orphan;     /* its push never returns */
    bool guessed;    /* taken by a pop that never returned, for good: the guess is not made again */
} stacked;

enum sweep_step_kind { STEP_NOTHING, STEP_PUSHED, STEP_POP, STEP_EMPTY };

typedef struct sweep_step {
    uint64_t time; /* STEP_EMPTY: of its call; others: their own */
    uint32_t item; /* STEP_EMPTY: how long after its call it returned */
    uint32_t kind;
} sweep_step;

typedef struct stack_group {
    uint64_t base;       /* where the first cover began */
    uint32_t live, size; /* values that cover still; all values */
    uint32_t first_begun, last_begun, first_ended, last_ended;
    bool dirty; /* has not been looked at as it is now */
} stack_group;

typedef struct stack_undo {
    uint64_t at; /* step */
    uint64_t last_free;
    stack_group group; /* as it was: number `index`, NUMBER_NONE: no group has changed */
    uint32_t groups, index;
    bool closed;
} stack_undo;

typedef struct stack_sweep {
    stacked *item;
    uint32_t items, item_room, unused;
    sweep_step *step; /* a ring */
    uint64_t step_room;
    uint64_t firm, swept, end; /* not to be taken back; looked at; there */
    stack_group *group;
    uint32_t groups, group_room, dirty_from;
    uint64_t last_free; /* the last gap that no value covered, while there are groups; 0: none */
    stack_undo *undo;   /* undo_from .. undos-1 */
    size_t undo_from, undos, undo_room;
    stack_block block;
    uint32_t *member;
    uint64_t *place;
    uint32_t member_room;
    uint64_t work; /* steps looked at and values of blocks, so far */
} stack_sweep;

void stack_sweep_init(stack_sweep *s);
void stack_sweep_free(stack_sweep *s);
void stack_sweep_copy(stack_sweep *s); /* gives a copy of the struct arrays of its own */
size_t stack_sweep_memory(const stack_sweep *s);

uint32_t stack_sweep_item(stack_sweep *s, uint64_t v, uint64_t now);
void stack_sweep_forget(stack_sweep *s, uint32_t item);

static inline sweep_step *stack_sweep_step(const stack_sweep *s, uint64_t at) {
    assert(at < s->end + 1 && s->end - at <= s->step_room);
    return &s->step[at & (s->step_room - 1)];
}
uint64_t stack_sweep_append(stack_sweep *s, sweep_step what); /* returns its place */

/* A value is pushed, and another one is popped, while nothing else happens and everything is firm: no step is needed.
 * False: it is not alone on top. */
void stack_sweep_push(stack_sweep *s, uint32_t item);
bool stack_sweep_pop(stack_sweep *s, uint32_t item);

/* Looks at the steps before `to`. False: at `swept` there is an empty without a gap, or the end of a block that is no
 * stack's; the state is as before that step, unless the step is firm. */
bool stack_sweep_to(stack_sweep *s, uint64_t to);
void stack_sweep_back(stack_sweep *s, uint64_t to);
void stack_sweep_firm(stack_sweep *s, uint64_t to); /* at most `swept`, or everything that was swept is firm */

/* Whether the groups that have changed fit if the values that are still inside are not taken. *bad: the group that does
 * not. */
bool stack_sweep_groups_fit(stack_sweep *s, uint32_t *bad);

#endif
