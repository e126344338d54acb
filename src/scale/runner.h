/* The process in which units are worked on. A worker starts one for each of its slots, speaks with it through two
 * pipes, and starts another when it dies: nothing that a unit does to it reaches the worker. In a sandbox (bubblewrap)
 * it has no network, a root that it cannot write, an empty /tmp and /home, another user, and limits.
 *
 *     to it      blob NAME BYTES (kept for later units);  unit BYTES
 *     from it    answer: done or refused, and what came of it */
#ifndef PLUMB_SCALE_RUNNER_H
#define PLUMB_SCALE_RUNNER_H

#include "base/error.h"
#include "scale/unit.h"

#include <stdatomic.h>

typedef struct runner_settings {
    bool sandbox;
    uint64_t memory; /* bytes of address space of each of its processes; 0: no limit */
} runner_settings;

typedef struct runner runner;

/* Is bubblewrap there, and does it work here? False: the error says what is missing. */
bool runner_sandbox_works(error *e);

runner *runner_new(const runner_settings *s);
void runner_free(runner *r);
bool runner_has(const runner *r, const char *blob);
void runner_give(runner *r, const char *blob, const void *p, size_t n);

typedef enum runner_end {
    RUNNER_DONE,
    RUNNER_REFUSED, /* it cannot do such a unit: `out` says why, behind the exit code */
    RUNNER_DIED,    /* `out` says how */
    RUNNER_STOPPED, /* it was told to */
} runner_end;

/* Works on the unit for at most so many seconds (0: as long as it takes); starts the process if there is none. */
runner_end runner_work(runner *r, const void *unit, size_t n, double seconds, const _Atomic int *stop, text *out);

/* ---- inside ---- */

typedef struct unit_kind {
    const char *name;
    /* `folder` has the unit's contents as files, and is the unit's. False: refused, with the error set. */
    bool (*work)(const unit *u, const char *folder, text *out, error *e);
} unit_kind;

/* Serves the worker on standard input and output until it goes away; the exit code. `kinds` ends with a NULL name. */
int runner_serve(const char *folder, uint64_t memory, const unit_kind *kinds);

#endif
