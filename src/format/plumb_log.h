/* plumb-log: what the recorder (runtime/record/recorder.h) writes, in memory or in a file that is mapped into it.
 *
 *     header      object, methods, the shared counters          LOG_HEADER bytes
 *     slots       one for each thread that is here              `slots` times sizeof(log_slot)
 *     chunks      records, in the order they were given out     from `chunks_at` on, LOG_CHUNK_BYTES each
 *
 * A slot's log is a list of chunks. Places in it are counted through all of its chunks: place p is record p % 1024 of
 * chunk number p / 1024; the first two records of a chunk are its header. A record is four words:
 *
 *     argument | result | call stamp * 256 + shape | return stamp * 256 + outcome
 *
 * shape: method (5 bits), number of arguments (2 bits); LOG_BLOCK: the arguments are in a block behind the record.
 * Outcome: returned, failed, unknown. LOG_BLOCK there: the result is in a block, `result` is its place.
 * A block: its length in records, then words; values that are no words are LOG_REFERENCE to a word of the block: kind
 * and size, then the integer, the bytes, or the item words. LOG_FILLER as method: nothing more in this chunk.
 *
 * Checksums, of logs in files: the header's of all that does not change; a chunk's (with how many records it covers)
 * when its writer goes on to the next one, or leaves; a slot's when its owner leaves. What a program that was killed
 * had not closed has none.
 *
 * Cursors (one writer each): the operation whose record is at place p has been called iff announced > p; it has
 * returned iff done > p and there is an outcome. */
#ifndef PLUMB_FORMAT_PLUMB_LOG_H
#define PLUMB_FORMAT_PLUMB_LOG_H

#include "format/format.h"

#include <plumbline/record.h>

#include <stdalign.h>

#define LOG_MAGIC "PLUMBLOG"
enum {
    LOG_VERSION = 4,
    LOG_SHRINKS = 4, /* from this version on samples may become smaller: `sampled` */
    LOG_OLDEST = 2,  /* version that is still read: without checksums */
    LOG_HEADER = 8192,
    LOG_CHUNK_RECORDS = 1024, /* with the two that are the header */
    LOG_FIRST = 2,            /* the first record of a chunk */
    LOG_CHUNK_WORDS = 4 * LOG_CHUNK_RECORDS,
    LOG_CHUNK_BYTES = 8 * LOG_CHUNK_WORDS,
    LOG_METHODS = 31,
    LOG_METHOD_NAME = 64,
    LOG_MAX_SLOTS = 4096,
    LOG_READERS = 4,                       /* verifiers at once, of a ring */
    LOG_MAX_DEPTH = 32,                    /* of tuples in tuples */
    LOG_MAX_BLOCK = LOG_CHUNK_RECORDS - 8, /* records: an operation and its arguments fit into one chunk */
};

enum log_shape { LOG_METHOD = 31, LOG_ARGUMENTS = 3 << 5, LOG_BLOCK = 1 << 7, LOG_FILLER = 31 };
enum log_outcome { LOG_PENDING, LOG_RETURNED = PLUMB_RETURNED, LOG_FAILED, LOG_UNKNOWN };
enum log_word { LOG_INT, LOG_CONSTANT, LOG_REFERENCE };
#define LOG_CONSTANTS 6
#define LOG_SHARED UINT64_MAX

typedef struct log_reader { /* a seat for one who reads a ring (runtime/record/readers.h) */
    uint64_t process;       /* the owner's id; 0: the seat is free */
    uint64_t epoch;         /* odd: what it has not read stays */
    uint64_t ghosts;        /* operations it has read of that never returned, and those of whom it followed */
    uint64_t patience;      /* microseconds that a writer without room waits for it before it goes on without */
} log_reader;

typedef struct log_tail {
    uint64_t place; /* records before this place have been read */
    uint64_t chunk; /* that place is in this one, or right behind */
} log_tail;

/* Threads that found no slot, and forked processes: their operations are not recorded, and that is known. */
typedef struct log_outsiders {
    uint64_t threads; /* that have come */
    uint64_t open;    /* operations in progress */
    uint64_t calls;   /* operations so far */
    uint64_t ghosts;  /* of those, the ones that never returned */
    uint64_t since;   /* log_since when the first one began, or earlier; 0: never */
} log_outsiders;

/* ---- durable logs (version 4): what is read after the machine has stopped ----
 * A sync writes the records, then marks in all slots, then one entry of the header, each on the disk before the next
 * (src/runtime/record/durable.c). Marks and entries of even and odd generations take turns: the last entry that is
 * whole has all it needs. Operations with keys up to its `cut` are whole up to the marks; what had not returned is
 * pending. */
typedef struct log_mark {
    uint64_t generation;
    uint64_t announced, done; /* the cursors */
    uint64_t sum;             /* log_mark_sum: of these, and of the records of the last chunk that had returned */
} log_mark;

