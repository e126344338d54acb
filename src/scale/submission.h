/* The other side of workers: a run, its units, and the results that come back. Only a client: all that is known of a
 * run is in the cluster, so that another process goes on where one was killed.
 *
 * A run's log has each result at least once; callers count the first of each unit. */
#ifndef PLUMB_SCALE_SUBMISSION_H
#define PLUMB_SCALE_SUBMISSION_H

#include "base/error.h"
#include "scale/cluster.h"
#include "scale/unit.h"

#include <stdatomic.h>

typedef struct submission submission;

/* A new run, or one to be gone on with (`resume`: its name). `of` says of what it is: another one under the same name
 * is refused. */
submission *submission_open(const transport_settings *to, const char *kind, const char *resume, const char *of,
                            const _Atomic int *stop, error *e);
/* done: the run is over, nothing of it is kept; else it can be gone on with. */
void submission_close(submission *s, bool done);
const char *submission_name(const submission *s);
bool submission_resumed(const submission *s);

/* Sends a unit; run and kind are filled in. Waits for servers that do not answer. */
bool submission_add(submission *s, unit *u, const void *body, size_t size, error *e);
bool submission_put_contents(submission *s, const void *p, size_t n, char name[SHA256_HEX], error *e);

/* The next result of the log, in *bytes, which the caller frees; NOTHING: none within this time. */
transport_answer submission_next(submission *s, int milliseconds, text *bytes, unit_result *out, error *e);
/* All results that are there already: to be asked for before units are sent, when a run is gone on with. False: these
 * were all. */
bool submission_next_kept(submission *s, text *bytes, unit_result *out, error *e);

/* No unit waits in the cluster, and no worker has one. */
bool submission_idle(submission *s);
unsigned submission_workers(submission *s); /* that are there */
unsigned submission_slots(submission *s);   /* units that they work on at once */

#endif
