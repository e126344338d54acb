/* From time stamps to ranks: events sorted by (stamp, calls before returns), by radix, in time linear in the number of
 * events. A call may be placed behind a return with the same stamp. */
#ifndef PLUMB_HISTORY_RANK_H
#define PLUMB_HISTORY_RANK_H

#include <stdbool.h>
#include <stdint.h>

/* The permutation that sorts `key` stably: order[0] is the index of the smallest. NULL when key is sorted already. */
uint32_t *rank_sort(const int64_t *key, uint32_t n);

/* Is there a return with the stamp of a call? Calls are sorted. */
bool rank_touches(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n);

/* Ranks for calls (sorted ascending) and returns; a return of `never` is a pending operation's. after[i], unless it is
 * RANK_NEVER: the operation whose return, with the same stamp, comes right before the call of i; of calls with equal
 * stamps, those are the last. `after` may be NULL. Returns the number of events. */
uint32_t rank_events(const int64_t *call_time, const int64_t *ret_time, int64_t never, uint32_t n,
                     const uint32_t *after, uint32_t *call, uint32_t *ret);

#endif
