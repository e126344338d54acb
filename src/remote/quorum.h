/* Asking all replicas and going on when a majority has answered: the others may be slow, or dead. Nothing waits for
 * longer than the time that was given. */
#ifndef PLUMB_REMOTE_QUORUM_H
#define PLUMB_REMOTE_QUORUM_H

#include "remote/sealing.h"
#include "remote/socket.h"
#include "remote/wire.h"

enum { QUORUM_MOST = 7 };
#define QUORUM_LONGEST 5.0 /* seconds: no answer counts for longer; see STORE_RIPE_SECONDS */

typedef struct peer {
    struct sockaddr_in address;
    int fd; /* -1: not connected */
    bool connected, answered;
    bool aside;           /* it has answered, and that does not count */
    bool changed;         /* it was started again, and has forgotten what it knew: it is dead for us */
    uint64_t incarnation; /* 0: not known yet */
    double tried;         /* when we last tried to connect */
    text in, out;
} peer;

typedef struct quorum {
    peer peer[QUORUM_MOST];
    uint32_t n;
    uint64_t ticket;
    double seconds; /* for each question, at most */
    sealing key;
} quorum;

static inline uint32_t quorum_majority(const quorum *q) { return q->n / 2 + 1; }

/* "127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003": an odd number of them; elsewhere than here only with a key (a
 * file). */
bool quorum_open(quorum *q, const char *replicas, const char *key, double seconds, error *e);
void quorum_close(quorum *q);
void quorum_disconnect(quorum *q); /* the same when its memory is gone already */

typedef enum heard {
    HEARD_ANSWER,   /* this replica has answered the question */
    HEARD_MORE,     /* something else was asked (quorum_say), and its answer counts */
    HEARD_ASIDE,    /* it has answered, and does not count */
    HEARD_NONSENSE, /* it is not listened to any more */
    HEARD_REFUSAL   /* the question is hopeless: the error is set */
} heard;

typedef struct question {
    void *context;
    const text *frame; /* begins with QUORUM_TICKET as its ticket, see quorum_ticket */
    heard (*hear)(void *context, uint32_t from, enum wire_kind kind, wire_reader body, error *e);
    uint32_t needed; /* answers */
    uint32_t only;   /* a set of replicas, by bit; 0: all */
} question;

uint64_t quorum_ticket(quorum *q); /* of the next question */
bool quorum_ask(quorum *q, const question *what, error *e);
void quorum_say(quorum *q, uint32_t to, const text *frame);
/* Is this the replica that we know, or one that has caught up or will? To be asked with every incarnation and standing
 * that it names. */
bool quorum_knows(quorum *q, uint32_t which, uint64_t incarnation, uint64_t standing);

#endif
