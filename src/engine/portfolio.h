/* Deciding a whole history: into independent parts, each to the cheapest engine that accepts it, parts in parallel,
 * falling through to the next engine when one gives no answer; then one verdict and one witness from all parts. */
#ifndef PLUMB_ENGINE_PORTFOLIO_H
#define PLUMB_ENGINE_PORTFOLIO_H

#include "engine/engine.h"

typedef struct decide_options {
    const engine *engine;   /* exactly this one; NULL: choose from the declarations */
    unsigned threads;       /* 0: one */
    const int64_t *setting; /* of that engine; NULL: the standard ones */
} decide_options;

typedef struct decision {
    verdict verdict;
    const engine *engine; /* that decided (the violation, or the last part); NULL when none accepted */
    stop_reason stopped;  /* undecided: which budget ran out */
    char why[200];        /* undecided for another reason */
    witness witness;      /* linearizable: of the whole history */
    uint32_t *part;       /* violation or undecided: the operations of that part, ascending */
    uint32_t part_n;
    uint32_t *pattern; /* as in outcome */
    uint32_t pattern_n;
    uint32_t cut;
    witness prefix; /* undecided: of that part */
    uint32_t parts;
    uint64_t steps;
    text talk; /* which engine was passed over and why: a line each */
} decision;

/* `furthest` may be NULL: operations linearized so far, for progress. */
void decide(const history *h, const object *o, const decide_options *options, budget *b, _Atomic uint32_t *furthest,
            decision *out);
void decision_free(decision *d);

#endif
