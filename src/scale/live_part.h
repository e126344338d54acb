/* One part of a stream that is judged while it grows, by one monitor at a time: who that is, and how far it came, is a
 * key of the cluster.
 *
 *     monitors.NAME.PART   of what it is, owner, events judged, the checkpoint (contents, remote/blobs.h), the verdict
 *
 * Who has the key last with compare-and-set is the owner. An owner that is not heard of for ALIVE_SECONDS is followed
 * by another one, which takes up its checkpoint and reads the stream again from its beginning; what the checkpoint has
 * seen is passed by. One that was only slow finds out when it wants to save, or to report, and stops without a word:
 * what is reported was judged by the owner, once. */
#ifndef PLUMB_SCALE_LIVE_PART_H
#define PLUMB_SCALE_LIVE_PART_H

#include "base/sha256.h"
#include "remote/publish.h"
#include "scale/cluster.h"

#include <pthread.h>

typedef struct live_settings {
    transport_settings to;
    const char *subject, *name; /* subject: letters, digits, '-', '_', '.'; with NATS also '*' */
    const char *what;           /* object and options: a state of something else is not taken up */
    uint64_t from;              /* the first message that counts; 0, 1: all */
    uint32_t part, parts;
    double idle; /* seconds without an event after which the end is taken for reached; 0: never */
    const _Atomic int *stop;
} live_settings;

typedef struct live_part {
    const live_settings *s;
    cluster c;
    char key[TRANSPORT_NAME], me[80];
    char checkpoint[64]; /* a file */
    uint64_t revision, saved_events;
    char blob[SHA256_HEX]; /* "": none yet */
    int verdict;           /* an exit code; -1: not over */
    int out;               /* the writing end of the pipe */
    pthread_t pump;
    bool pumping;
    _Atomic bool lost; /* another one has it */
    bool empty;        /* at its end: nothing was judged in it */
    error e;           /* of the pump */
} live_part;

/* Waits until the part is to be had. False: the error is set (130: it was told to stop), or the part is over: `verdict`
 * says how. */
bool live_part_open(live_part *p, const live_settings *s, error *e);
/* The lines of the part, from the beginning: a file descriptor to read from. -1: the error is set. */
int live_part_events(live_part *p, error *e);
/* The checkpoint was written, after so many events. False: another one has the part, or the cluster does not answer. */
bool live_part_save(live_part *p, uint64_t events, error *e);
/* It is over, or given up for others (code -1). False: another one has it, and will say. */
bool live_part_end(live_part *p, int code, error *e);
void live_part_close(live_part *p);

#endif
