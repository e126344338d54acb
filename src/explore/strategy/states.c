/* Every state once. A state that was seen before goes on as it did then, so the execution ends there: what is explored
 * is the graph of states, not the tree of executions (docs/proofs/states.md). A state is the world's, and what of the
 * history so far the verdict depends on. */
#include "base/mem.h"
#include "explore/strategy/state_set.h"
#include "explore/strategy/walk.h"

typedef struct state_walk {
    walk walk;
    state_set seen;
} state_walk;

static hash128 state_of(const walk *k, const world *w) {
    hash128 h = w->state(w);
    if (!k->o.history) return h;
    const hash128 more = k->o.history(k->o.history_self, w);
    hash128_words(&h, more.low, more.high);
    return hash128_done(&h);
}

static int pick(walk *k, world *w, node *d) {
    state_walk *s = (state_walk *)k;
    switch (state_set_add(&s->seen, state_of(k, w))) {
    case STATE_SEEN: return PICK_STOP;
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
    state_set_free(&((state_walk *)s)->seen);
    walk_close(s);
}

static uint64_t states(const strategy *s) { return ((const state_walk *)s)->seen.count; }

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
