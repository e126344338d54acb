#include "explore/strategy/state_set.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

enum { SLOTS_FIRST = 1 << 12 };

static bool is_free(hash128 h) { return !(h.low | h.high); }

static hash128 *slot_of(const state_set *s, hash128 state) {
    uint64_t i = state.low & (s->slots - 1);
    while (!is_free(s->slot[i]) && !hash128_equal(s->slot[i], state)) i = (i + 1) & (s->slots - 1);
    return &s->slot[i];
}

/* While it grows both tables are there. */
static bool grow(state_set *s) {
    const state_set old = *s;
    const uint64_t slots = old.slots ? 2 * old.slots : SLOTS_FIRST;
    if (old.most && (slots + old.slots) * sizeof *s->slot > old.most) return false;
    s->slot = MEM_ARRAY(hash128, slots);
    s->slots = slots;
    for (uint64_t i = 0; i < slots; i++) s->slot[i] = (hash128){0};
    for (uint64_t i = 0; i < old.slots; i++)
        if (!is_free(old.slot[i])) *slot_of(s, old.slot[i]) = old.slot[i];
    free(old.slot);
    return true;
}

state_seen state_set_add(state_set *s, hash128 state) {
    if (is_free(state)) state.low = 1;
    if (4 * s->count >= 3 * s->slots && !grow(s)) return STATE_NO_ROOM;
    hash128 *at = slot_of(s, state);
    if (!is_free(*at)) return STATE_SEEN;
    *at = state;
    s->count++;
    assert(s->count < s->slots);
    return STATE_NEW;
}

void state_set_free(state_set *s) {
    free(s->slot);
    *s = (state_set){.most = s->most};
}
