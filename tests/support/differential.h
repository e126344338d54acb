/* Differential testing: what must agree on every history, whichever engine decides it. A slice is part of the tests (a
 * tenth of it where sanitizers make everything slow: PLUMB_FEWER). PLUMB_SOAK=1 in the environment asks for the long
 * run, a larger number for that many histories over all objects; PLUMB_SEED=S for the one history with seed S, as a
 * mismatch prints it. */
#ifndef PLUMB_TESTS_DIFFERENTIAL_H
#define PLUMB_TESTS_DIFFERENTIAL_H

#include "support/random_history.h"

enum { DIFFERENTIAL_SLICE = 200000, DIFFERENTIAL_SOAK = 2400000 }; /* histories over all objects and programs */

/* Looks at one history of random shape; says what is wrong with it in `wrong`, nothing when all is well. It may be
 * given a part of that history as well (while a mismatch is made smaller), always with the same seed. */
typedef struct check_run {
    const bound *b;
    uint64_t seed;
    bool linearizable; /* what the oracle says */
    text *wrong;
} check_run;
typedef void (*check)(const check_run *run);

typedef enum object_group { GROUP_CONTAINERS, GROUP_REGISTERS, GROUP_OTHERS } object_group;

/* Runs the check over the group's objects, prints a line for each and every mismatch at its smallest; returns how many
 * histories had one. */
unsigned differential(object_group group, check c);

/* Everything at once: engines against the oracle, judgement and evidence, and histories that are related to this
 * one. */
void check_everything(const check_run *run);

#endif
