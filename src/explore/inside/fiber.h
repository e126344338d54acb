/* Fibers: the threads of the program under test, all on one thread of the operating system. A fiber has a stack at a
 * fixed address, callee-saved registers, and a thread-local block of its own that the thread pointer leads to. */
#ifndef PLUMB_EXPLORE_INSIDE_FIBER_H
#define PLUMB_EXPLORE_INSIDE_FIBER_H

#include "explore/inside/areas.h"
#include "explore/inside/fiber_parts.h"
#include "explore/inside/invariant.h"
#include "explore/inside/processor.h"
#include "explore/inside/world_state.h"

typedef enum fiber_state { FIBER_FREE, FIBER_LIVE, FIBER_ENDED } fiber_state;

typedef struct fiber {
    /* the same in every execution that counts: */
    uintptr_t fs, stack, tls;
    uintptr_t stack_own, tls_own; /* the same; NOWHERE once another thread was seen there */
    uintptr_t
        stack_size; /* what can be used of its room; only ever grows: snapshots may hold more than is asked for now */
    uint8_t number;

    /* what other threads may change, up to `clocks`: copied for every thread */
    void *sp;      /* where fiber_exchange left it */
    uint8_t state; /* fiber_state */
    bool eager;    /* runs ahead to its first step, then hands back to `back` */
    uint8_t back;
    fiber_step step;
    fiber_calls calls;
    fiber_wait wait;
    fiber_spin spin;
    fiber_operation operation;
    fiber_thread thread;
    fiber_time time;
    fiber_faults faults;
    fiber_shared shared;
    fiber_image image;

    /* what only the thread itself changes: copied when it ran */
    fiber_clocks clocks;
    fiber_reads reads;
    call_site sites[SITES_MAX]; /* as many as calls.depth */
    fiber_keys keys;
} fiber;

typedef enum mode {
    OUTSIDE,   /* our own code, constructors, the strategies: intercepted functions do what they always do */
    ALONE,     /* the code under test, and no other thread is there or will be seen to have been: no steps */
    RECORDING, /* the code under test, every shared access is a step */
} mode;

/* Which code runs now. */
typedef struct current_thread {
    fiber *now;
    uintptr_t stack_low, tls_low; /* of the fiber that runs: its stack_own, tls_own */
    /* eight bytes that it has read since it was entered, and that no other thread was seen to touch, while RECORDING;
     * 0: none */
    uintptr_t private_read;
    /* while RECORDING, up to so many steps of the running thread may be passed, by accesses that never wait; else 0 */
    uint32_t free_steps;
    uint8_t mode;
} current_thread;

/* All of fiber.c. */
extern current_thread current HIDDEN;
extern fiber fibers[THREADS_MAX] HIDDEN;
extern thread_set fibers_ran_since HIDDEN; /* the last snapshot */

static inline fiber *fiber_at(unsigned thread) {
    INVARIANT(thread < THREADS_MAX);
    return &fibers[thread];
}
static inline fiber *fiber_now(void) { return current.now; }
static inline bool fiber_ran(const fiber *f) { return fibers_ran_since >> f->number & 1; }
static inline void fibers_ran_set(thread_set ran) { fibers_ran_since = ran; }

/* ---- the mode of the code that goes on ---- */

static inline mode mode_now(void) { return (mode)current.mode; }
static inline void mode_set(mode now) {
    INVARIANT(now <= RECORDING);
    current.mode = (uint8_t)now;
    current.private_read = 0;
    current.free_steps = 0;
}
/* Our own code runs for a while in the middle of an access: nothing else changes. */
static inline mode mode_aside(void) {
    const mode before = (mode)current.mode;
    current.mode = OUTSIDE;
    return before;
}
static inline void mode_back(mode before) {
    INVARIANT(current.mode == OUTSIDE && before <= RECORDING);
    current.mode = (uint8_t)before;
}

static inline uint32_t free_steps(void) { return current.free_steps; }
static inline void free_steps_set(uint32_t most) {
    INVARIANT(most <= PASSED_MAX);
    current.free_steps = most;
}

/* ---- memory that only the running thread uses ---- */

extern uintptr_t fiber_tls_size HIDDEN; /* of every thread-local block; constant after fibers_open */

static inline bool own_stack(uintptr_t a) { return a - current.stack_low < STACK_ROOM; }
static inline bool own_tls(uintptr_t a) { return a - current.tls_low < fiber_tls_size; }
static inline bool is_private_read(uintptr_t a) { return a == current.private_read; }
static inline void private_read_set(uintptr_t a) { current.private_read = a; }

/* ---- switching ---- */

/* Where the driver, that is the strategy, left its stack to run an execution. */
typedef struct driver_context {
    void *sp;
    uintptr_t fs;
} driver_context;
extern driver_context fiber_driver HIDDEN; /* fiber.c */

bool fibers_open(char *wrong, size_t room);
void fibers_reset(void);
fiber *fiber_new(void (*body)(fiber *), size_t stack); /* at least the standard size */
void fiber_now_is_first(void); /* constructors of the program count as code of its first thread */
void fiber_switch(fiber *to);
void fiber_run(fiber *f);                     /* from the driver's stack: returns at the end of the execution */
void fiber_hold_now(void (*meanwhile)(void)); /* with all that the running thread will need again on its stack */
void fiber_keep(void);                        /* a snapshot of now: executions that begin with it go on here */
/* An address of its area was used by another thread: neither is its own any more. */
void fiber_share_stack(unsigned thread);
void fiber_share_tls(unsigned thread);
/* Its stack from there on, and its thread-local block. */
void fiber_stack_hash(hash128 *h, const fiber *f, uintptr_t from);
void fiber_tls_hash(hash128 *h, const fiber *f);
static inline uintptr_t stack_low(const fiber *f) { return f->stack + STACK_ROOM - f->stack_size; }
/* Where it goes on lies in its own stack, above the guard. */
static inline bool fiber_sp_is_own(const fiber *f) {
    return (uintptr_t)f->sp - stack_low(f) < f->stack_size && (uintptr_t)f->sp % 8 == 0;
}
static inline void fiber_enter(fiber *to) {
    INVARIANT(to->state != FIBER_FREE && to == &fibers[to->number]);
    INVARIANT(fiber_sp_is_own(to));
    current.now = to;
    fibers_ran_since |= thread_bit(to->number);
    current.stack_low = to->stack_own;
    current.tls_low = to->tls_own;
    current.private_read = 0;
    thread_pointer_set(to->fs);
}
/* As fiber_switch, never to come back. */
_Noreturn ALWAYS_INLINE void fiber_leave(fiber *to) {
    INVARIANT(to->state == FIBER_LIVE);
    fiber_enter(to);
    stack_take(to->sp);
}
/* From any fiber: to the driver's stack. */
_Noreturn ALWAYS_INLINE void execution_leave(void) {
    INVARIANT(fiber_driver.sp && fiber_driver.fs);
    mode_set(OUTSIDE);
    thread_pointer_set(fiber_driver.fs);
    stack_take(fiber_driver.sp);
}
/* The part of a thread-local block that an address lies in: its thread, and the library whose variables these are (""
 * is the program). */
bool fiber_tls_find(uintptr_t address, unsigned *thread, uintptr_t *start, size_t *size, const char **library);

#endif
