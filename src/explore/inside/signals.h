/* Asynchronous signals: what PLUMB_SIGNAL declares runs in a thread between any two of its accesses, as a choice, a few
 * times in an execution (--signals). */
#ifndef PLUMB_EXPLORE_INSIDE_SIGNALS_H
#define PLUMB_EXPLORE_INSIDE_SIGNALS_H

#include "explore/inside/attributes.h"

extern bool signals_declared HIDDEN; /* signals.c: or sent by threads */
static inline bool signals_are_explored(void) { return signals_declared; }

void signals_explore(void);         /* though PLUMB_SIGNAL declares none */
void signals_open(void);            /* before executions */
void signal_may_come(uintptr_t pc); /* to the running thread, now, before what it does there */

/* Before each access, in functions that have done nothing so far: the handler makes steps of its own. */
ALWAYS_INLINE void signal_point(uintptr_t pc) {
    if (UNLIKELY(signals_declared)) signal_may_come(pc);
}

#endif
