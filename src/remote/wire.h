/* What replicas and their clients say to each other (replica.h, registers.h), as bytes.
 *
 *     frame     size of the rest (u32), kind (u8), ticket (u64: an answer has that of its question), body
 *     ASK                                                     what do you have?
 *     STATE     incarnation u64, standing u8, n u32, n times: client u32, length u64, calls u64, rank u64
 *     PUT       client u32, from u64, n u32, n entries        these entries of this client's log
 *     HAVE      incarnation u64, standing u8, client u32, length u64       so many are here, without a gap
 *     GET       client u32, from u64
 *     ENTRIES   client u32, from u64, n u32, n entries
 *     JOIN      incarnation u64                               you have all that a majority has: count again (STATE)
 *     WRONG     text
 *
 * An entry is its size (u32) and bytes; the first says what it is:
 *
 *     HELLO     object and initial value (text; u8 before it: 0 none), both with their size (u16)
 *     CALL      rank u64, method (size u8, text), n u8, n values          rank: of the snapshot taken before
 *     (registers.h) RETURN    rank u64, outcome u8 (enum log_outcome), a value
 *     LEAVE
 *
 * Values: a tag, then what it is. Integers are little-endian. Nothing that is read is trusted: a reader that runs past
 * the end, or finds what cannot be, is bad from then on and reads zeros. */
#ifndef PLUMB_REMOTE_WIRE_H
#define PLUMB_REMOTE_WIRE_H

#include "format/plumb_log.h"
#include "history/value.h"

enum wire_kind { WIRE_ASK = 1, WIRE_STATE, WIRE_PUT, WIRE_HAVE, WIRE_GET, WIRE_ENTRIES, WIRE_WRONG, WIRE_JOIN };
/* Of a replica (registers.h): it has all that it ever answered for; it has lost that; and so long ago that no
 * question of then is open; it has caught up. Only the first and the last count. */
enum wire_standing { STANDING_WHOLE, STANDING_LOST, STANDING_RIPE, STANDING_CAUGHT_UP };
enum entry_kind { ENTRY_HELLO = 1, ENTRY_CALL, ENTRY_RETURN, ENTRY_LEAVE };
enum {
    WIRE_HEAD = 4 + 1 + 8,
    WIRE_MOST = 1 << 20,  /* bytes of a frame */
    WIRE_BATCH = 1 << 18, /* bytes of entries that are put into one frame, when there are several */
    WIRE_ENTRY = 1 << 16, /* bytes of an entry, at most */
    WIRE_DEPTH = 8,       /* of tuples in tuples */
    WIRE_CLIENTS = 256,
    WIRE_HANDLE = 3, /* the tag of words that are handles */
};

typedef struct wire_reader {
    const unsigned char *p;
    size_t left;
    bool bad;
} wire_reader;

uint64_t wire_number(wire_reader *r, unsigned bytes);
wire_reader wire_bytes(wire_reader *r, size_t n); /* the next n bytes, as a reader of their own */
static inline bool wire_is_done(const wire_reader *r) { return !r->bad && !r->left; }

void wire_add(text *out, uint64_t number, unsigned bytes);
size_t wire_begin(text *out, enum wire_kind kind, uint64_t ticket); /* returns what wire_end needs */
void wire_end(text *out, size_t begun);
void wire_wrong(text *out, uint64_t ticket, const char *why);

/* A whole frame at the beginning of n bytes: its length; 0: not there yet. `r` gets the body. A size that is too large
 * is bad. */
size_t wire_frame(const void *p, size_t n, enum wire_kind *kind, uint64_t *ticket, wire_reader *r);

/* False: too large, or too deep. */
bool wire_add_value(text *out, const plumb_value *v, unsigned depth);
value wire_value(wire_reader *r, values *t, unsigned depth);

typedef struct wire_entry { /* one that was read */
    enum entry_kind kind;
    uint64_t rank;               /* CALL, RETURN */
    char object[512], init[256]; /* HELLO; init as log_header has it */
    char method[LOG_METHOD_NAME];
    uint64_t arg[HISTORY_MAX_ARGS], res; /* words, as in a log; WIRE_HANDLE: a value of the table */
    uint8_t nargs, outcome;
} wire_entry;

bool wire_read_entry(wire_reader r, values *t, wire_entry *out);
void wire_hello(text *out, const char *name, const char *init);
bool wire_call(text *out, uint64_t rank, const char *name, const plumb_value *arg, size_t args);
bool wire_return(text *out, uint64_t rank, unsigned outcome, const plumb_value *res);

#endif
