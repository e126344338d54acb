/* What a replica keeps: of each client the beginning of its log, without a gap. A log grows at its end and nothing in
 * it changes, so it is a register whose time stamp is its length: of two versions the longer one is the later one. */
#ifndef PLUMB_REMOTE_STORE_H
#define PLUMB_REMOTE_STORE_H

#include "remote/wire.h"

#define STORE_RIPE_SECONDS 6.0 /* more than QUORUM_LONGEST */

typedef struct stored_log {
    uint32_t client;
    text bytes;            /* entries, as they were sent, with their sizes */
    size_t *at;            /* where each begins */
    uint64_t base;         /* those before it are not kept */
    uint64_t length, room; /* of the whole log */
    uint64_t calls, rank;  /* CALL entries, and the rank in the last one */
} stored_log;

typedef struct replica_store {
    uint64_t incarnation; /* another one after each start that begins with nothing: what was forgotten is noticed */
    enum wire_standing standing; /* in memory: LOST becomes RIPE by time, see replica_store_age */
    text *journal;               /* gets every entry that is taken (keeping.h); NULL: none does */
    size_t limit, used;          /* bytes */
    stored_log *log;
    uint32_t logs;
} replica_store;

void replica_store_init(replica_store *s, uint64_t incarnation, size_t limit);
void replica_store_free(replica_store *s);
void replica_store_lose(replica_store *s);                /* it must not count until it has caught up */
void replica_store_age(replica_store *s, double seconds); /* so long it has been running */
/* Answers one question, whatever its bytes are; false: it was no question, and the connection is to be closed. */
bool replica_store_answer(replica_store *s, enum wire_kind kind, uint64_t ticket, wire_reader r, text *out);

/* An entry that was kept on a disk, in the order in which they came. False: there is no room for it. */
bool replica_store_restore(replica_store *s, uint32_t client, wire_reader entry);

/* Logs by themselves: gather.h keeps them, too. */
bool stored_append(stored_log *l, wire_reader entry);      /* false: no entry */
wire_reader stored_entry(const stored_log *l, uint64_t i); /* from `base` on, as below */
/* Entries from `from` on, as many as fit into a frame, as PUT and ENTRIES have them. */
void stored_add_entries(const stored_log *l, uint64_t from, uint64_t to, text *out);
void stored_free(stored_log *l);

#endif
