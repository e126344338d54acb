/* One execution for each trace: source sets say where to go (races.c), sleep sets where not to go again. */
#include "base/mem.h"
#include "explore/races.h"
#include "explore/symmetry.h"
#include "explore/walk.h"

static int pick(walk *k, world *w, node *d) {
    if (k->n.symmetry) symmetry_races(&k->n, w, d);
    thread_set awake = d->enabled & ~d->sleep;
    if (!awake) return PICK_STOP; /* whatever comes from here was seen from another node */
    int t = stay_or_lowest(d, awake);
    d->backtrack = 1u << t;
    return t;
}

/* Who waits at the end has a step that was never executed, and that could have been, before what it waits for. And a failure
 * keeps the others from steps that could have prevented it: they go on without the failing step, which sleeps meanwhile. */
static void end(walk *k, world *w) {
    nodes *n = &k->n;
    if (w->ending == ENDED_WELL || w->ending == ENDED_PRUNED) return;
    for (thread_set rest = w->live; rest; rest &= rest - 1) {
        unsigned t = (unsigned)__builtin_ctz(rest);
        if (!(w->pending[t].flags & STEP_ASSUMED)) pending_races(n, w, t);
    }
    if (w->ending != ENDED_BAD || w->failure == FAILURE_DEADLOCK || !n->depth) return;
    const node *last = &n->at[n->depth - 1];
    for (thread_set rest = last->enabled; rest; rest &= rest - 1)
        node_offer(n, n->depth - 1, rest & -rest, (unsigned)__builtin_ctz(rest));
}

static const policy dpor_policy = {.pick = pick, .end = end, .goes_back = true, .sleeps = true, .reverses = true};
extern const strategy_type strategy_dpor;

static strategy *open(const strategy_options *o) {
    walk *k = MEM_NEW(walk);
    walk_init(k, &strategy_dpor, &dpor_policy, o);
    return &k->base;
}

const strategy_type strategy_dpor = {
    .name = "dpor",
    .summary = "one execution for all interleavings that differ only in the order of independent steps",
    .exhaustive = true,
    .open = open,
    WALK_FUNCTIONS,
};
