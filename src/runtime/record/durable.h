/* What survives that the machine stops. Pages of a mapped file come to the disk in any order: after a sync a log is
 * read as it was at that moment (src/format/plumb_log.h, "durable"), whatever became of the pages that were written
 * later. */
#ifndef PLUMB_RUNTIME_DURABLE_H
#define PLUMB_RUNTIME_DURABLE_H

#include "runtime/record/clock.h"

#include <pthread.h>

struct recording;

typedef struct durable_log {
    pthread_mutex_t lock;
    uint64_t generation;
    uint64_t *chunk; /* by slot: the chunk that its mark was in */
    snapshot_scanner scanner;
} durable_log;

void durable_init(durable_log *d);
void durable_free(durable_log *d);

/* The file is found after a stop of the machine: its name, its size. */
bool durable_begin(const struct recording *m, const char *path, error *e);
/* All that has returned is on the disk, and will be found there; false: the error says why not. */
bool durable_sync(durable_log *d, const struct recording *m, error *e);
/* No thread records any more: all of it is on the disk. */
void durable_close(const struct recording *m);

#endif
