/* One execution for each trace: source sets say where to go (races.c), sleep sets where not to go again. */
#include "base/mem.h"
#include "explore/reduction/races.h"
#include "explore/reduction/symmetry.h"
#include "explore/strategy/walk.h"

#include <assert.h>

static int pick(walk *k, world *w, node *d) {
    (void)k, (void)w;
    thread_set awake = d->enabled & ~d->sleep;
    if (!awake) return PICK_STOP; /* whatever comes from here was seen from another node */
    int t = stay_or_lowest(d, awake);
    d->backtrack = thread_bit((unsigned)t);
    assert(awake & d->backtrack);
    return t;
}

/* A thread that waits or is held back has a step that was not executed, and that could have been before what keeps it.
 * At a node where all others sleep as well: what woke it elsewhere may have hidden that race. */
static void waiting_races(walk *k, world *w) {
    for (thread_set rest = w->live & (~w->enabled | k->held); rest; rest &= rest - 1) {
        unsigned t = thread_lowest(rest);
        if (!(w->pending[t].flags & STEP_ASSUMED)) pending_races(&k->n, w, t);
    }
}

/* A failure keeps the others from steps that could have prevented it: they go on without the failing step, which sleeps
 * meanwhile. */
static void let_others_go_on(nodes *n) {
    const node *last = &n->at[n->depth - 1];
    assert(last->backtrack >> last->thread & 1);
    for (thread_set rest = last->enabled; rest; rest &= rest - 1)
        node_offer(n, n->depth - 1, rest & -rest, thread_lowest(rest));
}

static void end(walk *k, world *w) {
    if (w->ending == ENDED_WELL) return;
    waiting_races(k, w);
    if (w->ending == ENDED_BAD && w->failure != FAILURE_DEADLOCK && k->n.depth) let_others_go_on(&k->n);
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
