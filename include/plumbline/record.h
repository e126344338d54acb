/* Recording what the threads of a program do to an object, while they do it.
 *
 *     plumb_recorder *r = plumb_record_open(&(plumb_record_options){sizeof(plumb_record_options), .object = "queue"});
 *     int enq = plumb_record_method(r, "enq"), deq = plumb_record_method(r, "deq");
 *     ...                                              // in each thread:
 *     plumb_log *log = plumb_record_join(r);
 *     plumb_call_int(log, enq, 7);  my_enqueue(q, 7);       plumb_ret_none(log);
 *     plumb_call(log, deq, NULL, 0);  v = my_dequeue(q);    plumb_ret_int(log, v);      // or plumb_ret_empty(log)
 *     plumb_record_leave(log);
 *     ...
 *     plumb_record_close(r);
 *
 * Each thread writes a log of its own. A call and a return are wait-free and allocate nothing: a few stores and one ticket
 * from a shared counter. With `path` the logs live in a file that survives the program, however it ends: `plumb check FILE`
 * reads it. Verifiers read the logs while they are written: plumbline/verify.h, `plumb monitor --attach FILE`.
 *
 * When there is no room left, a thread goes dark: its operations are not recorded, and that is known. Nobody ever waits. */
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
    PLUMB_CLOCK_SNAPSHOT, /* reads and writes only: an atomic snapshot of what everybody has announced */
    PLUMB_CLOCK_TSC       /* the processor's time stamp counter: no shared line; refused unless constant and synchronised */
} plumb_clock;

typedef struct plumb_record_options {
    size_t struct_size;   /* sizeof(plumb_record_options): set it, zero the rest */
    const char *object;   /* a name that `plumb objects` lists, or a plug-in's path */
    const char *init;     /* initial value of a register; NULL: none */
    const char *path;     /* the file to record into: made anew; "shm:NAME": memory that others can attach to; NULL: memory */
    unsigned clock;       /* enum plumb_clock */
    unsigned threads;     /* at once, at most; 0: 64. Any number may come and go. */
    size_t bytes;         /* room for records; 0: 1 GiB, of which only what is used is taken */
    bool ring;            /* use what verifiers have read again: endless runs in bounded memory; the file is no whole history */
    bool no_fence;        /* the object's effects are never plain or release stores: saves a fence (SNAPSHOT, TSC) */
} plumb_record_options;

/* Never NULL. When it could not be opened, plumb_record_error says why, and joining gives NULL. */
PLUMB_API plumb_recorder *plumb_record_open(const plumb_record_options *options);
PLUMB_API const char *plumb_record_error(const plumb_recorder *r); /* NULL: all is well */
PLUMB_API int plumb_record_method(const plumb_recorder *r, const char *name); /* -1: the object has no such method */
PLUMB_API void plumb_record_close(plumb_recorder *r); /* when all threads have left and all verifiers have stopped */

/* A thread comes. NULL: there are as many threads as the options say. */
PLUMB_API plumb_log *plumb_record_join(plumb_recorder *r);
/* It goes; a call that is open stays open for ever. NULL is allowed here and in all calls below: nothing happens. */
PLUMB_API void plumb_record_leave(plumb_log *log);
/* The calling thread's log, joined on first use and left when the thread ends. Slower: hold on to the pointer. */
PLUMB_API plumb_log *plumb_record_here(plumb_recorder *r);

/* ---- calls and returns: a call while the one before is open leaves that one open for ever ---- */

PLUMB_API void plumb_call(plumb_log *log, int which, const plumb_value *arg, size_t args); /* `which`: a method, at most 3 arguments; for kv the key is the first */
PLUMB_API void plumb_ret(plumb_log *log, plumb_value result);
PLUMB_API void plumb_ret_fail(plumb_log *log);    /* the call certainly had no effect */
PLUMB_API void plumb_ret_unknown(plumb_log *log); /* it may have one, now or later (a time-out): pending */

/* A number that no other call for this recorder gives: store it beside a value that may repeat, and record the number. */
PLUMB_API int64_t plumb_tag(plumb_log *log);

typedef struct plumb_record_status {
    size_t struct_size;
    uint64_t records;     /* written: an operation takes one, or more when its values are no words */
    uint64_t dark;        /* operations that were not recorded, for want of room */
    uint64_t threads;     /* here now */
    uint64_t bytes;       /* of records, in use */
} plumb_record_status;
PLUMB_API void plumb_record_look(const plumb_recorder *r, plumb_record_status *out);

/* ---- the fast path: what is below is inline and not for reading, but for plumb_call_int and its brothers ---- */

typedef uint64_t plumb_word; /* a value in one word: an integer of 61 bits times 8, or a constant's number times 8 plus 1 */

#define PLUMB_WORD_INT(i) ((plumb_word)(i) << 3)
#define PLUMB_WORD_CONSTANT(n) ((plumb_word)(n) << 3 | 1)
#define PLUMB_WORD_NONE PLUMB_WORD_CONSTANT(0)
#define PLUMB_WORD_EMPTY PLUMB_WORD_CONSTANT(1)
#define PLUMB_WORD_FULL PLUMB_WORD_CONSTANT(2)
#define PLUMB_WORD_FALSE PLUMB_WORD_CONSTANT(4)
#define PLUMB_WORD_TRUE PLUMB_WORD_CONSTANT(5)

struct plumb_log {
    plumb_word *at;      /* the next record: four words, argument, result, call stamp and method, return stamp and outcome */
    plumb_word *end;     /* up to here records may be written without asking */
    plumb_word *open;    /* the record of the open call; NULL: none that may be completed here */
    uint64_t next;       /* number of the next record */
    uint64_t *announced; /* shared: records before this one have been called */
    uint64_t *done;      /* shared: records before this one have returned */
    uint64_t *ticket;    /* shared by all threads: the clock, unless a thread is alone */
    uint64_t *alone;     /* shared, two words: not 0: no other thread records, and the clock is the second word */
    bool strongly;       /* whoever reads the logs has no way to make this thread's stores visible: they must be at once */
};

