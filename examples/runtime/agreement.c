/* A task, recorded, monitored, guarded: each thread proposes a value once, and all decide on the same one, which one of
 * them has proposed (set-agreement with k = 1; docs/CRITERIA.md). */
#include "run.h"

#include <stdatomic.h>

enum { DECIDE }; /* as `plumb objects` lists the methods of set-agreement */

static _Atomic int64_t decided; /* 0: not yet */

static int64_t decide(int64_t v) {
    int64_t first = 0;
    return atomic_compare_exchange_strong(&decided, &first, v) ? v : first;
}

void work(client *c) {
    int64_t v = 1 + (int64_t)c->number, got;
    APPLY(c, DECIDE, 1, PLUMB_WORD_INT(v), got = c->wrong || goes_wrong(c) ? v : decide(v), PLUMB_WORD_INT(got));
}

int main(int argc, char **argv) { return run_example(argc, argv, "set-agreement(1)"); }
