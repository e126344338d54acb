/* From the logs of many threads to one order of events, while they are written: X(tau) of the paper, built
 * incrementally.
 *
 * A round is: take a cut from the clock; read what has been published; hand on, in the order of their keys, all events
 * up to the cut's limit; clamp. Clamping: an event that is published later but has a key below the limit of an earlier
 * round gets that limit as its key. It was not visible after the cut, hence
 *     - a call: the object is entered after the cut, so the interval still holds what the object does;
 *     - a return: the caller sees it after the cut, so the interval stays inside what the caller sees.
 * So the order is final, nothing is waited for, nothing is lost: interval of A within X within interval of A*. */
#ifndef PLUMB_RUNTIME_SKETCH_H
#define PLUMB_RUNTIME_SKETCH_H

#include "runtime/record/readers.h"

typedef struct sketched {                /* an operation, as the receiver of events sees it */
    uint64_t arg[HISTORY_MAX_ARGS], res; /* words; LOG_HANDLE: a value of `values` */
    uint64_t call, ret;                  /* keys, clamped */
    uint64_t *mine;                      /* for the receiver of events */
    uint32_t client;
    uint8_t method, nargs, outcome;
    bool stale; /* open when the sketch was begun again */
    /* was open for so long that what it returned was not looked at: the receiver of events sets it */
    bool late;
} sketched;

enum { LOG_HANDLE = 3 }; /* the tag of words that are handles */

typedef struct sketch_sink {
    void *context;
    void (*call)(void *context, sketched *op);
    void (*ret)(void *context, sketched *op); /* with its outcome */
} sketch_sink;

typedef struct log_cursor { /* one slot's log, as one reader sees it */
    const log_chunk *chunk;
    const uint64_t *record;   /* the operation that is open, or comes next */
    uint64_t place, behind;   /* behind: the place behind the call's records, once it is open */
    uint64_t announced, done; /* as of this round */
    uint64_t key;             /* of its next event, times 2, plus one for a return; UINT64_MAX: none yet */
    uint64_t word;            /* of its next event: stamp and shape, or stamp and outcome */
    /* key of the return, when its next event is a call of an operation that can be handed on as a whole; or
     * UINT64_MAX */
    uint64_t whole;
    uint64_t mine;
    bool open; /* its call was handed on */
    sketched op;
} log_cursor;

typedef struct sketch {
    recording *m;
    values *values; /* where values that are no words go; the caller's */
    sketch_sink sink;
    /* Records of n operations of one thread, calls and returns with nothing in between, for the sink's context: of
     * words only, all have returned. It takes the first ones, so many as it returns; what follows it wants as a call
     * and a return. May be NULL. */
    uint32_t (*whole)(void *context, const uint64_t *record, uint32_t n);
    uint32_t run;       /* so many of them were taken at once */
    log_cursor *cursor; /* by slot */
    uint64_t cursors;   /* slots in use */
    uint64_t frontier;  /* nothing comes with a key below this any more */
    uint64_t events;
    uint64_t call_late, return_late; /* with this clock: what a key is more than twice its stamp */
    uint32_t methods;
    uint64_t last_key; /* of the last event that was handed on */
    snapshot_scanner scanner;
    uint32_t seat; /* of the one who reads, where its place is published (readers.h) */
    bool member;   /* reads for a member of a guard: what it looks for is visible without a barrier */
    bool ended;    /* the recorded program has ended: all is visible */
    bool unread;   /* the last round read nothing: what was recorded cannot be told from what is not visible */
    bool damaged;  /* a record is not what it should be: another program's memory may hold anything */
} sketch;

void sketch_init(sketch *s, recording *m, values *v, const sketch_sink *sink);
void sketch_free(sketch *s);

uint64_t sketch_round(sketch *s); /* returns the number of events handed on */
/* The same for the only thread there ever was (TICKET), which stands behind place `next` and has just returned: there
 * is its operation, whose record is not handed on but given to the caller, and nothing else. NULL: it is not as simple
 * as that, and nothing was done. */
const uint64_t *sketch_round_alone(sketch *s, uint64_t next);
uint64_t sketch_behind(const sketch *s); /* records that are announced and were not handed on yet */
sketched *sketch_decode_plain(sketch *s, const uint64_t *record); /* that record, as the first slot's operation */
void sketch_publish(sketch *s);                                   /* tells the writers what has been read */
void sketch_enter_again(sketch *s); /* at the seat's place: all that was read is forgotten */
/* What is open now is stale from here on: the one who takes the events forgets all it knows. Open is also what was
 * announced and not handed on yet: it may have begun long ago. */
void sketch_restart(sketch *s, void (*stale)(void *context, sketched *op));

#endif
