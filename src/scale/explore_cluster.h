/* A hunt whose test programs are explored by workers. The hunt itself is the one of here (explore/outside/hunt.h): what
 * it is told of a program does not depend on where that was explored. A unit is one question to the program under test,
 * named by its words, so that a hunt that is run again finds the answers that are there already. */
#ifndef PLUMB_SCALE_EXPLORE_CLUSTER_H
#define PLUMB_SCALE_EXPLORE_CLUSTER_H

#include "explore/outside/hunt.h"
#include "remote/transport.h"
#include "scale/unit.h"

typedef struct explore_cluster explore_cluster;

typedef struct explore_cluster_settings {
    transport_settings to;
    const char *resume; /* NULL: a new run */
    const char *binary;
    char *const *argv;   /* of the program; the first word is its name */
    const char *options; /* what the run is of, besides the program */
    double seconds;      /* for everything; 0: no limit */
    const _Atomic int *stop;
} explore_cluster_settings;

explore_cluster *explore_cluster_open(const explore_cluster_settings *s, error *e);
/* done: nothing of the run is kept. */
void explore_cluster_close(explore_cluster *x, bool done);
const hunt_elsewhere *explore_cluster_elsewhere(const explore_cluster *x);
unsigned explore_cluster_jobs(const explore_cluster *x); /* programs that are sent at once */
const char *explore_cluster_name(const explore_cluster *x);
uint64_t explore_cluster_kept(const explore_cluster *x); /* answers that were there already */

/* On a worker. */
bool explore_unit_work(const unit *u, const char *folder, text *out, error *e);

#endif
