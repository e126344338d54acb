/* Loops that yield until another thread has done something end only in schedules that are fair. */
#ifndef PLUMB_EXPLORE_STRATEGY_FAIR_H
#define PLUMB_EXPLORE_STRATEGY_FAIR_H

#include "explore/reduction/nodes.h"

/* Threads that have yielded often enough while another one, which can go on, has not gone on at all: it is that one's
 * turn (Musuvathi, Qadeer: Fair stateless model checking, PLDI 2008). Never all of them: not the one that has waited
 * longest. Else there is no end to a loop that yields. `d`: the newest node. */
thread_set fair_holds(const nodes *n, const world *w, const node *d);

#endif
