/* One input to be judged, on a thread of its own, under budgets that hold even when the thread does not listen.
 *
 * The worker publishes how far it is and, at its end, a report. The supervisor (the main thread) watches clock, memory
 * and signals; a worker that does not stop when it is told to is left behind and the supervisor reports for it. The
 * thread that moves `phase` out of JOB_RUNNING first decides which report counts. */
#ifndef PLUMB_CLI_JOB_H
#define PLUMB_CLI_JOB_H

#include "base/budget.h"
#include "format/format.h"
#include "report/report.h"

#include <pthread.h>

typedef enum job_phase { JOB_WAITING, JOB_RUNNING, JOB_DONE, JOB_LEFT_BEHIND } job_phase;
typedef enum job_stage { STAGE_READING, STAGE_DECIDING } job_stage;

typedef struct job {
    const char *path;
    bool independent; /* values are [key value], whatever the settings say */
    _Atomic int phase;
    _Atomic int stage;
    _Atomic int stop_reading;
    _Atomic uint64_t bytes;      /* read so far */
    _Atomic uint32_t operations; /* once read; UNKNOWN_COUNT before */
    _Atomic uint32_t pending;
    _Atomic uint32_t furthest;  /* most operations linearized so far */
    _Atomic(char *) understood; /* what the reader understood, a line; the job's own */
    double started;
    double told_to_stop; /* when the supervisor asked it to stop; 0: not yet. Supervisor only. */
    budget budget;
    report *report;   /* the worker's: valid in JOB_DONE */
    report *stand_in; /* the supervisor's: valid in JOB_LEFT_BEHIND */
} job;

typedef struct job_settings {
    const char *object, *init;
    criterion criterion;
    bool measure;      /* the smallest quasi(k) instead of one criterion */
    read_options read; /* bytes and stop are the job's own */
    const engine *engine;
    int64_t setting[ENGINE_SETTINGS]; /* of the engine */
    unsigned threads;                 /* for one history */
    double timeout;                   /* 0: none */
    size_t memory;                    /* 0: no limit */
    const char *certificate;          /* file to write; NULL: none */
    const char *proof;                /* of unsatisfiable clauses: file to write; NULL: none */
    const char *html;                 /* the page to write; NULL: none */
    report_wishes wishes;
    evidence_wish evidence;
} job_settings;

void job_init(job *j, const char *path, bool independent);
void job_free(job *j);
report *job_work(job *j, const job_settings *s);                   /* on the worker's thread */
report *job_report_for(const job *j, bool begun, stop_reason why); /* what the supervisor knows of it */

static inline const report *job_report(const job *j) {
    return atomic_load(&j->phase) == JOB_DONE ? j->report : j->stand_in;
}

#endif
