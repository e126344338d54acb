/* A thread that is alone and comes back to the state it was in goes round for ever, whatever it does on the way. */
#ifndef PLUMB_EXPLORE_INSIDE_ROUNDS_H
#define PLUMB_EXPLORE_INSIDE_ROUNDS_H

#include "explore/inside/fiber.h"

extern uint32_t rounds_from HIDDEN; /* rounds.c: the first step of an execution that is looked at */
void rounds_begin(void);            /* an execution */
void rounds_look_now(void);

static inline uint32_t rounds_next(void) { return rounds_from; }
static inline bool rounds_are_due(void) { return UNLIKELY(world_now()->steps >= rounds_from); }

/* At a question, with the threads that are enabled known. */
static inline void rounds_look(void) {
    if (rounds_are_due()) rounds_look_now();
}

#endif
