/* Under a weak memory model: which step a load read from, and which newer write it did not see. */
#ifndef PLUMB_REPORT_READS_FROM_H
#define PLUMB_REPORT_READS_FROM_H

#include "explore/model/execution.h"

typedef struct read_source {
    uint32_t from;     /* the step; NO_STEP: what was there before, or the step reads nothing */
    uint32_t missed;   /* the newest write, if that is another one; NO_STEP: none is newer */
    bool own;          /* x86-TSO: the store is in the thread's own buffer */
    bool synchronises; /* what came before `from` in its thread happens before what comes behind the step in its own */
} read_source;

read_source read_source_of(const execution *x, uint32_t step);

#endif
