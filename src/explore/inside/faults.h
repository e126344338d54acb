/* What may fail or end without a reason: weak compare-and-swaps, and waits on conditions (faults.c). */
#ifndef PLUMB_EXPLORE_INSIDE_FAULTS_H
#define PLUMB_EXPLORE_INSIDE_FAULTS_H

#include "explore/inside/limits.h"
#include "explore/inside/options.h"
#include "explore/inside/scheduler.h"

static inline void faults_begin(fiber *f) { f->faults = (fiber_faults){0}; }
/* A weak compare-and-swap may fail without a reason, for all that is known before it is looked at. */
static inline bool swap_may_fail(void) {
    if (UNLIKELY(mode_now() != RECORDING)) return false;
    if (LIKELY(fiber_now()->faults.swaps < options_now()->spurious)) return true;
    if (options_now()->spurious) limits_now()->spurious_cut++;
    return false;
}
/* The last step is a weak compare-and-swap that would succeed. Is it to fail? Then its description is changed. */
bool swap_fails(uintptr_t pc);
bool own_swap_fails(void);   /* The same of one that is no step. */
bool wake_is_spurious(void); /* A wait on a condition that begins now is to end without a signal. */
bool allocation_fails(void); /* A call of malloc is to return NULL. */

#endif
