/* What each concern remembers of a thread. A part is written only by the file that is named with it, and by the inline
 * functions of that file's header. */
#ifndef PLUMB_EXPLORE_INSIDE_FIBER_PARTS_H
#define PLUMB_EXPLORE_INSIDE_FIBER_PARTS_H

#include "base/hash128.h"
#include "explore/inside/machine.h"
#include "explore/model/update.h"

enum { SITES_MAX = 256, READS_MAX = 48, ARRIVALS_MAX = 32, KEYS_MAX = 64 };

/* ---- steps.c: the pending step, as far as `step` does not say it ---- */

typedef struct fiber_step {
    uint64_t operand, operand_high;
    uint32_t last;  /* number of its last step; NO_STEP: none so far */
    uint8_t update; /* enum update */
    bool opaque;    /* what it would write is unknown before it is executed */
} fiber_step;

/* ---- access.c: the call stack of instrumented functions ---- */

typedef struct fiber_calls {
    uint32_t site, activation;   /* hash of the call stack; the number of the running function's activation */
    uint32_t depth, activations; /* height of the call stack; the number of the newest activation */
} fiber_calls;

typedef struct call_site {
    uint32_t site, activation;
} call_site;

/* ---- scheduler.c: for what a pending step waits (step_enabled), and how the wait may end otherwise ---- */

typedef enum wait_kind {
    WAIT_NONE,
    WAIT_READS /* spinning */,
    WAIT_MUTEX,
    WAIT_SPINLOCK,
    WAIT_READ_LOCK,
    WAIT_WRITE_LOCK,
    WAIT_CONDITION,
    WAIT_SEMAPHORE,
    WAIT_BARRIER,
    WAIT_FUTEX,
    WAIT_ONCE,
    WAIT_GUARD,
    WAIT_SIGNALLED, /* a condition variable, where graphs are explored */
    WAIT_JOIN,
    WAIT_BUFFER /* until stores of its own have reached memory */
} wait_kind;

typedef struct fiber_wait {
    uintptr_t on, second;
    uint32_t value;
    uint32_t timeouts; /* timed waits of this thread that have ended by their time so far */
    uint8_t kind;      /* wait_kind */
    bool signalled, timed, timed_out;
} fiber_wait;

/* ---- spin.c: what it has read since its last effective write ---- */

typedef struct read_seen { /* of this operation, since its last effective write */
    uintptr_t address, pc, sp;
    uint64_t value, expected;
    uint64_t held;
    uint32_t site, activation;
    uint8_t size;
} read_seen;

typedef struct arrival { /* at a hook, since the last write that was a step: where a pure loop repeats itself */
    uintptr_t pc, address;
    uint64_t operand, expected;
    uint32_t activation; /* of the function */
    uint32_t reads;      /* how many it had made by then */
} arrival;

/* What spin_forget clears and what hooks look at together stands in the same words. */
typedef struct fiber_spin {
    uint64_t held;    /* the locks that it holds, as one number */
    uint64_t read_at; /* a bit for each place in the code that stands in `read`, and maybe others */
    /* reads before `start` came before a write to private memory: they may send it round a pure loop, no other */
    uint32_t reads, start, head;
    uint32_t rounds, arrivals;
    uint32_t unknown; /* so many arrivals came before reads that there was no room for */
    uint32_t loop;    /* of a thread stopped in a pure loop: its first read of the iteration; READS_MAX: unknown */
    uint32_t hurry;   /* so often it may still read the same without steps, after that step of its own: */
    uint32_t hurry_since;
    bool annotated;         /* its next step heads a pure loop */
    bool called;            /* its operation has no step so far (record.c writes it: operation_becomes) */
    bool hurried;           /* it has, since its reads last changed, or has chosen not to */
    bool broken;            /* in vain: its loop has steps that are no looks */
    bool again;             /* it came to the hook of a pure loop again */
    bool looked;            /* at the clock (clock.c), since its last write that was a step */
    bool faked;             /* a compare-and-swap of it failed without a reason, since then */
    bool spinning, repeats; /* waits for a change; its pending step repeats a read */
    /* of a thread that waits: it could go on, and does in another execution; it would not, however often it looked; it
     * looks on when it is picked */
    bool by_choice, sure, probes;
} fiber_spin;

typedef struct fiber_reads { /* as many as fiber_spin says */
    read_seen read[READS_MAX];
    arrival arrived[ARRIVALS_MAX];
} fiber_reads;

/* ---- record.c: the running operation ---- */

typedef enum operation_state { OPERATION_NONE, OPERATION_CALLED, OPERATION_VISIBLE } operation_state;

typedef struct fiber_operation {
    const plumb_item *item; /* NULL: none */
    int64_t arg[OPERATION_ARGS];
    uint32_t number; /* index in world.ops, when visible */
    uint8_t state;   /* operation_state */
    bool begun;      /* where there are invariants: between its two steps for them */
} fiber_operation;

/* ---- threads.c: the thread of pthreads or C11 ---- */

typedef struct fiber_thread {
    void *(*run)(void *);
    int (*run_c11)(void *);
    void *argument, *result;
    uint32_t slots, at_ends, cleanups;
    uint64_t signals_blocked; /* handlers.c: pthread_sigmask */
    bool detached, joined;
    uint8_t cancel_state, cancel_type; /* as it was told; there is no pthread_cancel */
} fiber_thread;

typedef struct thread_slot {
    uint32_t key;
    void *value;
} thread_slot;

typedef struct thread_at_end {
    void (*run)(void *);
    void *object;
} thread_at_end;

typedef struct fiber_keys { /* as many as fiber_thread says */
    thread_slot slot[KEYS_MAX];
    thread_at_end at_end[KEYS_MAX];
} fiber_keys;

/* ---- yield.c, clock.c: what it has seen of time, and its own random numbers ---- */

typedef struct fiber_time {
    uint64_t drawn; /* random numbers, so far */
    uint64_t seen;  /* nanoseconds, when it looked last */
    uint64_t least; /* what it will see when it looks again: it has slept, or a wait of it ran out */
    uintptr_t pc;   /* where it looked last, with the hash of its call stack */
    uint32_t site;
    uint32_t ticks; /* accesses without steps while it hurries: time passes */
    uint32_t looks; /* one after the other that are one loop's */
    uint32_t last;  /* the step of its last look */
    uint32_t idle;  /* looks since then that were no steps */
} fiber_time;

/* ---- faults.c: what failed without a reason, so far ---- */

typedef struct fiber_faults {
    uint32_t swaps; /* weak compare-and-swaps */
} fiber_faults;

/* ---- shared.c ---- */

typedef struct fiber_shared {
    struct granule *touched; /* by shared_touch, the first of them */
    uint32_t quiet;          /* accesses that were no steps since the last step, or since they were last counted */
} fiber_shared;

/* ---- state.c: the thread as a number, when it came to its pending step ---- */

typedef struct fiber_image {
    hash128 own;
    uintptr_t frames; /* from there on its stack is as it was then, unless another thread writes to it */
} fiber_image;

/* ---- races.c: vector clocks, what happened before ---- */

typedef struct fiber_clocks {
    uint16_t knows[THREADS_MAX];
    uint16_t fence_acquire[THREADS_MAX], fence_release[THREADS_MAX];
} fiber_clocks;

#endif
