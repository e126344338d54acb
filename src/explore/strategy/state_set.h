/* States that were seen, as numbers of 128 bits: open addressing, at most so many bytes. */
#ifndef PLUMB_EXPLORE_STRATEGY_STATE_SET_H
#define PLUMB_EXPLORE_STRATEGY_STATE_SET_H

#include "base/hash128.h"

typedef struct state_set {
    hash128 *slot; /* both halves zero: free */
    uint64_t slots, count;
    uint64_t most; /* bytes; 0: no limit */
} state_set;

typedef enum state_seen {
    STATE_NEW,
    STATE_SEEN,
    STATE_NO_ROOM, /* it may have been seen or not */
} state_seen;

state_seen state_set_add(state_set *s, hash128 state);
void state_set_free(state_set *s);

#endif
