/* Recorders and the logs of their threads (plumbline/record.h), as the rest of the runtime sees them. */
#ifndef PLUMB_RUNTIME_RECORDER_H
#define PLUMB_RUNTIME_RECORDER_H

#include "object/object.h"
#include "runtime/clock.h"

#include <pthread.h>

typedef struct recording { /* the shared part: one mapping, ours or another program's */
    log_header *header;
    log_slot *slot;
    char *chunks;
    size_t size;
    int fd;                /* -1: memory */
} recording;

bool recording_create(recording *m, const plumb_record_options *options, const object *o, error *e);
bool recording_attach(recording *m, const char *path, error *e); /* of a program that may be running, or may have ended */
void recording_close(recording *m);

static inline log_chunk *recording_chunk(const recording *m, uint64_t number) { /* numbers are from 1 on */
    return (log_chunk *)(void *)(m->chunks + (number - 1) * LOG_CHUNK_BYTES);
}

struct plumb_recorder {
    error error;
    recording shared;
    object *o;
    values *values;
    bool no_fence;
    pthread_key_t here;   /* the calling thread's log */
    bool has_key;
};

/* One thread's. While it records, the fast part is complete; other clocks than TICKET leave next == end and come here. */
typedef struct log_writer {
    plumb_log fast;       /* first: a plumb_log is one of these */
    plumb_recorder *r;
    log_slot *slot;
    log_chunk *chunk;     /* that it writes; NULL: none yet */
    uint32_t number;      /* of the slot */
    uint32_t clock;
    plumb_word *record;   /* the open call's, if it is recorded and the fast part knows nothing of it (`slowly`) */
    bool dark, dark_call; /* does not record; the open call is not recorded */
    /* A guard's (guard.c): returns are visible before anything that follows; who has read a chunk up to this place, and, when
     * asked to, does without those who have not; how many chunks it may have. */
    bool publish_strongly;
    bool (*passed)(void *context, uint32_t slot, uint64_t place, bool force);
    void *context;
    uint64_t quota;
    bool extra;           /* may have more, as long as there is enough for the others */
    scanner scanner;
} log_writer;

/* Words from values, those that are no words with their parts into a block. */
typedef struct block_writer {
    uint64_t *at;         /* NULL: only measures */
    size_t words;         /* so far: begins with 1, the length */
} block_writer;

bool value_fits_word(const plumb_value *v);
plumb_word value_word(const plumb_value *v);
plumb_word block_value(block_writer *b, const plumb_value *v);

/* As evidence/compact.c digests the same values when it finds them in a history. */
uint64_t digest_of_word(uint64_t digest, plumb_word word);
uint64_t digest_of_value(uint64_t digest, const plumb_value *v);

#endif
