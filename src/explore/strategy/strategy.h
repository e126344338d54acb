/* Strategies: which executions are worth running. One file each; all drive any world.
 *
 *   dfs      every interleaving: the oracle for the others
 *   bounded  every interleaving with at most N preemptions, N = 0, 1, 2, ...
 *   dpor     one execution for each trace (source sets, sleep sets, compare-and-swap evaluated while it sleeps)
 *   states   every state once: what goes on alike was explored before
 *   pct      random priorities with a few change points;  random  a fair coin at every step
 *   graphs   every execution graph of a memory model, in worlds that ask which write is read
 *   serial   operations one at a time, in every order: what the others are compared with (serial_phase.h)
 *   replay   one given schedule
 *
 * A run asks `strategy_next` for a driver, executes the world with it, hands the result to `strategy_done`, until it is
 * exhausted or the budget is. */
#ifndef PLUMB_EXPLORE_STRATEGY_STRATEGY_H
#define PLUMB_EXPLORE_STRATEGY_STRATEGY_H

#include "explore/model/memory_model.h"
#include "explore/model/schedule.h"
#include "explore/model/trace_clocks.h"
#include "explore/model/world.h"

#include <assert.h>

/* Stages of one campaign, and of a share of its work. */
enum { STAGES_MAX = 16 };

typedef struct strategy_options {
    unsigned bound; /* bounded: preemptions */
    unsigned depth; /* pct: change points */
    uint64_t seed;
    uint32_t most_steps;
    memory_model model;     /* graphs */
    bool messages;          /* the world asks which write is read: for graphs and replay alone */
    bool symmetry;          /* use the groups of the world */
    const schedule *prefix; /* only executions that begin like this; replay: the schedule; NULL: all */
    /* states: what a state has to be told apart by beside the world's own, that is what of the history so far its
     * verdict depends on; at a question, whose predecessors on the path were asked about before. NULL: nothing */
    hash128 (*history)(void *self, const world *w);
    void *history_self;
    uint64_t memory;      /* states: at most so many bytes for those seen; 0: no limit */
    struct share *share;  /* several processes share the work (share.h); NULL: alone */
    unsigned share_stage; /* which of the campaign's stages that share it this is */
} strategy_options;

typedef struct strategy strategy;

typedef struct state_counts {
    uint64_t states; /* seen */
    uint64_t cycles; /* executions that came back to a state of their own: they may go on so for ever */
} state_counts;

typedef struct strategy_type {
    const char *name, *summary;
    bool exhaustive; /* ends by itself, having covered what it promises */
    strategy *(*open)(const strategy_options *o);
    const driver *(*next)(strategy *s);  /* the driver of the next execution; NULL: exhausted */
    void (*done)(strategy *s, world *w); /* how it went: finds what to try next */
    void (*close)(strategy *s);
    /* Of the last execution: the order that all interleavings of its trace keep, and the choices that repeat it. */
    trace_clocks (*order)(const strategy *s); /* of calls and returns at least */
    trace_clocks (*clocks)(strategy *s);      /* of all steps */
    void (*schedule)(const strategy *s, schedule *out);
    unsigned (*preemptions)(const strategy *s); /* in the last execution */
    bool (*cut)(const strategy *s);             /* did a bound keep anything from being explored? */
    bool (*diverged)(const strategy *s);        /* the world did not repeat itself */
    state_counts (*states)(const strategy *s);  /* NULL: it does not compare them */
    /* which part of its executions were run, roughly; 0: cannot be said */
    double (*explored)(const strategy *s);
} strategy_type;

struct strategy {
    const strategy_type *type;
};

const strategy_type *strategy_find(const char *name);
const strategy_type *strategy_at(unsigned i); /* NULL behind the last */
/* The one that repeats a schedule (`prefix`) in such a world. */
const strategy_type *strategy_replays(const strategy_options *o);

/* The strategy, open; campaigns and tests use these. */
static inline strategy *strategy_open(const strategy_type *t, const strategy_options *o) {
    strategy *s = t->open(o);
    assert(s->type == t);
    return s;
}
static inline const driver *strategy_next(strategy *s) { return s->type->next(s); }
static inline void strategy_done(strategy *s, world *w) { s->type->done(s, w); }
static inline void strategy_close(strategy *s) { s->type->close(s); }

#endif
