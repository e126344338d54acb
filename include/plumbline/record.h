/* Recording what the threads of a program do to an object, while they do it.
 *
 *     plumb_record_options o = {.struct_size = sizeof o, .object = "queue"};
 *     plumb_recorder *r = plumb_record_open(&o);
 *     int enq = plumb_record_method(r, "enq"), deq = plumb_record_method(r, "deq");
 *     ...                                              // in each thread:
 *     plumb_log *log = plumb_record_join(r);
 *     plumb_call_int(log, enq, 7);  my_enqueue(q, 7);       plumb_ret_none(log);
 *     plumb_call(log, deq, NULL, 0);  v = my_dequeue(q);    plumb_ret_int(log, v);      // or plumb_ret_empty(log)
 *     plumb_record_leave(log);
 *     ...
 *     plumb_record_close(r);
 *
 * Each thread writes a log of its own. A call and a return are wait-free and allocate nothing: a few stores and one
 * ticket from a shared counter. With `path` the logs live in a file that survives the program, however it ends: `plumb
 * check FILE` reads it. Verifiers read the logs while they are written: plumbline/verify.h, `plumb monitor --attach
 * FILE`.
 *
 * When there is no room left, a thread goes dark: its operations are not recorded, and that is known. No thread ever
 * waits. */
#ifndef PLUMBLINE_RECORD_H
#define PLUMBLINE_RECORD_H

#include <plumbline/plumbline.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plumb_recorder plumb_recorder;
typedef struct plumb_log plumb_log; /* one thread's: used by that thread only */

typedef enum plumb_clock {
    PLUMB_CLOCK_TICKET,   /* a shared counter: the standard */
    PLUMB_CLOCK_SNAPSHOT, /* reads and writes only: an atomic snapshot of what all threads have announced */
    /* the processor's time stamp counter: no shared line; refused unless constant and synchronised */
    PLUMB_CLOCK_TSC
} plumb_clock;

typedef struct plumb_record_options {
    size_t struct_size; /* sizeof(plumb_record_options): set it, zero the rest */
    const char *object; /* a name that `plumb objects` lists, or a plug-in's path */
    const char *init;   /* initial value of a register; NULL: none */
    /* the file to record into: made anew; "shm:NAME": memory that others can attach to; NULL: memory */
    const char *path;
    unsigned clock;   /* enum plumb_clock */
    unsigned threads; /* recorded at once, at most; 0: 1024. Any number may come and go. */
    size_t bytes;     /* room for records; 0: 1 GiB, of which only what is used is taken */
    /* use what verifiers have read again: endless runs in bounded memory; the file is no whole history */
    bool ring;
    bool no_fence; /* the object's effects are never plain or release stores: saves a fence (SNAPSHOT, TSC) */
    /* One of so many keys (kv, set) or values (queue, stack, multiset, pqueue-max, pqueue-min) is recorded, chosen by a
     * hash at the call: what happens to the others costs a few nanoseconds and is never judged, so that a verdict is
     * about the sample, and says so. No right object is called wrong for it. 0 or 1: all are. */
    unsigned sample;
    /* with a path, and no ring: what has returned before a plumb_record_sync is there after the machine has stopped */
    bool durable;
} plumb_record_options;

/* Never NULL. When it could not be opened, plumb_record_error says why, and joining gives NULL. */
PLUMB_API plumb_recorder *plumb_record_open(const plumb_record_options *options);
/* NULL: all is well. Also of misuse: a call of a method that there is not, a return without a call. The first one
 * stays, and what was recorded is then not judged any more, by no reader; all calls still return. With
 * PLUMB_ABORT_ON_MISUSE=1 in the environment the program aborts there. */
PLUMB_API const char *plumb_record_error(const plumb_recorder *r);
PLUMB_API int plumb_record_method(const plumb_recorder *r, const char *name); /* -1: the object has no such method */
/* Writes all that has been recorded to the disk, and waits for it: when this returns true, operations that had returned
 * before are read by `plumb check` even if the machine stops now. What comes later may be lost, and is not judged
 * then. By any thread, while others record; they do not wait. False: it cannot be written (or is not `durable`). */
PLUMB_API bool plumb_record_sync(plumb_recorder *r);
PLUMB_API void plumb_record_close(plumb_recorder *r); /* when all threads have left and all verifiers have stopped */

