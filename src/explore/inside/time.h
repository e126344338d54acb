/* Time and random numbers of the code under test (clock.c, yield.c). */
#ifndef PLUMB_EXPLORE_INSIDE_TIME_H
#define PLUMB_EXPLORE_INSIDE_TIME_H

#include "explore/inside/fiber.h"

#include <time.h>

#define SECOND UINT64_C(1000000000) /* in nanoseconds */

uint64_t clock_look(uintptr_t pc); /* the step of a thread that reads a clock: nanoseconds */

static inline void time_begin(fiber *f) { f->time = (fiber_time){.drawn = f->number}; }
static inline void time_passes(fiber *f) { f->time.ticks++; } /* by an access that is no step */

static inline uint64_t time_of(const struct timespec *t) {
    bool good = t && t->tv_sec >= 0 && t->tv_sec < 1000000000 && t->tv_nsec >= 0;
    return good ? (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_nsec : 0;
}
/* It is at least that late when the thread looks next: it waited until then, or slept so long. Its own clock only: so
 * sleeping need not be a step that all clocks depend on. */
static inline void time_is_over(fiber *f, const struct timespec *until) {
    uint64_t t = time_of(until);
    if (t > f->time.least) f->time.least = t;
}
static inline void time_sleeps(fiber *f, uint64_t nanoseconds) {
    uint64_t from = f->time.seen > f->time.least ? f->time.seen : f->time.least;
    if (nanoseconds < SECOND * 1000000000) f->time.least = from + nanoseconds;
}

#endif
