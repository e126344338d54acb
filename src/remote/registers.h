/* Atomic registers over replicas of which a minority may crash (Attiya, Bar-Noy, Dolev): one for each client, which
 * alone writes it. Its value is the client's log, its time stamp the log's length.
 *
 *     write     send it to all; a majority has it
 *     read      ask all; of what a majority says take the longest; see to it that a majority has that (write-back), so
 *               that no later read finds less
 *
 * A replica that has lost its state does not count, neither for writes nor for reads. Who reads brings it up to what
 * the reading found and lets it count again (docs/proofs/runtime.md): when it lost its state more than QUORUM_LONGEST
 * ago, so that no answer it gave before is still counted, and the reading began after that was known.
 *
 * And from these an atomic snapshot of how much all have announced, as runtime/record/clock.h has one from memory: all
 * registers are read again and again until two readings are the same; or another client has announced twice meanwhile:
 * then the snapshot that it took for its second announcement was taken while we looked, and is ours. The sum is the
 * rank. */
#ifndef PLUMB_REMOTE_REGISTERS_H
#define PLUMB_REMOTE_REGISTERS_H

#include "remote/quorum.h"
#include "remote/store.h"

typedef struct register_reading { /* of one client's register */
    uint32_t client;
    uint64_t length, calls, rank;
    uint64_t at[QUORUM_MOST]; /* its length at each replica that answered */
} register_reading;

typedef struct registers {
    quorum q;
    register_reading *now; /* what was read last, by client */
    uint32_t n;
    uint32_t answered; /* a set of replicas, by bit */
    /* Incarnations that do not count and can be helped: as far as known, and when the last reading began; 0: none. */
    uint64_t lost[QUORUM_MOST], lost_before[QUORUM_MOST];
} registers;

/* key: a file, see sealing.h; NULL: none */
bool registers_open(registers *r, const char *replicas, const char *key, double seconds, error *e);
void registers_close(registers *r);

bool registers_write(registers *r, const stored_log *mine, error *e); /* the whole of it */
bool registers_read(registers *r, error *e);                          /* all of them, into r->now */
bool registers_rank(registers *r, uint64_t *rank, error *e);          /* of an atomic snapshot */
/* Adds to the log what its register holds beyond it; to be asked after it was read. */
bool registers_fetch(registers *r, const register_reading *from, stored_log *to, error *e);

#endif
