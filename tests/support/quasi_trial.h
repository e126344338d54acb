/* Criteria on random histories of relaxed containers: engines, relaxed objects and direct enumeration must agree. */
#ifndef PLUMB_TESTS_QUASI_TRIAL_H
#define PLUMB_TESTS_QUASI_TRIAL_H

#include "support/containers.h"

/* The same object under a criterion; free with free_relaxed. It shares everything else with b->o. */
object relaxed_object(const bound *b, criterion_kind kind, uint32_t first, uint32_t second);
void free_relaxed(object *o);

bound relaxed_history(random_source *r, const char *object_name, discipline right, uint32_t operations);

typedef struct quasi_trial {
    const char *engine, *object;
    discipline right;
    uint64_t seed;
    uint32_t histories; /* without PLUMB_SOAK */
} quasi_trial;

/* Three tests of one engine, as a program:
 *   - at most 8 operations against enumeration: k = 0 .. 3 and separate limits, every witness and pattern checked,
 *     verdicts grow with k, k = 0 is linearizability;
 *   - up to `largest` (at most 13) operations against the oracle on the relaxed object;
 *   - the relaxed object of out-of-order, by the oracle, against enumeration.
 * PLUMB_SOAK: 200,000 histories each, or as many as it says. */
int quasi_trial_run(const quasi_trial *t, uint32_t largest);

#endif
