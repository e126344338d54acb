/* Sleep sets, interchangeable threads, and threads that are held back because others have stopped for good.
 *
 * Threads of a group do the same up to the values they use. The *marker* of a thread is its first effective update or
 * lock: a step that such threads compete for. Rule: a thread may execute its marker only when all threads of its group
 * with lower numbers have executed theirs. Every execution has a renaming that obeys it: number the threads in the
 * order of their markers, those without one last. */
#ifndef PLUMB_EXPLORE_REDUCTION_SYMMETRY_H
#define PLUMB_EXPLORE_REDUCTION_SYMMETRY_H

#include "explore/reduction/nodes.h"

/* The threads that slept at the node before and are not woken by the step made there. */
thread_set sleep_inherited(const nodes *n, const world *w, const node *before);

/* Takes those that must wait for lower numbers out of d->enabled. */
void symmetry_apply(const nodes *n, const world *w, node *d);
/* Those could have executed the same step earlier, when it was not yet their marker (a compare-and-swap that failed):
 * the race with what made it one would stay hidden behind the markers they wait for. */
void symmetry_races(nodes *n, const world *w, const node *d);
/* Threads whose step would happen after the last one of a thread that stopped for good in a loop: no execution that
 * comes to its end has such a step (docs/EXPLORER.md, awaiting and retrying). */
thread_set retry_holds(const nodes *n, const world *w);
/* Threads that would change what another thread has a window open on: no execution that comes to its end goes on like
 * that (docs/EXPLORER.md, confirmed reads). */
thread_set window_holds(const world *w);
/* Races of threads that are held back for now: before the step that keeps them they could have gone on, and later their
 * step may be another one. */
void held_races(nodes *n, const world *w, thread_set held);
/* Finds the races of the step that t has not executed. */
void pending_races(nodes *n, const world *w, unsigned t);

#endif
