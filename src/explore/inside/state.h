/* The state of an execution as a number, for strategies that remember which states they have seen (world.state).
 *
 * What goes on alike is the same: memory that the program can change, the stacks of its threads from where they stand,
 * their registers, thread-local variables and pending steps, and what the machine itself decides by: waits, locks,
 * time, freed blocks, reads of threads that may be spinning, which threads touched what is not known to be shared.
 * Counters, clocks of happens-before and the record of operations are not in it. Bytes that no code will read again
 * (slots of the stack that are dead) only tell more states apart: that costs time, and hides nothing. */
#ifndef PLUMB_EXPLORE_INSIDE_STATE_H
#define PLUMB_EXPLORE_INSIDE_STATE_H

#include "explore/inside/fiber.h"

void image_begin(fiber *f);
void image_make_now(void);
/* What our own calls leave below the running thread's stack would be taken for its variables later: it is cleared when
 * a thread goes on, around operations, and before a hook calls what may stop it. */
extern bool states_are_compared HIDDEN; /* state.c: by the driver of this execution */
void states_begin(const driver *d);
void stack_clear(void);
void frames_clear(void);
static inline void stack_clean(void) {
    if (UNLIKELY(states_are_compared)) stack_clear();
}
/* The running thread has come to a step: what it alone uses does not change before it goes on. */
static inline void image_take(void) {
    if (UNLIKELY(states_are_compared)) image_make_now();
}
ALWAYS_INLINE void frames_clean(void) {
    if (UNLIKELY(states_are_compared)) frames_clear();
}
hash128 state_now(const world *w); /* at a question */

#endif
