/* Every state once. A state that was seen before goes on as it did then, so the execution ends there: what is explored
 * is the graph of states, not the tree of executions (docs/proofs/states.md). A state is the world's, and what of the
 * history so far the verdict depends on. */
#include "base/mem.h"
#include "explore/strategy/state_set.h"
#include "explore/strategy/walk.h"

#include <stdlib.h>

typedef struct state_walk {
    walk walk;
    state_set seen;
    hash128 *path; /* the states of the current execution, by depth */
    uint32_t path_room;
    uint64_t cycles;
} state_walk;

static hash128 state_of(const walk *k, const world *w) {
    hash128 h = w->state(w);
    if (!k->o.history) return h;
    const hash128 more = k->o.history(k->o.history_self, w);
    hash128_words(&h, more.low, more.high);
    return hash128_done(&h);
}

/* A join is made without asking: no state is kept there. */
static bool is_on_path(const state_walk *s, uint32_t depth, hash128 state) {
    for (uint32_t i = 0; i < depth; i++)
        if (hash128_equal(s->path[i], state) && s->walk.n.at[i].kind != STEP_JOIN) return true;
    return false;
}

static void path_set(state_walk *s, uint32_t depth, hash128 state) {
    if (depth >= s->path_room) {
        s->path_room = 2 * depth + 64;
        s->path = MEM_GROW(s->path, hash128, s->path_room);
    }
    s->path[depth] = state;
}

static int pick(walk *k, world *w, node *d) {
    state_walk *s = (state_walk *)k;
    const hash128 state = state_of(k, w);
    const uint32_t depth = k->n.depth - 1;
    path_set(s, depth, state);
    switch (state_set_add(&s->seen, state)) {
    case STATE_SEEN: s->cycles += is_on_path(s, depth, state); return PICK_STOP;
    case STATE_NO_ROOM: k->cut = k->finished = true; return PICK_STOP;
    case STATE_NEW: break;
    }
    d->backtrack = d->enabled;
    return stay_or_lowest(d, d->enabled);
}

static const policy states_policy = {.pick = pick, .goes_back = true};
extern const strategy_type strategy_states;

static strategy *open(const strategy_options *o) {
    state_walk *s = MEM_NEW(state_walk);
    walk_init(&s->walk, &strategy_states, &states_policy, o);
    s->walk.n.symmetry = false;
    s->walk.driver.compares = true;
    s->seen.most = o->memory;
    return &s->walk.base;
}

static void close(strategy *s) {
    free(((state_walk *)s)->path);
    state_set_free(&((state_walk *)s)->seen);
    walk_close(s);
}

static state_counts states(const strategy *s) {
    const state_walk *k = (const state_walk *)s;
    return (state_counts){.states = k->seen.count, .cycles = k->cycles};
}

const strategy_type strategy_states = {
    .name = "states",
    .summary = "every state of the program and its monitor once",
    .exhaustive = true,
    .open = open,
    .states = states,
    .next = walk_next,
    .done = walk_done,
    .close = close,
    .order = walk_order,
    .clocks = walk_clocks,
    .schedule = walk_schedule,
    .preemptions = walk_preemptions,
    .cut = walk_cut,
    .diverged = walk_diverged,
    .explored = walk_explored,
};
