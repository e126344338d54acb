/* A history: operations with the order "a returned before b was called".
 *
 * Columns, not records: an engine touches only what it needs. Operations are stored in the order of their calls.
 * Time is a rank: the events (calls and returns) of the whole history are numbered 0, 1, 2, ... in the order of their
 * stamps, calls before returns where stamps are equal, so that equal stamps mean "overlapping" and
 *
 *     a happens before b   iff   ret[a] < call[b].
 *
 * A client's own operations keep their order at equal stamps: its return comes before its next call, and both between
 * the calls and the returns of the others. No numbering does that for several clients at one stamp; then one of them
 * keeps its order, and the others' are `tied`: they overlap, and what is found must be held against them.
 *
 * A history is made by a builder (builder.h), bound to an object (object/object.h), and read-only from then on. */
#ifndef PLUMB_HISTORY_HISTORY_H
#define PLUMB_HISTORY_HISTORY_H

#include "history/value.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANK_NEVER UINT32_MAX  /* the return of a pending operation */
enum { HISTORY_MAX_ARGS = 3 }; /* more than these are one tuple in arg[0] */

/* Time stamps as the file had them, narrowed to 32 bits from `base` when they fit. */
typedef struct stamps {
    int64_t base;
    uint32_t *narrow;
    int64_t *wide;
} stamps;

typedef struct annotation { /* something that is not an operation: a fault, a phase */
    uint32_t before;        /* the rank of the first event after it */
    value text;
    bool timed, lasts; /* the file says when it was, until when it lasted */
    int64_t time, until;
} annotation;

typedef enum history_clock {               /* what call_time and ret_time are */
                             CLOCK_STAMPS, /* the order of the events, with ties as above */
                             CLOCK_SHOWN,  /* times for those who read reports: the order is that of the ranks alone */
                             CLOCK_EVENTS  /* numbers of events in a longer history, of which this is a part */
} history_clock;

typedef struct history {
    uint32_t n;                   /* operations */
    uint32_t events;              /* calls and returns: ranks are below this */
    uint32_t *call;               /* rank of the call: ascending */
    uint32_t *ret;                /* rank of the return, or RANK_NEVER */
    uint32_t *client;             /* index into client_name; NULL: every operation has a client of its own */
    uint8_t *method;              /* index into method_name; after binding: of the object's methods */
    uint8_t *nargs;               /* number of arguments */
    value *arg[HISTORY_MAX_ARGS]; /* columns that no operation uses are NULL, meaning VALUE_NONE throughout */
    value *key;                   /* NULL: the history is not keyed */
    value *res;                   /* VALUE_UNKNOWN exactly when pending */
    uint32_t *line;               /* line of the call in the file, for messages; may be NULL */
    bool keep_lines;              /* also when it is bound to an object: reports will name them */
    uint32_t *number;             /* the operation's number in the file; NULL: its index */

    values *values;
    bool values_shared; /* the table belongs to another history */
    uint32_t clients;
    value *client_name;
    char **method_name;
    uint32_t *method_line; /* line where the method was first seen */
    unsigned methods;
    stamps call_time, ret_time; /* both empty when file order is the only clock */
    history_clock clock;
    int64_t tick; /* nanoseconds in one unit of the times, counted from the start of the run; 0: not known */

    uint32_t (*tied)[2]; /* operations of one client, the first returned when the second was called; overlapping */
    uint32_t ties;

    annotation *annotation;
    uint32_t annotations;
    char *object_hint; /* what the file says its object is, or NULL */
    char *init_hint;   /* what the file says its initial value is, or NULL */
    char *lacks;       /* why a linearizable history says nothing of what happened, or NULL: all of it is here */
    uint32_t sample;   /* one of so many keys or values is here; 0: all */
    uint32_t pending;  /* operations without a return */
    uint32_t failed;   /* operations that certainly did not happen: dropped */
    uint32_t reused;   /* operations continued under a fresh client after a pending one */
} history;

/* One operation gathered from the columns: what an object's step sees. */
typedef struct operation {
    uint32_t index;
    uint32_t call, ret;
    uint32_t client;
    uint8_t method;
    uint8_t nargs;
    value key;
    value arg[HISTORY_MAX_ARGS];
    value res;
} operation;

void history_free(history *h);
/* The initial value with which it is judged: the given one, else the file's own, unless `object` is another one than
 * the file's. NULL: none. */
const char *history_init(const history *h, const char *object, const char *given);
static inline uint32_t history_client(const history *h, uint32_t i) { return h->client ? h->client[i] : i; }

static inline void history_operation(const history *h, uint32_t i, operation *out) {
    out->index = i;
    out->call = h->call[i];
    out->ret = h->ret[i];
    out->client = history_client(h, i);
    out->method = h->method[i];
    out->nargs = h->nargs[i];
    out->key = h->key ? h->key[i] : VALUE_NONE;
    for (unsigned a = 0; a < HISTORY_MAX_ARGS; a++) out->arg[a] = h->arg[a] ? h->arg[a][i] : VALUE_NONE;
    out->res = h->res[i];
}

value history_client_name(const history *h, uint32_t i); /* of operation i */
uint32_t history_number(const history *h, uint32_t i);
bool history_has_times(const history *h);
/* As people read it: 12.250 ms, 3.204511 s where the unit is known, else the number. */
void history_print_time(const history *h, int64_t time, text *out);
int64_t history_call_time(const history *h, uint32_t i); /* the rank when the file has no stamps */
int64_t history_ret_time(const history *h, uint32_t i);  /* not of a pending operation */
/* For writers: only stamps that say the order of the events; otherwise ranks. */
bool history_has_stamps(const history *h);
int64_t history_call_stamp(const history *h, uint32_t i);
int64_t history_ret_stamp(const history *h, uint32_t i);
/* Are times of operations times, or numbers of events? */
bool history_times_are_events(const history *h);

static inline bool history_pending(const history *h, uint32_t i) { return h->ret[i] == RANK_NEVER; }
static inline bool history_before(const history *h, uint32_t a, uint32_t b) { return h->ret[a] < h->call[b]; }

/* Of a history without operations: why there was nothing to judge, for a verdict that is none. What is only pending was
 * judged: it has operations, whose arguments were checked, and which may not have happened. */
void history_say_nothing_judged(const history *h, char *out, size_t room);

/* A new history of the chosen operations (ascending indices), cut after the event of rank `cut`: what is called later
 * is left out, what returns later is pending. RANK_NEVER cuts nothing. Values are shared: `h` must outlive the result.
 * `number` refers to the original file. */
history *history_select(const history *h, const uint32_t *op, uint32_t n, uint32_t cut);

#endif
