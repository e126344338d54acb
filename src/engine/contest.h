/* Several engines on one problem, of which any may take long. So many of them run at a time as there are cores for
 * them; after a short turn, measured in CPU time, the one that has had the least goes on. None is started again: an
 * engine waits where it looks at its budget. So the answer costs at most as many times what the fastest of them needs
 * as there are engines, and a turn each. */
#ifndef PLUMB_ENGINE_CONTEST_H
#define PLUMB_ENGINE_CONTEST_H

#include "engine/engine.h"

enum { CONTEST_ENGINES = 8 };

typedef struct contest_result {
    const engine *engine;         /* that decided, or came furthest */
    outcome out[CONTEST_ENGINES]; /* by engine; to be freed */
    unsigned best;
} contest_result;

/* The engines accept the problem; 1 to CONTEST_ENGINES. `at_once`: how many may run side by side. */
void contest_run(const engine *const *g, unsigned count, unsigned at_once, const problem *p, contest_result *r);

#endif
