/* Several processes explore one tree, through memory they share.
 *
 * Each walks a subtree of its own. One that has nothing left is hungry; then another one, between two executions,
 * *publishes* the path to its shallowest node with something left to explore. From then on the nodes of that path
 * belong to all processes: a hungry one claims an alternative there, and races found in any subtree add alternatives to
 * them. An alternative is explored with those claimed earlier asleep, as if they had been explored before: in the end
 * they will have been, and the proof of source sets asks for no more (docs/EXPLORER.md). Which traces are explored does
 * not depend on which process does it.
 *
 * The caller makes the share, forks, and lets every process run the same campaign with it; then it merges the
 * results. */
#ifndef PLUMB_EXPLORE_STRATEGY_SHARE_H
#define PLUMB_EXPLORE_STRATEGY_SHARE_H

#include "explore/strategy/walk.h"

typedef struct share share;
struct graph_pool;

share *share_new(unsigned workers); /* NULL: no memory */
void share_free(share *s);
struct graph_pool *share_graphs(const share *s); /* where the strategy of graphs finds its work */
uint64_t share_signatures(const share *s);       /* distinct ones of all processes; 0: too many to be counted */
bool share_is_abandoned(const share *s);         /* a process left before all was explored */
void share_abandon(share *s);                    /* a process died: the others must not wait for it */

/* What is left when the processes end early, as text from which another crew goes on (the same program, knowing the
 * same of it). Each node with something left is a unit of work: the path to it and what was explored there. */
void share_keep(share *s);                                   /* before they begin: it will be wanted */
bool share_save(const share *s, unsigned stage, text *out);  /* false: not all of it is known */
bool share_load(share *s, unsigned stage, const char *from); /* into a new share; false: not such a text */
/* What was loaded is one of several pieces (pieces.h): saved in the end, too, when nothing of its own is left. */
bool share_is_piece(const share *s, unsigned stage);

/* ---- for the walk, which has one stage of the campaign after the other ---- */
bool share_next(share *s, walk *k); /* prepares the next execution; false: nothing is left, or a process left */
void share_offer(share *s, unsigned stage, uint32_t number, thread_set initials, unsigned preferred);
void share_leave(share *s, walk *k);
bool share_cut(const share *s, unsigned stage); /* a bound kept a process from something */
void share_note_signature(share *s, uint64_t print);
/* For tests: the lock of a stage is taken and never given back, as by a process that dies. */
void share_seize(share *s, unsigned stage);

#endif
