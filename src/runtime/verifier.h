/* How verifiers go about it: the library's thread and the command that is attached. */
#ifndef PLUMB_RUNTIME_VERIFIER_H
#define PLUMB_RUNTIME_VERIFIER_H

#include "runtime/watch.h"

enum { VERIFIER_PAUSE = 50, VERIFIER_FEW_EVENTS = 512 };
#define VERIFIER_MAX_LAG (UINT64_C(1) << 20)

/* Sleeping saves the logs' lines from going back and forth; not while one looks for two clean rounds in a row. */
static inline bool watch_may_sleep(const watch *w, uint64_t events) {
    return events < VERIFIER_FEW_EVENTS && w->state != WATCH_BLIND;
}

#endif
