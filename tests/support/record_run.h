/* Threads that use a concurrent object under a recorder. */
#ifndef PLUMB_TESTS_RECORD_RUN_H
#define PLUMB_TESTS_RECORD_RUN_H

#include "support/concurrent.h"
#include "support/mirror.h"

#include <plumbline/record.h>

typedef struct record_run {
    bool lifo;
    defect d;
    uint32_t one_in;              /* operations in which the defect fires */
    uint32_t threads, operations; /* of each */
    /* adds are as likely as removes while about so many values are inside: 0: a near-empty object */
    uint32_t inside;
    uint64_t seed;
    plumb_recorder *r;
    mirror *mirror; /* gets all operations a second time; may be NULL */
    uint64_t fired; /* out: how often the defect did something */
} record_run;

void record_run_all(record_run *run); /* starts the threads and waits for them */

/* The next call asks whether it may be recorded, as it does at the end of a chunk. */
static inline void ask_at_next_call(plumb_log *l) {
    if (l->end) l->end = plumb_announced(l->shared);
}

bool soaking(void); /* PLUMB_SOAK=1: the long campaign; other numbers are of histories and mean nothing here */
/* How often to do something that is done once otherwise: `n` times in the long campaign, or, with PLUMB_SOAK_SHARE=0.1,
 * a tenth of that. */
uint32_t soak_times(uint32_t n);
/* PLUMB_FEWER: a tenth. */
uint32_t fewer_if_sanitized(uint32_t n);

#endif
