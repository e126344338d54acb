/* The whole judgement of one history: an engine's decision and the evidence for it, checked.
 *
 *   linearizable  a witness that `witness_check` (which shares nothing with the engines) accepted
 *   violation     a core whose own violation implies the history's, decided again by the oracle or a second engine
 *   undecided     which budget ran out, and the longest linearizable beginning that was found; or that an engine which
 *                 gives no witnesses did not refute it; or that there were no operations
 *
 * An engine whose evidence does not hold is an internal error (exit 70), never an answer. */
#ifndef PLUMB_EVIDENCE_JUDGE_H
#define PLUMB_EVIDENCE_JUDGE_H

#include "evidence/core.h"

typedef enum evidence_wish {
    EVIDENCE_FULL,  /* a core within 4 times what deciding took, 2 seconds at least; as much again to check it */
    EVIDENCE_QUICK, /* within what deciding took, 0.05 seconds at least, for both */
    EVIDENCE_NONE,  /* no core, and the witness is not replayed */
} evidence_wish;
#define EVIDENCE_WORDS "full quick none"

typedef struct judge_options {
    decide_options decide;
    bool quick; /* violation: no reduction, the whole part is the core */
    evidence_wish evidence;
} judge_options;

typedef struct judgement {
    verdict verdict;
    decision decision;
    core core;            /* violation; without operations: none was asked for */
    bool witness_checked; /* linearizable: always, unless no evidence was asked for */
    double seconds;       /* deciding */
    double evidence_seconds;
} judgement;

bool judge(const history *h, const object *o, const judge_options *options, budget *b, _Atomic uint32_t *furthest,
           judgement *out, error *e);
void judgement_free(judgement *j);

#endif
