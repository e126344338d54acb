/* Strategies: which executions are worth running. One file each; all drive any world.
 *
 *   dfs      every interleaving: the oracle for the others
 *   bounded  every interleaving with at most N preemptions, N = 0, 1, 2, ...
 *   dpor     one execution for each trace (source sets, sleep sets, compare-and-swap evaluated while it sleeps)
 *   pct      random priorities with a few change points;  random  a fair coin at every step
 *   replay   one given schedule
 *
 * A run asks `strategy_next` for a driver, executes the world with it, hands the result to `strategy_done`, until it is
 * exhausted or the budget is. */
#ifndef PLUMB_EXPLORE_STRATEGY_H
#define PLUMB_EXPLORE_STRATEGY_H

#include "base/budget.h"
#include "explore/world.h"

typedef struct strategy_options {
    unsigned bound;     /* bounded: preemptions */
    unsigned depth;     /* pct: change points */
    uint64_t seed;
    uint32_t most_steps;
    bool symmetry;      /* use the groups of the world */
    const struct schedule *prefix; /* only executions that begin like this: a share of the work; NULL: all */
} strategy_options;

typedef struct strategy strategy;

typedef struct strategy_type {
    const char *name, *summary;
    bool exhaustive;     /* ends by itself, having covered what it promises */
    strategy *(*open)(const strategy_options *o);
    const driver *(*next)(strategy *s);            /* the driver of the next execution; NULL: exhausted */
    void (*done)(strategy *s, world *w);           /* how it went: finds what to try next */
    void (*close)(strategy *s);
} strategy_type;

struct strategy { const strategy_type *type; };

const strategy_type *strategy_find(const char *name);
const strategy_type *strategy_at(unsigned i); /* NULL behind the last */

/* The choices of one execution: thread numbers and chosen alternatives in the order they were made. */
typedef struct schedule {
    uint8_t *choice; /* a thread, or an alternative */
    uint8_t *of;     /* 0: a thread was picked; n: one of n alternatives was chosen */
    uint32_t length, capacity;
} schedule;

#endif
