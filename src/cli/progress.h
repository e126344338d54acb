/* How far it is: one line on a terminal, at most ten times a second; and the answer to SIGUSR1. */
#ifndef PLUMB_CLI_PROGRESS_H
#define PLUMB_CLI_PROGRESS_H

#include "cli/job.h"

typedef struct progress {
    double first, last; /* when it was asked for first, and shown last */
    bool shown;
} progress;

void progress_show(progress *p, const job *jobs, uint32_t n);
void progress_clear(progress *p);
void progress_status(const job *jobs, uint32_t n); /* a line for each running job */

#endif
