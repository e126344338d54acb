/* One step of one thread: the access that a scheduling point stands before. Everything that reductions need to know of
 * real code is in here; they know nothing of compilers, fibers or pthreads.
 *
 * A step touches up to two *places*. Steps of different threads are dependent when places overlap and their roles do
 * not commute; independent neighbours can be exchanged without any thread noticing. */
#ifndef PLUMB_EXPLORE_MODEL_STEP_H
#define PLUMB_EXPLORE_MODEL_STEP_H

#include <stdbool.h>
#include <stdint.h>

/* Most programs have few threads, and clocks with a number for each thread are what exploring spends its time on: there
 * is a library for few threads and one for many (PLUMB_MANY_THREADS; the session takes it when it has to). */
#define TOO_MANY_THREADS "more than %d threads"
enum { THREADS_MOST = 80 /* of the two: what schedules and answers may name */ };
#ifdef PLUMB_MANY_THREADS
enum { THREADS_MAX = THREADS_MOST };
__extension__ typedef unsigned __int128 thread_set; /* one bit a thread */
typedef thread_set thread_set_packed;
#else
enum { THREADS_MAX = 16 };
typedef uint32_t thread_set;
typedef uint16_t thread_set_packed; /* where there are many of them */
#endif

static inline thread_set thread_bit(unsigned thread) { return (thread_set)1 << thread; }
/* Not of an empty set. */
static inline unsigned thread_lowest(thread_set s) {
#ifdef PLUMB_MANY_THREADS
    if (!(uint64_t)s) return 64 + (unsigned)__builtin_ctzll((uint64_t)(s >> 64));
#endif
    return (unsigned)__builtin_ctzll((uint64_t)s);
}
static inline unsigned threads_in(thread_set s) {
    unsigned n = (unsigned)__builtin_popcountll((uint64_t)s);
#ifdef PLUMB_MANY_THREADS
    n += (unsigned)__builtin_popcountll((uint64_t)(s >> 64));
#endif
    return n;
}

/* for people and for traces; dependence looks at places only */
typedef enum step_kind {
    STEP_NOTHING, /* stands for an operation without any visible access, and for thread start */
    STEP_READ,
    STEP_WRITE,
    STEP_UPDATE /* atomic read-modify-write */,
    STEP_CAS,
    STEP_FREE,
    STEP_LOCK,
    STEP_TRYLOCK,
    STEP_UNLOCK,
    STEP_RDLOCK,
    STEP_TRYRDLOCK,
    STEP_WAIT,
    STEP_WAKE,
    STEP_SIGNAL,
    STEP_BARRIER,
    STEP_ACQUIRE,
    STEP_TRYACQUIRE,
    STEP_RELEASE /* semaphores */,
    STEP_JOIN,
    STEP_YIELD,
    STEP_FENCE,
    STEP_FUTEX_WAIT,
    STEP_FUTEX_WAKE,
    STEP_ONCE,
    STEP_CLOCK, /* looks at the clock: it writes when time passes with it */
    STEP_STORE, /* x86-TSO: into the buffer of its thread */
    STEP_FLUSH, /* x86-TSO, of a buffer: its oldest store reaches memory */
    STEP_KINDS
} step_kind;

typedef enum place_role {
    PLACE_UNUSED,
    PLACE_READ,
    PLACE_WRITE,
    PLACE_ACQUIRE,        /* waits until it may, then holds: lock, write lock */
    PLACE_ACQUIRE_SHARED, /* several may hold: read lock */
    PLACE_RELEASE,        /* ends holding: only enables waiting threads */
    /* ends shared holding (strategies find out themselves where a world says PLACE_RELEASE) */
    PLACE_RELEASE_SHARED,
    /* of a store in a buffer, which is a place by its number: goes in, comes out, answers a load, has come out */
    PLACE_ISSUE,
    PLACE_FLUSH,
    PLACE_ANSWERED,
    PLACE_DRAIN,
} place_role;

/* Addresses of places that are no memory: ends of operations, blocks that were freed (inside/areas.h). */
#define NO_MEMORY_BASE UINT64_C(0x630000000000)
#define NO_MEMORY_ROOM UINT64_C(0x20000000000)

typedef struct place {
    uintptr_t address;
    uint32_t size;
    uint8_t role; /* place_role, as of now: a compare-and-swap that would fail is a read */
} place;

enum step_flag {
    STEP_PLAIN = 1, /* a plain access: two of them that race are a data race */
    STEP_WAITS = 2, /* may be disabled: the machine says when in `enabled` */
    /* a spinning access, disabled while it would fail again (the loop was proved pure, or annotated) */
    STEP_AWAIT = 4,
    /* the thread would repeat a failed iteration of a pure loop: it stops here for good (EXPLORER: retry) */
    STEP_ASSUMED = 8,
    STEP_FAILED = 16, /* executed: a compare-and-swap, trylock, ... that failed */
    STEP_MARKER = 32, /* executed or about to be: an effective update or lock, on which symmetric threads compete */
    STEP_INSIDE = 64, /* executed: reads where its thread had a window open */
    /* executed, under a weak memory model: read an older write than the newest there, whose value is `expected` of a
     * read; or is a write that stands before one that was there already */
    STEP_STALE = 128,
};

/* The place of the clock that all threads read; no memory is there. */
#define CLOCK_PLACE ((uintptr_t)8)

typedef struct step {
    uint8_t kind;  /* step_kind */
    uint8_t flags; /* enum step_flag */
    uint8_t size;  /* of value, in bytes: 1, 2, 4, 8, 16; 0: none */
    uint8_t order; /* memory order as the compiler numbers them; 5 is sequentially consistent */
    place at[2];
    uintptr_t pc; /* the return address in the code under test */
    /* executed: what was read, or what was written; high: of 16 bytes. STEP_JOIN: the thread */
    uint64_t value, high;
    uint64_t expected, expected_high; /* compare-and-swap */
    uint32_t site; /* hash of the call stack: with pc, a place in the program that inlining cannot merge */
} step;

typedef enum dependence {
    INDEPENDENT,
    ORDERED, /* dependent, but the later was not possible before the earlier: nothing to reverse */
    RACING,  /* dependent, and the other order is another behaviour */
} dependence;

/* Commutes with every step of every other thread, and is taken as soon as it is possible: nothing is lost. */
static inline bool kind_goes_first(uint8_t kind) {
    return kind == STEP_JOIN || kind == STEP_STORE || kind == STEP_FENCE;
}
bool step_is_effective(const step *s); /* writes, acquires or releases something */
/* Where the word lies that `high` and `expected_high` are about: of 16 bytes, or of a double compare-and-swap; 0: there
 * is none. */
uintptr_t step_second_word(const step *s);

#endif
