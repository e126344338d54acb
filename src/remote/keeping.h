/* What a replica keeps on a disk: its incarnation, and every entry that it has taken, in the order in which they
 * came. Written and flushed before the answer leaves: a client that was told "I have it" may rely on it after a
 * crash. A replica that is started again with its file is the same one. One whose file is damaged, or that is told
 * that its file was lost, begins with nothing, as another one, and does not count until it has caught up
 * (registers.h); until then its file says so, too. */
#ifndef PLUMB_REMOTE_KEEPING_H
#define PLUMB_REMOTE_KEEPING_H

#include "base/error.h"
#include "remote/store.h"

#define KEEPING_STANDING UINT32_MAX /* instead of a client: the record says how the replica stands */

typedef struct replica_keeping {
    int fd;       /* -1: nothing is kept */
    text journal; /* records that are not written yet; replica_store adds to it */
} replica_keeping;

typedef enum keeping_start {
    KEEPING_GO_ON, /* where the file is there */
    KEEPING_LOST,  /* as that, but where it is not, it was lost */
    KEEPING_ANEW,  /* whatever is there is forgotten */
} keeping_start;

/* Reads the file, or begins it with the store's incarnation. What is damaged is kept beside it, as FILE.damaged. False:
 * the error says why (65: no such file; 66: cannot open, or another process has it). */
bool keeping_open(replica_keeping *k, const char *path, keeping_start how, replica_store *s, error *e);
bool keeping_flush(replica_keeping *k); /* false: the disk refuses; no answer may leave */
void keeping_close(replica_keeping *k);

/* For the store: one entry was taken. */
void keeping_add(text *journal, uint32_t client, wire_reader entry);
void keeping_add_standing(text *journal, enum wire_standing standing);

#endif
