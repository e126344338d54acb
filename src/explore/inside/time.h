/* Time and random numbers of the code under test (yield.c): each thread has its own. */
#ifndef PLUMB_EXPLORE_INSIDE_TIME_H
#define PLUMB_EXPLORE_INSIDE_TIME_H

#include "explore/inside/fiber.h"

static inline void time_begin(fiber *f) { f->time = (fiber_time){.drawn = f->number}; }
static inline void time_passes(fiber *f) { f->time.ticks++; } /* by an access that is no step */

#endif
