/* The three clocks. A stamp is taken before the object is called (and announced before the call begins), another one after it
 * returned, so that the interval X between them holds what the object did and lies inside what the caller saw:
 *
 *     interval of A  within  X  within  interval of A*          (docs/RUNTIME.md)
 *
 * TICKET    call: the counter; return: one more. SNAPSHOT: the sum of what everybody has announced, by an atomic snapshot.
 *           Both: i is before j iff return stamp of i <= call stamp of j.
 * TSC       the processor's counter, fenced. i is before j iff return stamp of i < call stamp of j. */
#ifndef PLUMB_RUNTIME_CLOCK_H
#define PLUMB_RUNTIME_CLOCK_H

#include "base/error.h"
#include "format/plumb_log.h"

typedef struct scanner {      /* scratch of one who takes snapshots: all that it needs */
    uint64_t *before;         /* by slot: what the last collect found */
    bool *moved;              /* by slot: has changed once while this scan ran */
} scanner;

void scanner_init(scanner *s, uint32_t slots);
void scanner_free(scanner *s);

/* The sum over an atomic snapshot of `announced`, wait-free with reads and writes only. `self`: the caller's own slot, or NULL
 * for somebody who announces nothing. */
uint64_t clock_scan(const log_header *h, log_slot *slot, const log_slot *self, scanner *s);

bool clock_tsc_usable(error *e); /* constant, with rdtscp, and ahead on no processor of what another one has read before */
uint64_t clock_tsc_before(void); /* nothing after it begins before it is taken, once the announcement's fence has passed */
uint64_t clock_tsc_after(void);  /* everything loaded before it was loaded */
void clock_tsc_fence(void);

/* Where a verifier may cut: events with keys up to what this returns and published now can be put in order for good, and
 * whatever is published later may be moved up to it (sketch.h). */
uint64_t clock_limit(const log_header *h, log_slot *slot, scanner *s);

#endif
