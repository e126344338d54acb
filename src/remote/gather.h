/* Reading what all clients have announced from a majority of replicas, and judging it while it grows. A round is that
 * of a sketch (runtime/sketch.h): a cut, the rank of an atomic snapshot; then everything that the registers hold;
 * events up to the cut go to the checker in the order of their ranks, and one that comes later with a lower rank is
 * moved up. */
#ifndef PLUMB_REMOTE_GATHER_H
#define PLUMB_REMOTE_GATHER_H

#include "remote/registers.h"
#include "runtime/checker.h"

typedef struct followed { /* one client's log, as far as it was read */
    stored_log log;
    uint64_t next;    /* entry */
    wire_entry entry; /* that one, once it was decoded */
    bool decoded, open, left;
    uint64_t key; /* of its next event; UINT64_MAX: none yet */
    uint64_t mine;
    sketched op;
} followed;

typedef struct gather {
    registers r;
    values *values;
    object *o; /* NULL: no client has come yet */
    checker *check;
    checker_options options;
    char object[512], init[256];
    followed *client;
    uint32_t clients;
    uint64_t frontier, returned, events;
    verdict verdict;
    char reason[520];
} gather;

bool gather_open(gather *g, const char *replicas, const char *key, double seconds, const checker_options *options,
                 error *e);
/* False: a majority did not answer, with the error set. Else the number of events that were judged. */
bool gather_round(gather *g, uint64_t *events, error *e);
uint32_t gather_here(const gather *g); /* clients that have come and not left */
uint64_t gather_pending(const gather *g);
void gather_close(gather *g);

#endif