typedef struct log_synced {
    uint64_t generation, cut, used; /* used: slots that have marks */
    uint64_t check;                 /* log_synced_sum */
} log_synced;

enum log_misuse { LOG_USED_RIGHT, LOG_MISUSE_BEING_TOLD, LOG_MISUSED };
enum { LOG_MISUSE_TEXT = 240 };

typedef struct log_header {
    char magic[8];
    uint32_t version, slots, clock, ring;
    uint64_t chunks_at, chunk_limit;
    uint32_t methods, process;
    char object[512], init[256]; /* init: "" none, else a colon and the text */
    char method[LOG_METHODS][LOG_METHOD_NAME];
    alignas(128) uint64_t ticket; /* TICKET: the clock, unless a thread is alone */
    alignas(128) uint64_t chunks; /* given out */
    uint64_t used;                /* slots that were ever used: those before this one */
    /* TICKET: 0 no thread has joined yet; LOG_SHARED; else the slot, plus one, that alone counts the clock */
    uint64_t holder;
    uint64_t barriers;               /* stores become visible by a barrier of the reader */
    alignas(128) uint64_t want_dark; /* the verifier cannot keep up: no thread need record */
    alignas(128) log_reader reader[LOG_READERS];
    alignas(128) log_outsiders outsiders;
    /* The system refused the barrier to a reader or to a thread that joined: writers fence what they announce from
     * their next slow call on, and say so in their slots. */
    uint64_t refused;
    uint64_t pid_namespace; /* of process ids, that `process` is in: its inode; 0: not known */
    uint64_t locked;        /* the process holds a lock on the file as long as it runs */
    uint64_t misused;       /* enum log_misuse: what is recorded from then on says nothing, `misuse` says why */
    char misuse[LOG_MISUSE_TEXT];
    uint64_t check;  /* log_header_sum */
    uint64_t sample; /* one of so many keys or values is here; 0: all */
    /* From version 4 on: first arguments whose hash (log_sample_hash) is at most this are in the sample. Those of
     * others may be here, of a time when the sample was larger: readers leave them out. 0: all are in it. */
    uint64_t sampled;
    uint64_t durable;     /* not 0: the run of the machine that it was made in (base/boot.h), or 1 */
    uint64_t closed;      /* no thread records any more, and all is on the disk */
    log_synced synced[2]; /* by generation % 2 */
} log_header;

typedef struct log_slot {
    alignas(64) uint64_t announced; /* the owner's */
    log_mark even;                  /* of the last sync with an even generation */
    alignas(64) uint64_t done;      /* the owner's */
    uint64_t rank;                  /* SNAPSHOT: of its last finished scan */
    uint64_t
        alone; /* TICKET: no other thread records, and `done` is the clock; cleared by the next thread that joins */
    log_mark odd;
    alignas(64) log_tail tail[LOG_READERS]; /* each reader's */
    alignas(64) uint64_t dark;              /* the owner's: odd while it does not record */
    uint64_t dark_since;                    /* log_since when it first did not; 0: never */
    uint64_t lost;                          /* operations that were not recorded */
    uint64_t ghosts;                        /* of those, the ones that never returned */
    uint64_t first;                         /* its first chunk, plus one; 0: none */
    uint64_t last;                          /* its last chunk, plus one */
    uint64_t owned, recycled;               /* chunks it has; how often one was used again */
    uint64_t tags;                          /* given out */
    uint32_t taken;                         /* slot in use */
    uint32_t fenced;                        /* what its owners announce is visible without a barrier */
    uint64_t check;                         /* log_slot_sum, when its owner has left; 0: in use, or never was */
} log_slot;

typedef struct log_chunk {
    uint64_t slot; /* its slot plus one; 0: not given out */
    uint64_t sequence;
    uint64_t next;         /* chunk that follows, plus one */
    uint64_t covered, sum; /* log_chunk_sum of so many records, the header's two included; 0: not closed yet */
    uint64_t unused[3];
    uint64_t record[LOG_CHUNK_WORDS - 8];
} log_chunk;

_Static_assert(sizeof(log_chunk) == LOG_CHUNK_BYTES, "a chunk");
_Static_assert(sizeof(log_header) <= LOG_HEADER, "the header");
_Static_assert(sizeof(log_slot) == 320, "a slot, of all versions");
_Static_assert(offsetof(log_slot, announced) == offsetof(plumb_shared, announced) &&
                   offsetof(log_slot, done) == offsetof(plumb_shared, done) &&
                   offsetof(log_slot, rank) == offsetof(plumb_shared, rank) &&
                   offsetof(log_slot, alone) == offsetof(plumb_shared, alone),
               "what a log shows of its slot");

static inline uint64_t log_chunks_at(uint32_t slots) {
    return (LOG_HEADER + slots * sizeof(log_slot) + 4095) / 4096 * 4096;
}

/* ---- checksums: one flipped bit always changes them ---- */

