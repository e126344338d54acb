/* All of `plumb explore` but its words: what the test declares becomes a plan, the plan a hunt, a failure is replayed,
 * explained and saved. The caller reports. */
#ifndef PLUMB_EXPLORE_OUTSIDE_EXPLORE_TEST_H
#define PLUMB_EXPLORE_OUTSIDE_EXPLORE_TEST_H

#include "explore/outside/explore_settings.h"
#include "explore/outside/failure.h"
#include "explore/outside/measured_hunt.h"
#include "explore/outside/plan.h"
#include "explore/outside/serial_check.h"

enum { SCHEDULE_PATH = 1024 };

/* The execution that fails, or that forces the measured k. */
typedef struct explored_failure {
    const program_result *found; /* NULL: there is none, and nothing else is set */
    bool repeats;                /* it has a schedule: x, why and schedule are of its replay */
    run_request how;             /* what it was checked against */
    execution x;
    explained why;
    saved_schedule schedule; /* its strings belong to others */
    bool saved;              /* in the file explored_test.path */
    bool remembered;         /* as the user's own: its replay asks for nothing (schedule_trust.h) */
    text object, kept;       /* memory of `how` and `schedule` */
} explored_failure;

/* Where no model was asked for the code says which: what was explored under the other one. */
typedef struct second_look {
    bool made;
    hunt hunt;
    run_request how; /* its model is the one that the code asks for */
    text refused;    /* why it was not made though the code asks for it; empty: nothing was refused */
} second_look;

typedef struct explored_test {
    run_request how; /* of all executions */
    hunt hunt;
    second_look second;
    bool measured; /* k was asked for: see measuring */
    measuring measuring;
    serial_check *serial;                               /* NULL: not asked for */
    char path[SCHEDULE_PATH];                           /* of the schedule */
    char serial_path[SCHEDULE_PATH + sizeof ".serial"]; /* beside it; `serial` refers to it */
    explored_failure failure;
    plan plan;                 /* owns strings of `how` */
    declarations declarations; /* the same of `plan` */
    text criterion;
} explored_test;

/* How the caller looks on. */
typedef struct explore_watch {
    void (*progress)(void *context, const hunt *h); /* a few times a second; NULL: not wanted */
    void *context;
    const _Atomic int *stop;         /* set from a signal handler */
    const hunt_elsewhere *elsewhere; /* where programs are explored; NULL: here */
    unsigned elsewhere_jobs;         /* programs at once, there */
} explore_watch;

/* `asked`: what histories are asked to be. False: nothing can be reported. True with e set: the schedule could not be
 * saved. Must be freed in either case. */
bool explore_test(const explore_settings *s, const criterion *asked, const test_program *t, const explore_watch *w,
                  explored_test *out, error *e);
void explored_test_free(explored_test *x);

/* Replays, explains and saves what x->hunt found, or what forces the measured k: explore_test does this itself. */
bool explored_failure_make(explored_test *x, const test_program *t, error *e);

#endif