/* A thread comes. When as many are here as the options say, its operations are not recorded, and that is known: dark,
 * as without room. NULL: the recorder could not be opened, or there is no memory, which is known, too. */
PLUMB_API plumb_log *plumb_record_join(plumb_recorder *r);
/* It goes; a call that is open stays open for ever. NULL is allowed here and in all calls below: nothing happens. */
PLUMB_API void plumb_record_leave(plumb_log *log);
/* The calling thread's log, joined on first use and left when the thread ends. Slower: hold on to the pointer. */
PLUMB_API plumb_log *plumb_record_here(plumb_recorder *r);

/* ---- calls and returns: a call while the one before is open leaves that one open for ever ---- */

/* `which`: a method, at most 3 arguments; for kv the key is the first */
PLUMB_API void plumb_call(plumb_log *log, int which, const plumb_value *arg, size_t args);
PLUMB_API void plumb_ret(plumb_log *log, plumb_value result);
PLUMB_API void plumb_ret_fail(plumb_log *log);    /* the call certainly had no effect */
PLUMB_API void plumb_ret_unknown(plumb_log *log); /* it may have one, now or later (a time-out): pending */

/* A number that no other call for this recorder gives: store it beside a value that may repeat, and record the
 * number. */
PLUMB_API int64_t plumb_tag(plumb_log *log);

typedef struct plumb_record_status {
    size_t struct_size;
    uint64_t records; /* written: an operation takes one, or more when its values are no words */
    uint64_t dark;    /* operations that were not recorded, for want of room */
    uint64_t threads; /* here now */
    uint64_t bytes;   /* of records, in use */
} plumb_record_status;
PLUMB_API void plumb_record_look(const plumb_recorder *r, plumb_record_status *out);

/* ---- the fast path, inline; for use are plumb_call_int and the plumb_ret_... functions at the end ---- */

/* A value in one word: an integer of 61 bits times 8, or a constant's number times 8 plus 1. All other words are
 * integers of more bits, which are recorded more slowly, as plumb_call_int and plumb_ret_int record them; 64 integers
 * (from -2^61 on) have no word, and recording one is misuse. */
typedef uint64_t plumb_word;

#define PLUMB_WORD_INT(i) plumb_int_word(i)
#define PLUMB_WORD_TOO_WIDE PLUMB_WORD_CONSTANT(63)
#define PLUMB_WORD_CONSTANT(n) ((plumb_word)(n) << 3 | 1)
#define PLUMB_WORD_NONE PLUMB_WORD_CONSTANT(0)
#define PLUMB_WORD_EMPTY PLUMB_WORD_CONSTANT(1)
#define PLUMB_WORD_FULL PLUMB_WORD_CONSTANT(2)
#define PLUMB_WORD_FALSE PLUMB_WORD_CONSTANT(4)
#define PLUMB_WORD_TRUE PLUMB_WORD_CONSTANT(5)

/* As PLUMB_WORD_INT has it; false: it does not fit. */
static inline bool plumb_word_of_int(int64_t i, plumb_word *word) {
    int64_t eight_times;
    bool fits = !__builtin_mul_overflow(i, INT64_C(8), &eight_times);
    *word = (plumb_word)eight_times;
    return fits;
}
/* Of the eight ways in which the upper three bits can be, six are those of wide integers only: tags 2 to 7. In the
 * other two the next bit tells wide ones from those that fit: tag 1, above the constants. */
static inline plumb_word plumb_wide_word(int64_t i) {
    uint64_t upper = (uint64_t)i >> 61, rest = (uint64_t)i << 3;
    if (upper > 0 && upper < 7) return rest | (upper + 1);
    return rest >> 3 < 64 ? PLUMB_WORD_TOO_WIDE : rest | 1;
}
static inline plumb_word plumb_int_word(int64_t i) {
    plumb_word word;
    return plumb_word_of_int(i, &word) ? word : plumb_wide_word(i);
}
/* An integer that fits or a constant: what the fast path takes. */
static inline bool plumb_word_is_plain(plumb_word word) { return !(word & 7) || (word & ~(plumb_word)0xf8) == 1; }

typedef struct plumb_shared { /* what others read while this thread writes it: each on a line of its own */
    uint64_t announced;       /* records before this one have been called */
    uint64_t apart[7];
    uint64_t done; /* records before this one have returned; the clock of a thread that is alone */
    uint64_t rank;
    uint64_t alone; /* not 0: no other thread records */
} plumb_shared;