enum { PLUMB_STAMP_SHIFT = 8, PLUMB_ONE_ARGUMENT = 1 << 5, PLUMB_RETURNED = 1 };

PLUMB_API void plumb_call_word_slowly(plumb_log *log, int which, unsigned args, plumb_word arg);
PLUMB_API void plumb_ret_word_slowly(plumb_log *log, plumb_word result);

#if defined(__x86_64__) || defined(__i386__)
#define PLUMB_AFTER_EXCHANGE() __atomic_signal_fence(__ATOMIC_SEQ_CST) /* the exchange before it is the fence */
#else
#define PLUMB_AFTER_EXCHANGE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

static inline bool plumb_is_alone(const plumb_log *l) { return __atomic_load_n(&l->alone[0], __ATOMIC_RELAXED) != 0; }

/* The clock of a thread that is alone needs no locked instruction. Why that is right while another thread comes:
 * docs/RUNTIME.md, "Alone". */
static inline uint64_t plumb_clock_now(const plumb_log *l) {
    if (__builtin_expect(plumb_is_alone(l), 1)) return __atomic_load_n(&l->alone[1], __ATOMIC_RELAXED);
    return __atomic_load_n(l->ticket, __ATOMIC_SEQ_CST);
}

static inline uint64_t plumb_clock_tick(plumb_log *l) {
    uint64_t stamp;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* whether it is alone is asked after the object has returned */
    if (__builtin_expect(!plumb_is_alone(l), 0)) return __atomic_fetch_add(l->ticket, 1, __ATOMIC_SEQ_CST) + 1;
    stamp = __atomic_load_n(&l->alone[1], __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&l->alone[1], stamp, __ATOMIC_RELEASE);
    return stamp;
}

/* What is stored must be visible before anything that follows is looked at: an operation that only reads could otherwise take
 * effect before anybody can know that it was called. A verifier makes it so, with a barrier on all processors between its cut and its
 * look at the logs (src/runtime/clock.c); where it cannot, this thread does, unless nobody else is there to see. */
static inline void plumb_make_visible(const plumb_log *l, uint64_t *where, uint64_t what) {
    bool weakly = !l->strongly;
    if (__builtin_expect(weakly || plumb_is_alone(l), 1)) {
        __atomic_store_n(where, what, __ATOMIC_RELEASE);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (weakly || plumb_is_alone(l)) return; /* asked again: somebody may have come */
    }
    __atomic_store_n(where, what, __ATOMIC_SEQ_CST);
    PLUMB_AFTER_EXCHANGE();
}

static inline void plumb_call_tagged(plumb_log *l, int which, unsigned args, plumb_word arg) {
    plumb_word *r;
    if (!l) return;
    r = l->at;
    if (__builtin_expect(r == l->end, 0)) {
        plumb_call_word_slowly(l, which, args, arg);
        return;
    }
    __atomic_store_n(&r[0], arg, __ATOMIC_RELAXED);
    __atomic_store_n(&r[2], plumb_clock_now(l) << PLUMB_STAMP_SHIFT | args * PLUMB_ONE_ARGUMENT | (unsigned)which, __ATOMIC_RELAXED);
    __atomic_store_n(&r[3], 0, __ATOMIC_RELAXED);
    l->open = r;
    l->at = r + 4;
    plumb_make_visible(l, l->announced, ++l->next);
}
static inline void plumb_call_word(plumb_log *l, int which, plumb_word arg) { plumb_call_tagged(l, which, 1, arg); }
static inline void plumb_call_none(plumb_log *l, int which) { plumb_call_tagged(l, which, 0, PLUMB_WORD_NONE); }

static inline void plumb_ret_word(plumb_log *l, plumb_word result) {
    plumb_word *r;
    if (!l) return;
    r = l->open;
    if (__builtin_expect(!r, 0)) {
        plumb_ret_word_slowly(l, result);
        return;
    }
    __atomic_store_n(&r[1], result, __ATOMIC_RELAXED);
    __atomic_store_n(&r[3], plumb_clock_tick(l) << PLUMB_STAMP_SHIFT | PLUMB_RETURNED, __ATOMIC_RELAXED);
    l->open = NULL;
    __atomic_store_n(l->done, l->next, __ATOMIC_RELEASE);
}

static inline bool plumb_fits_word(int64_t i) { return i >= -(INT64_C(1) << 60) && i < INT64_C(1) << 60; }

static inline void plumb_call_int(plumb_log *l, int which, int64_t arg) {
    if (plumb_fits_word(arg)) {
        plumb_call_word(l, which, PLUMB_WORD_INT(arg));
    } else {
        plumb_value v = plumb_int(arg);
        plumb_call(l, which, &v, 1);
    }
}
static inline void plumb_ret_int(plumb_log *l, int64_t result) {
    if (plumb_fits_word(result)) plumb_ret_word(l, PLUMB_WORD_INT(result));
    else plumb_ret(l, plumb_int(result));
}
static inline void plumb_ret_none(plumb_log *l) { plumb_ret_word(l, PLUMB_WORD_NONE); }
static inline void plumb_ret_empty(plumb_log *l) { plumb_ret_word(l, PLUMB_WORD_EMPTY); }
static inline void plumb_ret_bool(plumb_log *l, bool result) { plumb_ret_word(l, result ? PLUMB_WORD_TRUE : PLUMB_WORD_FALSE); }

#ifdef __cplusplus
}
#endif
#endif
