/* All of `plumb replay` but its words: a saved schedule, repeated in the program as it is today. */
#ifndef PLUMB_EXPLORE_OUTSIDE_REPLAY_TEST_H
#define PLUMB_EXPLORE_OUTSIDE_REPLAY_TEST_H

#include "explore/outside/explore_test.h"

typedef struct replayed_test {
    run_request how; /* as it was saved */
    execution x;     /* x.failure FAILURE_DIVERGED: the program has changed, and these are the steps they share */
    char *kept;      /* memory of `how` */
} replayed_test;

/* False: it cannot be tried. Must be freed in either case. */
bool replay_test(const saved_schedule *saved, const test_program *t, replayed_test *out, error *e);
void replayed_test_free(replayed_test *r);

typedef enum replay_outcome {
    REPLAY_EXPLORED,     /* with e set: as explore_test */
    REPLAY_UNREPEATABLE, /* not even the steps they share can be repeated */
    REPLAY_ERROR,
} replay_outcome;

/* The program has changed: executions that begin with the steps they share. `path` is where a failure is saved. `out`
 * must be freed in every case. */
replay_outcome replay_explore_from(const replayed_test *r, const saved_schedule *saved, const test_program *t,
                                   const char *path, const _Atomic int *stop, explored_test *out, error *e);

#endif
