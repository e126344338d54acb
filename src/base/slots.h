/* Sets of slots: code that follows at most 64 open operations at a time gives each a slot, and keeps sets of them in a
 * word. */
#ifndef PLUMB_BASE_SLOTS_H
#define PLUMB_BASE_SLOTS_H

#include <assert.h>
#include <stdint.h>

static inline uint64_t slot_bit(unsigned slot) {
    assert(slot < 64);
    return UINT64_C(1) << slot;
}
/* of a set that is not empty */
static inline unsigned slot_lowest(uint64_t set) {
    assert(set);
    return (unsigned)__builtin_ctzll(set);
}
static inline unsigned slots_in(uint64_t set) { return (unsigned)__builtin_popcountll(set); }

#endif
