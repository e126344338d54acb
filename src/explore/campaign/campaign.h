/* A campaign: strategies one after the other against one world, under one budget, every trace or history checked once.
 *
 * `auto` is a portfolio: bounded 0, 1, 2, dpor, pct and random take turns that double; it is complete when dpor or a
 * bound that cut nothing has come to its end. The result says what is proven, never more: "every interleaving of this
 * test", "every one with at most 2 preemptions", "1,200,000 random ones", and what was cut off. */
#ifndef PLUMB_EXPLORE_CAMPAIGN_CAMPAIGN_H
#define PLUMB_EXPLORE_CAMPAIGN_CAMPAIGN_H

#include "explore/model/coverage.h"
#include "explore/strategy/strategy.h"
#include "explore/campaign/outcomes.h"
#include "explore/campaign/trace_check.h"
#include "explore/campaign/sentry.h"

typedef struct campaign_result campaign_result;

typedef struct campaign_options {
    const char *strategy;     /* "auto", or the name of one */
    strategy_options how;     /* for auto: bound is the highest preemption bound */
    uint64_t most_executions; /* 0: no limit */
    double seconds;           /* 0: no limit */
    bool all;                 /* do not stop at the first failure: count */
    bool check_each_history;  /* not one check for a trace but one for every distinct history: for tests and dfs */
    object *object;           /* NULL: only assertions and the machine's own detections */
    const uint8_t *method_of; /* declared operation -> method of the object */
    /* a monitor that looks at histories or executions instead of the check of traces; NULL: none */
    const char *monitor;
    const schedule *first; /* tried before everything else (a failing schedule of an earlier run); NULL: none */
    /* Distinct histories, for tests that compare strategies: called once for each; `op` NULL: those so far do not
     * count, the world has learned of more steps. NULL: not wanted. */
    void (*history)(void *context, const explored_operation *op, uint32_t n, const uint32_t *order, uint32_t events);
    void (*progress)(void *context, const campaign_result *so_far); /* a few times a second; NULL: not wanted */
    void *context;
    outcome_list *outcomes;   /* filled; NULL: not wanted */
    unsigned worker;          /* number among the processes that share the work */
    const volatile int *stop; /* set from a signal handler: end soon, say what is known; NULL: never */
} campaign_options;

typedef struct stage_result { /* of one strategy (one bound) */
    const char *strategy;
    unsigned bound;
    bool exhausted;
    bool apart; /* not shared with other processes, where these share another */
    uint64_t executions, steps, pruned, assumed, cut_off;
    double seconds;
} stage_result;

struct campaign_result {
    stage_result stage[STAGES_MAX];
    unsigned stages;
    uint64_t executions, steps, histories /* or trace signatures */, violations;
    double seconds;
    bool complete;    /* every interleaving was covered (up to the assumed loops) */
    int preemptions;  /* every interleaving with at most so many was covered; -1: not even that */
    bool alone;       /* complete, by what this process did by itself */
    bool takes_turns; /* each process had bounds for itself: the highest one that any exhausted is proven */
    bool stopped;     /* by the user or the budget */
    uint64_t states;  /* that were told apart; 0: none were compared */
    double explored;  /* the part of them that this process ran; of processes that share them */
    double estimate;  /* of all executions of the running strategy; 0: cannot be said */
    /* the world has more steps than it knew when the work was shared out: the caller has to begin anew */
    bool learned;
    /* histories in which the monitor saw nothing, which says nothing: such coverage is not claimed */
    uint64_t silent;
    /* histories or traces that could not be checked: more operations than can be looked at, not for the monitor */
    uint64_t undecided;
    char undecided_why[128];
    coverage limits; /* what was cut, assumed or not modelled: those in force weaken what is claimed */

    failure_kind failure; /* the first one; FAILURE_NONE: all is well */
    char message[256];
    /* replays it; of a violation found for a trace: the violating interleaving, replayed and confirmed */
    schedule failing;
    uint64_t failed_at; /* execution number */
    unsigned failing_preemptions;
};

/* False only on an internal error (the program did not repeat itself, a found violation was not confirmed): message
 * says. */
bool campaign_run(world *w, world_run *run, const campaign_options *o, campaign_result *r);
/* Results of processes that shared the work (share.h): what all of them proved is proven. `histories` are added up: the
 * share knows how many different ones there were. Takes the failing schedule. */
void campaign_merge(campaign_result *into, campaign_result *from);
void campaign_result_free(campaign_result *r);

#endif
