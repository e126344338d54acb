/* Recorders and the logs of their threads (plumbline/record.h), as the rest of the runtime sees them. */
#ifndef PLUMB_RUNTIME_RECORDER_H
#define PLUMB_RUNTIME_RECORDER_H

#include "runtime/record/ahead.h"
#include "runtime/record/clock.h"
#include "runtime/record/durable.h"
#include "runtime/record/recorded_object.h"

#include <assert.h>
#include <pthread.h>

typedef struct recording { /* the shared part: one mapping, ours or another program's */
    log_header *header;
    log_slot *slot;
    char *chunks;
    size_t size;
    int fd;    /* -1: memory */
    bool ours; /* made by this process */
    /* record/room.c */
    bool wide;      /* room is taken by the huge page */
    uint64_t taken; /* the last huge page that was, from 1 on */
} recording;

bool recording_is_running(const recording *m); /* the process that records, as far as can be known from here */

/* `ready`: so many chunks, the first ones, have room and pages already. */
bool recording_create(recording *m, const plumb_record_options *options, const object_type *t, uint64_t *ready,
                      error *e);
/* of a program that may be running, or may have ended */
bool recording_attach(recording *m, const char *path, error *e);
void recording_close(recording *m);

static inline log_chunk *recording_chunk(const recording *m, uint64_t number) { /* numbers are from 1 on */
    assert(number >= 1 && number <= m->header->chunk_limit);
    return (log_chunk *)(void *)(m->chunks + (number - 1) * LOG_CHUNK_BYTES);
}

/* The calling thread's log (here.c). Where a process has no more keys, a list by thread ids. */
typedef struct thread_logs {
    pthread_key_t key;
    bool has_key;
    pthread_mutex_t lock;
    struct listed_log *listed;
} thread_logs;

void thread_logs_init(thread_logs *t);
void thread_logs_free(thread_logs *t);

struct plumb_recorder {
    error error;
    recording shared;
    recorded_object object;
    bool no_fence;
    bool by_key;   /* keys may leave the sample, or the recording: kv, set */
    bool by_value; /* a sample of values is recorded */
    pid_t process; /* that opened it: others, forked from it, record nothing */
    thread_logs here;
    page_ahead ahead;
    durable_log durable;
};

/* One thread's. Other clocks than TICKET leave fast.end == 0 and come here with every call and return. */
typedef struct log_writer {
    plumb_log fast; /* first: a plumb_log is one of these */
    uint64_t next;  /* place of the next record, while this part is at work: the fast part goes on without it */
    plumb_recorder *r;
    log_slot *slot;
    log_chunk *chunk; /* that it writes; NULL: none yet */
    uint32_t number;  /* of the slot */
    uint32_t clock;
    plumb_word *record; /* the open call's, if it is recorded and the fast part cannot complete it */
    bool forked;        /* made anew in a forked process, where its pages are zero */
    bool outsider;      /* has no slot in the recording, but `slot` of its own: no call is recorded (outsiders.h) */
    uint32_t waits;     /* the disk was full: so many operations more before room is asked for again */
    /* A member's of a guard (guard.c): calls and returns are visible before anything that follows; who has read a chunk
     * up to this place, and, when asked to, does without those who have not; how many chunks it may have. */
    bool guarded;
    bool (*passed)(void *context, uint32_t slot, uint64_t place, bool force);
    void *context;
    uint64_t quota;
    bool extra;    /* may have more, as long as there is enough for the others */
    bool by_value; /* the sample is one of values: returns are looked at, too */
    bool takes;    /* with a sample of values: the open call may return one that is not in it */
    snapshot_scanner scanner;
} log_writer;

/* What is stored is visible before anything that follows is looked at; by a plain store, as long as no other thread
 * records. */
static inline void make_visible(const log_writer *w, uint64_t *where, uint64_t what) {
    if (__builtin_expect(plumb_is_alone(w->fast.shared), 1)) {
        __atomic_store_n(where, what, __ATOMIC_RELEASE);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (plumb_is_alone(w->fast.shared)) return; /* asked again: another thread may have joined */
    }
    __atomic_store_n(where, what, __ATOMIC_SEQ_CST);
    AFTER_EXCHANGE();
}

/* As plumb_call_tagged, for members of a guard. */
static inline void guarded_call_word(log_writer *w, int which, unsigned args, plumb_word arg) {
    uint64_t announced = plumb_call_written(&w->fast, w->fast.shared, which, args, arg);
    if (__builtin_expect(announced != 0, 1)) make_visible(w, &w->slot->announced, announced);
    else plumb_call_word_slowly(&w->fast, which, args, arg);
}

/* False. What is recorded says nothing any more: the first message stays. Aborts when PLUMB_ABORT_ON_MISUSE is 1. */
bool record_misuse(const recording *m, const char *format, ...) TEXT_FORMAT(2, 3);
const char *recording_misuse(const recording *m); /* NULL: none. Another program's memory: ends in the buffer */
/* Of a structure that begins with its size; NULL: the standard options. */
bool options_have_size(const void *options, const char *call, error *e);
bool status_has_size(const void *status, const char *call, error *e); /* NULL is misuse, too */
/* Misuse of any other handle: aborts when asked to, else sets the error. `e` NULL: there is no handle that could keep
 * it. Returns false. */
bool call_misuse(error *e, const char *how, ...) TEXT_FORMAT(2, 3);

/* NULL, for a thread without memory for a log: it may do anything at any time from now on, and that is known. */
plumb_log *record_without_memory(plumb_recorder *r);
void record_revive(log_writer *w);  /* in a forked process: as one without a slot */
void record_abandon(log_writer *w); /* an operation that is open stays open for ever */
/* As plumb_record_join; NULL: no slot is free, or there is no memory. */
plumb_log *record_join_slot(plumb_recorder *r);

/* Words from values, those that are no words with their parts into a block. */
typedef struct block_writer {
    uint64_t *at; /* NULL: only measures */
    size_t words; /* so far: begins with 1, the length */
} block_writer;

int64_t wide_word_int(plumb_word word); /* of a word that is not plain: plumb_wide_word's inverse */
bool value_fits_word(const plumb_value *v);
bool value_is_recordable(const plumb_value *v); /* none that a log has no form for */
plumb_word value_word(const plumb_value *v);
plumb_word block_value(block_writer *b, const plumb_value *v);

/* As evidence/compact.c digests the same values when it finds them in a history. */
uint64_t digest_of_word(uint64_t digest, plumb_word word);
uint64_t digest_of_value(uint64_t digest, const plumb_value *v);

#endif
