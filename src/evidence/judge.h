/* The whole judgement of one history: an engine's decision and the evidence for it, checked.
 *
 *   linearizable  a witness that `witness_check` (which shares nothing with the engines) accepted
 *   violation     a core whose own violation implies the history's, decided again by the oracle or a second engine
 *   undecided     which budget ran out, and the longest linearizable beginning that was found
 *
 * An engine whose evidence does not hold is an internal error (exit 70), never an answer. */
#ifndef PLUMB_EVIDENCE_JUDGE_H
#define PLUMB_EVIDENCE_JUDGE_H

#include "base/error.h"
#include "engine/portfolio.h"

typedef struct core {
    uint32_t *op;     /* operations of the history, ascending */
    uint32_t n;
    uint32_t cut;     /* the history is cut after this rank: what returns later is pending; RANK_NEVER: not cut */
    bool minimal;     /* nothing more can be left out; false: the budget ended the reduction */
    const char *checked_by; /* "oracle" or the second engine's name; NULL: could not be decided a second time */
} core;

typedef struct judge_options {
    decide_options decide;
    bool quick;       /* violation: no reduction, the whole part is the core */
} judge_options;

typedef struct judgement {
    verdict verdict;
    decision decision;
    core core;             /* violation */
    bool witness_checked;  /* linearizable: always true on return without error */
    double seconds;        /* deciding */
    double evidence_seconds;
} judgement;

bool judge(const history *h, const object *o, const judge_options *options, budget *b, _Atomic uint32_t *furthest, judgement *out, error *e);
void judgement_free(judgement *j);

#endif
