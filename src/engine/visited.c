#include "engine/visited.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 32 };

static configuration *table(size_t room) {
    configuration *t = MEM_ARRAY(configuration, room);
    memset(t, 0xff, room * sizeof *t);
    return t;
}

void visited_init(visited *v, budget *b) {
    *v = (visited){.at = table(FIRST_ROOM), .room = FIRST_ROOM, .budget = b};
    budget_charge(b, v->room * sizeof *v->at);
}

void visited_free(visited *v) {
    budget_refund(v->budget, v->room * sizeof *v->at);
    free(v->at);
    *v = (visited){0};
}

static size_t home(const visited *v, configuration c) {
    uint64_t h = hash_pair(c.mask, (uint64_t)c.deadline << 32 | c.situation);
    return (size_t)h & (v->room - 1);
}

static bool same(configuration a, configuration b) {
    return a.deadline == b.deadline && a.situation == b.situation && a.mask == b.mask;
}

static void grow(visited *v) {
    configuration *old = v->at;
    size_t old_room = v->room;
    v->room *= 2;
    budget_charge(v->budget, v->room * sizeof *v->at);
    v->at = table(v->room);
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].deadline == UINT32_MAX) continue;
        size_t at = home(v, old[i]);
        while (v->at[at].deadline != UINT32_MAX) at = (at + 1) & (v->room - 1);
        v->at[at] = old[i];
    }
    free(old);
    budget_refund(v->budget, old_room * sizeof *old);
}

bool visited_add(visited *v, configuration c) {
    size_t at = home(v, c);
    for (; v->at[at].deadline != UINT32_MAX; at = (at + 1) & (v->room - 1))
        if (same(v->at[at], c)) return false;
    v->at[at] = c;
    if (++v->count * 4 > v->room * 3) grow(v);
    return true;
}
