/* What the machine cuts, fixes or does not model, counted while the program runs (explore/model/coverage.def): of the
 * process, and of one campaign. */
#ifndef PLUMB_EXPLORE_INSIDE_LIMITS_H
#define PLUMB_EXPLORE_INSIDE_LIMITS_H

#include "explore/inside/attributes.h"
#include "explore/model/coverage.h"

/* Limits that are places in the code are a set: two places that are so far apart count as one. */
enum { LIMIT_PLACES = 1 << 16 };
enum place_limit {
    PLACE_WEAK_ORDER = 1,
    PLACE_REUSE_FIXED = 2,
    PLACE_SPURIOUS = 4,
    PLACE_LOOKED_ON = 8, /* a loop that went on looking and was left */
    PLACE_LOOKED_UNTIL =
        16, /* a loop that waited for a change, and there was one: with the other, looks were skipped */
    PLACE_LOOKS = PLACE_LOOKED_ON | PLACE_LOOKED_UNTIL,
    PLACE_ASSEMBLY = 32 /* inline assembly that accesses shared memory, or is a fence */
};
extern uint8_t limit_places[LIMIT_PLACES] HIDDEN; /* limits.c */

ALWAYS_INLINE void limit_at(enum place_limit which, uintptr_t pc) { limit_places[pc % LIMIT_PLACES] |= (uint8_t)which; }

extern coverage limits_counted HIDDEN; /* limits.c */
/* For counting: limits_now()->timeouts_cut++. */
static inline coverage *limits_now(void) { return &limits_counted; }

void limits_clear(void);         /* a campaign begins */
void limits_take(coverage *out); /* adds what was counted since, by this process */

#endif
