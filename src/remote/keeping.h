/* What a replica keeps on a disk: its incarnation, and every entry that it has taken, in the order in which they came.
 * Written and flushed before the answer leaves: a client that was told "I have it" may rely on it after a crash. A
 * replica that is started again with its file is the same one; one whose file is damaged does not start. */
#ifndef PLUMB_REMOTE_KEEPING_H
#define PLUMB_REMOTE_KEEPING_H

#include "base/error.h"
#include "remote/store.h"

typedef struct replica_keeping {
    int fd;       /* -1: nothing is kept */
    text journal; /* records that are not written yet; replica_store adds to it */
} replica_keeping;

/* Reads the file, or begins it with the store's incarnation. False: the error says why (65: damaged; 66: cannot open,
 * or another process has it). */
bool keeping_open(replica_keeping *k, const char *path, replica_store *s, error *e);
bool keeping_flush(replica_keeping *k); /* false: the disk refuses; no answer may leave */
void keeping_close(replica_keeping *k);

/* For the store: one entry was taken. */
void keeping_add(text *journal, uint32_t client, wire_reader entry);

#endif
