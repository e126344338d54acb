/* A_k: a history seen through its last k steps of order (Bouajjani, Emmi, Enea, Hamza, "Tractable refinement checking
 * for concurrent objects", POPL 2015).
 *
 * Canonical intervals: operations with the same past begin at the same level, and levels are numbered in the order of
 * pasts; an operation ends at the level where it returns, so a is before b iff last[a] < first[b]. The length of a
 * history is its highest level. A_k keeps the last k levels apart and merges everything earlier into level
 * 0: it only forgets order, so whatever is a violation of A_k is a violation of the history. */
#ifndef PLUMB_ENGINE_GENERAL_WEAKEN_H
#define PLUMB_ENGINE_GENERAL_WEAKEN_H

#include "engine/engine.h"

#define LEVEL_OPEN UINT32_MAX /* `last` of an operation that has not returned */

typedef struct levels {
    uint32_t *first, *last; /* by position; of operations called so far */
    uint32_t called;
    uint32_t top; /* the current level */
    uint32_t k;
    bool returned; /* something returned since the last call: the next call has a new past */
    bool forgot;   /* levels were merged */
} levels;

/* k UINT32_MAX: forgets nothing. `n`: operations at most. */
void levels_init(levels *l, uint32_t n, uint32_t k);
void levels_free(levels *l);
/* Online: at each moment the levels are those of A_k of the history so far. Operations are called in order of
 * position. */
void levels_call(levels *l);
void levels_return(levels *l, uint32_t position);

/* Offline: all events of the part, then the shift. The result is the same. */
void levels_of_part(levels *l, const problem *p, uint32_t k);

/* The events of a part in order: 2 * position, +1 for a return. To be freed. */
uint32_t *part_events(const problem *p, uint32_t *count);

/* The operations called so far with the order of the levels instead of theirs; what has not returned by `cut` is
 * pending. Operation i is p->op[i]. To be freed before the history of `p`. */
history *levels_history(const levels *l, const problem *p, uint32_t cut);

#endif
