/* One reader for each recording at a time: claims survive a reader that dies. */
#ifndef PLUMB_RUNTIME_VERIFIER_H
#define PLUMB_RUNTIME_VERIFIER_H

#include "runtime/watch.h"

/* False: another living process or thread reads it. *from_the_beginning: nothing that this reader would miss is gone. */
bool recording_claim(recording *m, bool *from_the_beginning, error *e);
void recording_release(recording *m);

enum { VERIFIER_PAUSE = 50, VERIFIER_FEW_EVENTS = 512 };
#define VERIFIER_MAX_LAG (UINT64_C(1) << 20)

/* Sleeping saves the logs' lines from going back and forth; not while one looks for two clean rounds in a row. */
static inline bool watch_may_sleep(const watch *w, uint64_t events) { return events < VERIFIER_FEW_EVENTS && w->state != WATCH_BLIND; }

#endif
