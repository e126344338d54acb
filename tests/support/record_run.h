/* Threads that use a concurrent object under a recorder. */
#ifndef PLUMB_TESTS_RECORD_RUN_H
#define PLUMB_TESTS_RECORD_RUN_H

#include "support/concurrent.h"

#include <plumbline/record.h>

typedef struct record_run {
    bool lifo;
    defect d;
    uint32_t one_in;     /* operations in which the defect fires */
    uint32_t threads, operations; /* of each */
    uint32_t inside;     /* adds are as likely as removes while about so many values are inside: 0: a near-empty object */
    uint64_t seed;
    plumb_recorder *r;
    uint64_t *returned;  /* by thread: operations that returned, counted after the recorder knows; may be NULL */
    uint64_t fired;      /* out: how often the defect did something */
} record_run;

void record_run_all(record_run *run); /* starts the threads and waits for them */

bool soaking(void); /* PLUMB_SOAK=1: the long campaign; other numbers are of histories and mean nothing here */
/* PLUMB_SANITIZED: a tenth. */
uint32_t fewer_if_sanitized(uint32_t n);

#endif