#define LOG_SUM_STEP(sum, word) (((sum) ^ (word)) * UINT64_C(0x9e3779b97f4a7c15))
enum { LOG_LANES = 8 };

/* Never 0. Lanes side by side: a multiplication takes longer than a word to come. */
static inline uint64_t log_sum(uint64_t seed, const uint64_t *word, size_t n) {
    uint64_t lane[LOG_LANES] = {seed, 1, 2, 3, 4, 5, 6, 7}, sum = n;
    size_t i = 0;
    for (; i + LOG_LANES <= n; i += LOG_LANES)
        for (unsigned k = 0; k < LOG_LANES; k++) lane[k] = LOG_SUM_STEP(lane[k], word[i + k]);
    for (; i < n; i++) lane[i % LOG_LANES] = LOG_SUM_STEP(lane[i % LOG_LANES], word[i]);
    for (unsigned k = 0; k < LOG_LANES; k++) sum = LOG_SUM_STEP(sum ^ sum >> 32, lane[k] ^ lane[k] >> 32);
    return sum ? sum : 1;
}

static inline uint64_t log_chunk_sum(const log_chunk *c, uint64_t covered) {
    uint64_t seed = LOG_SUM_STEP(LOG_SUM_STEP(covered, c->slot), c->sequence);
    return log_sum(seed, c->record, 4 * (covered - LOG_FIRST));
}

static inline uint64_t log_slot_sum(const log_slot *s) {
    const uint64_t word[] = {s->announced, s->done,  s->dark, s->dark_since, s->lost,
                             s->ghosts,    s->first, s->last, s->owned,      s->recycled};
    return log_sum(0, word, sizeof word / sizeof *word);
}

static inline log_mark *log_mark_at(log_slot *s, uint64_t generation) { return generation % 2 ? &s->odd : &s->even; }

/* `c`: where the last record that has returned is; NULL: none has. */
static inline uint64_t log_mark_sum(const log_mark *m, const log_chunk *c) {
    const uint64_t word[] = {m->generation, m->announced, m->done,
                             c ? log_chunk_sum(c, (m->done - 1) % LOG_CHUNK_RECORDS + 1) : 0};
    return log_sum(1, word, sizeof word / sizeof *word);
}

/* Pages that were not synced may be missing. `boot`: boot_identity. */
static inline bool log_is_of_another_run(const log_header *h, uint64_t boot) {
    return h->version >= LOG_SHRINKS && h->durable && !h->closed && h->durable != (boot | 1);
}

static inline uint64_t log_synced_sum(const log_synced *s) {
    const uint64_t word[] = {s->generation, s->cut, s->used};
    return log_sum(2, word, sizeof word / sizeof *word);
}

/* Of what is written when the log is made, but for the magic. */
static inline uint64_t log_header_sum(const log_header *h) {
    return log_sum(0, (const uint64_t *)(const void *)h + 1, offsetof(log_header, ticket) / 8 - 1);
}

/* ---- time: events are ordered by key; at equal keys, and only there, calls come first ----
 * TICKET, SNAPSHOT: an operation that returned with stamp r is before one that was called with stamp a iff r <= a.
 * TSC: iff r < a. */
static inline uint64_t log_call_key(uint32_t clock, uint64_t word) {
    uint64_t stamp = word >> PLUMB_STAMP_SHIFT;
    return clock == PLUMB_CLOCK_TSC ? 2 * stamp : 2 * stamp + 1;
}
static inline uint64_t log_return_key(uint32_t clock, uint64_t word) {
    uint64_t stamp = word >> PLUMB_STAMP_SHIFT;
    return clock == PLUMB_CLOCK_TSC ? 2 * stamp + 1 : 2 * stamp;
}

/* Whatever happens after this stamp was taken has at least this key, with every clock: a return, too, which with
 * SNAPSHOT can have the same stamp when no thread has announced anything in between. Never 0. */
static inline uint64_t log_since(uint64_t stamp) { return stamp ? 2 * stamp : 1; }

/* What the owner of a log and its readers touch at the same time: one of the cursors says what is whole. */
static inline uint64_t log_load(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static inline void log_store(uint64_t *p, uint64_t v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }

/* A word as a value of the house. Words that refer are looked up in the block (`words` of them); a block that does not
 * hold what it should gives VALUE_NONE and *bad. */
value log_value(values *t, uint64_t word, const uint64_t *block, size_t words, bool *bad);

/* Where in the sample a value is: as the recorder has it. */
uint64_t log_sample_hash(const values *t, value v);

static inline uint64_t log_sampled(const log_header *h) {
    uint64_t to = h->version >= LOG_SHRINKS ? __atomic_load_n(&h->sampled, __ATOMIC_SEQ_CST) : 0;
    return to ? to : UINT64_MAX;
}

bool plumb_log_write(const history *h, const object *o, output *out, error *e); /* plumb_log_write.c */

#endif
