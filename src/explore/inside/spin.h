/* Threads that wait by reading the same again and again (spin.c). */
#ifndef PLUMB_EXPLORE_INSIDE_SPIN_H
#define PLUMB_EXPLORE_INSIDE_SPIN_H

#include "explore/inside/fiber.h"
#include "explore/inside/options.h"

bool spin_look(step *s, uintptr_t sp);
bool spin_hurries(const fiber *f);        /* it goes on reading the same without steps */
void spin_left(fiber *f);                 /* what it does now is no look: a hurry ends */
void spin_steps(fiber *f, const step *s); /* it was in a hurry, and is about to do this */
/* No thread can go on, and it may be that this one would leave its loop by itself: when it is picked it looks on. */
static inline void spin_will_look_on(fiber *f) { f->spin.probes = true; }
void spin_looks_on(fiber *f);
void spin_waited(const fiber *f); /* at the head of its loop: had something changed, it might have looked more often */
void spin_pass(uintptr_t address, uintptr_t pc); /* an access that is no step */
bool spin_ends(const fiber *f, const step *s);
void spin_skips(uintptr_t pc); /* iterations of the loop there are left out: the report says so */
/* A failure of the compare-and-swap that was executed last would be the same as having loaded later (await). */
bool spin_failure_is_vain(const fiber *f, const step *s);
bool spin_is_endless(const step *s); /* the loop there was never left while it saw the same */
/* No other thread will go on. Will this one? */
typedef enum spin_prospect { SPIN_GOES_ON, SPIN_STAYS, SPIN_UNKNOWN } spin_prospect;
spin_prospect spin_foresee(const fiber *f, const step *s);

static inline uint64_t read_bit(uintptr_t pc) { return UINT64_C(1) << ((uint32_t)pc * UINT32_C(0x9E3779B1) >> 26); }
/* The access may be one that is repeated: it is no quick one. */
ALWAYS_INLINE bool spin_is_possible(const fiber *f, uintptr_t pc) {
    return f->spin.read_at & read_bit(pc) || f->spin.hurry || f->spin.annotated || options_now()->blocking;
}
/* It is certainly no repetition, its operation is visible, and there is room to remember it. */
ALWAYS_INLINE bool spin_is_quick(const fiber *f, uintptr_t pc) {
    return !(f->spin.read_at & read_bit(pc) || f->spin.hurry || f->spin.annotated || f->spin.called ||
             f->spin.reads == READS_MAX);
}
static inline void spin_fresh(fiber *f) { f->spin.repeats = false; }
/* Marks the described access as waiting when it only repeats. True: it is performed at once, and is no step. */
ALWAYS_INLINE bool spin_before(step *s, uintptr_t sp) {
    fiber *f = fiber_now();
    spin_fresh(f);
    return spin_is_possible(f, s->pc) && spin_look(s, sp);
}
/* After a write to private memory a loop may still be a pure one (its proof has seen the write), but it no longer just
 * reads: no read so far is one that it repeats. What it has read may still be what sends it round a pure loop. */
static inline void spin_forget_reads(fiber *f) {
    if (UNLIKELY(f->spin.hurry)) spin_left(f);
    if (!f->spin.arrivals) f->spin.reads = 0;
    f->spin.start = f->spin.reads;
    f->spin.read_at = 0;
    f->spin.rounds = 0;
    f->spin.head = READS_MAX;
    f->spin.hurried = f->spin.broken = false;
}
/* There is no room for more. */
static inline void spin_drop_reads(fiber *f) {
    f->spin.unknown = f->spin.arrivals;
    f->spin.reads = 0;
    spin_forget_reads(f);
}
static inline void arrivals_forget(fiber *f) {
    f->spin.arrivals = f->spin.unknown = 0;
    f->spin.again = false;
}
static inline void spin_forget(fiber *f) {
    arrivals_forget(f);
    spin_forget_reads(f);
    f->spin.looked = f->spin.faked = false;
}
/* Its last compare-and-swap failed without a reason: that it does the same again does not make it wait. */
static inline void spin_is_faked(fiber *f) {
    spin_forget_reads(f);
    f->spin.faked = true;
}
/* Time has passed since it looked at the clock last: what it has read so far does not make it wait. */
static inline void spin_sees_time(fiber *f) {
    spin_forget(f);
    f->spin.looked = true;
}
/* Its step was chosen: it no longer waits. */
static inline void spin_stops(fiber *f) {
    if (!f->spin.spinning) return;
    INVARIANT(f->wait.kind == WAIT_READS);
    bool looked = f->spin.looked; /* that it goes round is no write */
    f->spin.spinning = false;
    if (f->spin.probes) spin_looks_on(f);
    else {
        if (f->spin.by_choice) spin_waited(f);
        spin_forget(f);
    }
    f->spin.looked = looked;
}
void spin_start(fiber *f); /* it begins */
/* It has read this and changed nothing. A loop of more reads than there is room for is never taken for waiting. */
ALWAYS_INLINE void spin_add(fiber *f, const read_seen *seen) {
    INVARIANT(f->spin.reads < READS_MAX);
    read_seen *r = &f->reads.read[f->spin.reads++];
    ONE_REGISTER(r);
    f->spin.read_at |= read_bit(seen->pc);
    *r = *seen;
}
ALWAYS_INLINE void spin_keep(fiber *f, const read_seen *seen) {
    if (f->spin.repeats) return;
    if (UNLIKELY(f->spin.reads == READS_MAX)) spin_drop_reads(f);
    spin_add(f, seen);
}
static inline void spin_saw(const step *s, uint64_t seen, uintptr_t sp) {
    fiber *f = fiber_now();
    spin_keep(f, &(read_seen){s->at[0].address, s->pc, sp, seen, s->expected, f->spin.held, s->site,
                              f->calls.activation, s->size});
}
/* Taken and released again, a lock is as it was: a loop may read, lock, look again and give up, and still only wait. */
static inline void spin_locks(fiber *f, uintptr_t lock) {
    f->spin.held ^= (lock * UINT64_C(0x9E3779B97F4A7C15)) >> 7;
    arrivals_forget(f);
}

#endif