struct plumb_log {
    /* the address of record p is this, plus 32 p: four words, argument, result, call stamp and method, return stamp
     * and outcome */
    uintptr_t base;
    uint64_t end; /* records before this place may be written, and completed, without asking; 0: none */
    plumb_shared *shared;
    uint64_t *ticket; /* shared by all threads: the clock, unless a thread is alone */
    /* First arguments whose hash is at most this are recorded; NULL: all are. A verifier may make it smaller. */
    const uint64_t *sample;
    uint32_t methods; /* of the object: numbers below this one */
    uint32_t unseen;  /* enum plumb_unseen: of the open call */
};

/* A call that is open and has no record. */
enum plumb_unseen { PLUMB_SEEN, PLUMB_LEFT_OUT /* of the sample */, PLUMB_DARK };

enum { PLUMB_RECORD_BYTES = 32, PLUMB_STAMP_SHIFT = 8, PLUMB_ONE_ARGUMENT = 1 << 5, PLUMB_RETURNED = 1 };

PLUMB_API void plumb_call_word_slowly(plumb_log *log, int which, unsigned args, plumb_word arg);
PLUMB_API void plumb_ret_word_slowly(plumb_log *log, plumb_word result);

/* What a sample is chosen by: the upper bits tell neighbours apart. */
static inline uint64_t plumb_sample_hash(plumb_word word) { return (word ^ word >> 32) * UINT64_C(0x9e3779b97f4a7c15); }

static inline bool plumb_is_alone(const plumb_shared *s) { return __atomic_load_n(&s->alone, __ATOMIC_RELAXED) != 0; }
static inline uint64_t plumb_announced(const plumb_shared *s) {
    return __atomic_load_n(&s->announced, __ATOMIC_RELAXED);
}
static inline uint64_t plumb_done(const plumb_shared *s) { return __atomic_load_n(&s->done, __ATOMIC_RELAXED); }

/* The clock of a thread that is alone needs no locked instruction: it is the number of what it has done, and a return
 * counts it on when it is published. Why that is right while another thread comes: docs/RUNTIME.md, "Alone". */
static inline uint64_t plumb_clock_at_call(const plumb_log *l, const plumb_shared *s, uint64_t done) {
    if (__builtin_expect(plumb_is_alone(s), 1)) return done;
    return __atomic_load_n(l->ticket, __ATOMIC_SEQ_CST);
}

static inline uint64_t plumb_clock_at_return(const plumb_log *l, const plumb_shared *s, uint64_t done) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* whether it is alone is asked after the object has returned */
    if (__builtin_expect(plumb_is_alone(s), 1)) return done;
    return __atomic_fetch_add(l->ticket, 1, __ATOMIC_SEQ_CST) + 1;
}

static inline plumb_word *plumb_record_at(const plumb_log *l, uint64_t number) {
    return (plumb_word *)(l->base + PLUMB_RECORD_BYTES * number);
}

/* Writes the record of a call that is to be announced by what this returns; 0: not here. While nothing is open, as much
 * is announced as is done, and that is where the next record belongs. `s`, here and below: the log's, looked up once,
 * since to the compiler any store might change it. */
static inline uint64_t plumb_call_written(const plumb_log *l, const plumb_shared *s, int which, unsigned args,
                                          plumb_word arg) {
    uint64_t next;
    plumb_word *r;
    if (__builtin_expect(!s, 0)) return 0; /* in a forked process */
    next = plumb_done(s);
    r = plumb_record_at(l, next);
    if (__builtin_expect(plumb_announced(s) != next || next >= l->end, 0)) return 0;
    if (__builtin_expect((unsigned)which >= l->methods || args > 1 || !plumb_word_is_plain(arg), 0)) return 0;
    __atomic_store_n(&r[0], arg, __ATOMIC_RELAXED);
    __atomic_store_n(&r[2],
                     plumb_clock_at_call(l, s, next) << PLUMB_STAMP_SHIFT | args * PLUMB_ONE_ARGUMENT | (unsigned)which,
                     __ATOMIC_RELAXED);
    return next + 1;
}

