/* A worker: takes units from the cluster, one for each of its slots at a time, has them worked on by runners
 * (runner.h), and appends what came of them to their runs' logs. A unit is acknowledged after its result is kept: when
 * the worker dies before that, another one gets the unit; when it dies in between, its result is there twice, and
 * counts once (submission.h). */
#ifndef PLUMB_SCALE_WORKER_H
#define PLUMB_SCALE_WORKER_H

#include "scale/cluster.h"
#include "scale/runner.h"

typedef struct worker_settings {
    transport_settings to;
    runner_settings how;
    unsigned slots;
    uint64_t units;          /* ends after so many; 0: goes on */
    double idle;             /* ends when there was no unit for so many seconds; 0: goes on */
    bool quiet;              /* no lines on standard error */
    const _Atomic int *stop; /* set from a signal handler: units that were begun are finished */
} worker_settings;

bool worker_run(const worker_settings *s, error *e); /* until it is told to stop */

/* What workers say of themselves, a note that vanishes with them. */
typedef struct worker_note {
    char name[64];
    uint64_t slots, busy, done, died; /* died: runners, on their units */
    double up, worked;                /* seconds */
} worker_note;

void worker_note_pack(const worker_note *n, text *out);
bool worker_note_unpack(const void *p, size_t n, worker_note *out);

#endif
