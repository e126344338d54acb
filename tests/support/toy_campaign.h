/* A campaign on a toy world, with the distinct histories it saw. */
#ifndef PLUMB_TESTS_TOY_CAMPAIGN_H
#define PLUMB_TESTS_TOY_CAMPAIGN_H

#include "explore/campaign/campaign.h"
#include "support/toy_programs.h"

typedef struct toy_histories { /* sorted fingerprints; each stands for a set of operations with an interval order */
    uint64_t *print;
    uint32_t n, room;
} toy_histories;

typedef struct toy_outcome {
    campaign_result r;
    toy_histories seen;
    bool good; /* campaign_run's answer */
} toy_outcome;

typedef struct toy_try {
    const char *strategy, *object; /* object NULL: none */
    unsigned bound;
    bool symmetry, each_history, all;
    bool rename; /* histories in all namings of interchangeable threads */
    bool no_histories;
    uint64_t most;
    struct share *share;
} toy_try;

toy_outcome toy_explore(const toy_program *p, const toy_try *how);
void toy_outcome_free(toy_outcome *o);
bool toy_same_histories(const toy_histories *a, const toy_histories *b);

#endif
