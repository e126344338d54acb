/* The three clocks. A stamp is taken before the object is called (and announced before the call begins), another one
 * after it returned, so that the interval X between them holds what the object did and lies inside what the caller saw:
 *
 *     interval of A  within  X  within  interval of A*          (docs/RUNTIME.md)
 *
 * TICKET    call: the counter; return: one more. SNAPSHOT: the sum of what all threads have announced, by an atomic
 * snapshot.
 *           Both: i is before j iff return stamp of i <= call stamp of j.
 * TSC       the processor's counter, fenced. i is before j iff return stamp of i < call stamp of j. */
#ifndef PLUMB_RUNTIME_CLOCK_H
#define PLUMB_RUNTIME_CLOCK_H

#include "base/error.h"
#include "format/plumb_log.h"

/* Fences behind a sequentially consistent store or exchange, and between loads: x86 has them anyway, arm64 has not
 * (docs/proofs/runtime.md, "Weak memory"). */
#if defined(__x86_64__) || defined(__i386__)
#define AFTER_EXCHANGE() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define BETWEEN_LOADS() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
#define AFTER_EXCHANGE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define BETWEEN_LOADS() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

typedef struct snapshot_scanner { /* scratch memory for taking snapshots */
    uint64_t *before;             /* by slot: what the last collect found */
    bool *moved;                  /* by slot: has changed once while this scan ran */
} snapshot_scanner;

bool scanner_init(snapshot_scanner *s, uint32_t slots); /* false: no memory; may be freed all the same */
void scanner_free(snapshot_scanner *s);

/* The sum over an atomic snapshot of `announced`, wait-free with reads and writes only. `self`: the caller's own slot,
 * or NULL for a reader, which announces nothing. */
uint64_t clock_scan(const log_header *h, log_slot *slot, const log_slot *self, snapshot_scanner *s);

/* constant, with rdtscp, and ahead on no processor of what another one has read before */
bool clock_tsc_usable(error *e);
/* nothing after it begins before it is taken, once the announcement's fence has passed */
uint64_t clock_tsc_before(void);
uint64_t clock_tsc_after(void); /* everything loaded before it was loaded */
void clock_tsc_fence(void);

/* TICKET: a thread comes to a slot. The first one has the clock to itself until another one comes; that one sees to it
 * that whatever the first does from then on goes by the shared counter (docs/RUNTIME.md, "Alone"). False: the system
 * refuses the barrier that this takes, and the thread may not record. */
bool clock_join(log_header *h, log_slot *slot, uint32_t number);

/* TICKET: not more than the stamp of any event that is yet to come. */
uint64_t clock_ticket_now(const log_header *h, const log_slot *slot);

/* Can a reader of the logs make what their writers have stored visible? `attached`: from another process, too. */
bool clock_enable_barriers(bool attached);

/* Where a verifier may cut: events with keys up to what this returns and published now can be put in order for good,
 * and whatever is published later may be moved up to it (sketch.h). */
uint64_t clock_limit(const log_header *h, log_slot *slot, snapshot_scanner *s);

/* What the writers have stored is visible from here on, and what they have not was not begun. Between the cut and the
 * look at the logs, except for members of a guard, which make visible what they store themselves. `ours`: this
 * process opened the recorder. False: the system refuses the barrier, and not all writers have begun to do without. */
bool clock_fence_writers(log_header *h, const log_slot *slot, bool ours);

#endif
