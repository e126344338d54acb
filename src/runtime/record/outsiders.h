/* Threads that find no slot in a recording. None of their operations is recorded, and each of them is known: readers of
 * the logs judge nothing that could have been affected by one. */
#ifndef PLUMB_RUNTIME_OUTSIDERS_H
#define PLUMB_RUNTIME_OUTSIDERS_H

#include "runtime/record/recorder.h"

void outsider_init(log_writer *w, log_slot *own); /* `own`: as long as the writer */

/* Before the object is entered; after it has been left. */
void outsider_begins(log_header *h, uint64_t stamp);
void outsider_ends(log_header *h, bool ghost);

/* As the readers see them: the second call finds whether an operation has run since the first, or still runs. */
static inline uint64_t outsider_calls(const log_header *h) {
    return __atomic_load_n(&h->outsiders.calls, __ATOMIC_SEQ_CST);
}
static inline bool outsiders_are_out(const log_header *h, uint64_t calls_before) {
    return outsider_calls(h) == calls_before && !__atomic_load_n(&h->outsiders.open, __ATOMIC_SEQ_CST);
}

#endif
