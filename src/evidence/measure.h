/* How relaxed is it? The smallest k for which a history is quasi(k), from both sides:
 *
 *     low    forced overtakings (engine/quasi/overtakings.h), then every k that an engine refused, and one more
 *     high   an order that was found and checked, and what is counted on it
 *
 * The operations that force `low` are the core of the violation of quasi(low - 1), decided again like every core. */
#ifndef PLUMB_EVIDENCE_MEASURE_H
#define PLUMB_EVIDENCE_MEASURE_H

#include "evidence/judge.h"

typedef struct number_counts { /* how often each number occurred */
    uint32_t *times;           /* by number */
    uint32_t n;                /* numbers: 0 .. n-1; the last one occurred */
} number_counts;

typedef struct relaxation {
    /* there is such a k: high is one; otherwise no order will do, whatever k is, and `above` says why */
    bool bounded;
    uint32_t low, high;      /* low == high: the smallest k */
    judgement above;         /* of quasi(high): linearizable; of any k when there is none */
    judgement below;         /* of quasi(low - 1): a violation. Not when low is 0. */
    number_counts ahead;     /* in the witness: removals by the number of elements ahead of what they took */
    number_counts overtaken; /* elements by how often they were overtaken */
    double seconds;
} relaxation;

/* `o` is under a quasi criterion (of any limits); it has the limits of `high` afterwards. False: internal error.
 * Undecided (budget, no engine) when `above` is. */
bool measure_relaxation(const history *h, object *o, const judge_options *options, budget *b,
                        _Atomic uint32_t *furthest, relaxation *out, error *e);
void relaxation_free(relaxation *r);

#endif