/* True: the call is not in the sample, and nothing is done for it. False: it is, or is not as simple as that. */
static inline bool plumb_leaves_out(plumb_log *l, int which, plumb_word key) {
    if (__builtin_expect(plumb_sample_hash(key) <= __atomic_load_n(l->sample, __ATOMIC_RELAXED), 0)) return false;
    if (__builtin_expect(l->unseen == PLUMB_DARK || (unsigned)which >= l->methods || (key & 7), 0)) return false;
    l->unseen = PLUMB_LEFT_OUT;
    return true;
}

/* An operation that only reads could take effect before a reader can know that it was called, if its call were not
 * visible by then. Readers of the logs see to that, with a barrier on all processors between its cut and its look
 * (src/runtime/record/clock.c); where it cannot, `end` is 0. */
static inline void plumb_call_tagged(plumb_log *l, int which, unsigned args, plumb_word arg) {
    plumb_shared *s;
    uint64_t announced;
    if (!l) return;
    s = l->shared;
    if (l->sample) {
        if (args == 1 && plumb_leaves_out(l, which, arg)) return;
        if (l->unseen == PLUMB_LEFT_OUT) l->unseen = PLUMB_SEEN; /* the call before stays open */
    }
    announced = plumb_call_written(l, s, which, args, arg);
    if (__builtin_expect(!announced, 0)) {
        plumb_call_word_slowly(l, which, args, arg);
        return;
    }
    __atomic_store_n(&s->announced, announced, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void plumb_call_word(plumb_log *l, int which, plumb_word arg) { plumb_call_tagged(l, which, 1, arg); }
static inline void plumb_call_none(plumb_log *l, int which) { plumb_call_tagged(l, which, 0, PLUMB_WORD_NONE); }

/* Is a call open that can be completed here? It is the last one that was announced. */
static inline bool plumb_can_complete(const plumb_log *l, const plumb_shared *s, uint64_t announced) {
    return announced > plumb_done(s) && announced <= l->end;
}

static inline void plumb_ret_word(plumb_log *l, plumb_word result) {
    plumb_shared *s;
    uint64_t announced;
    plumb_word *r;
    if (!l) return;
    if (l->unseen == PLUMB_LEFT_OUT) {
        l->unseen = PLUMB_SEEN;
        return;
    }
    s = l->shared;
    announced = s ? plumb_announced(s) : 0;
    if (__builtin_expect(!s || !plumb_can_complete(l, s, announced) || !plumb_word_is_plain(result), 0)) {
        plumb_ret_word_slowly(l, result);
        return;
    }
    r = plumb_record_at(l, announced - 1);
    __atomic_store_n(&r[1], result, __ATOMIC_RELAXED);
    __atomic_store_n(&r[3], plumb_clock_at_return(l, s, announced) << PLUMB_STAMP_SHIFT | PLUMB_RETURNED,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&s->done, announced, __ATOMIC_RELEASE);
}

static inline bool plumb_fits_word(int64_t i) {
    plumb_word word;
    return plumb_word_of_int(i, &word);
}

static inline void plumb_call_int(plumb_log *l, int which, int64_t arg) {
    plumb_word word;
    if (plumb_word_of_int(arg, &word)) {
        plumb_call_word(l, which, word);
    } else {
        plumb_value v = plumb_int(arg);
        plumb_call(l, which, &v, 1);
    }
}
/* Two arguments: a key and its value. */
static inline void plumb_call_key_int(plumb_log *l, int which, int64_t key, int64_t v) {
    plumb_word word;
    plumb_value arg[2];
    if (!l || (l->sample && plumb_word_of_int(key, &word) && plumb_leaves_out(l, which, word))) return;
    arg[0] = plumb_int(key);
    arg[1] = plumb_int(v);
    plumb_call(l, which, arg, 2);
}
static inline void plumb_ret_int(plumb_log *l, int64_t result) {
    plumb_word word;
    if (plumb_word_of_int(result, &word)) plumb_ret_word(l, word);
    else plumb_ret(l, plumb_int(result));
}
static inline void plumb_ret_none(plumb_log *l) { plumb_ret_word(l, PLUMB_WORD_NONE); }
static inline void plumb_ret_empty(plumb_log *l) { plumb_ret_word(l, PLUMB_WORD_EMPTY); }
static inline void plumb_ret_bool(plumb_log *l, bool result) {
    plumb_ret_word(l, result ? PLUMB_WORD_TRUE : PLUMB_WORD_FALSE);
}

#ifdef __cplusplus
}
#endif
#endif
