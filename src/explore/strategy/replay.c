/* One given schedule, once. Behind its end the thread that ran goes on for as long as it can. */
#include "base/mem.h"
#include "explore/strategy/walk.h"

static int pick(walk *k, world *w, node *d) {
    (void)k, (void)w;
    int t = stay_or_lowest(d, d->enabled);
    d->backtrack = thread_bit((unsigned)t);
    return t;
}

static void end(walk *k, world *w) {
    (void)w;
    k->finished = true;
}

static const policy replay_policy = {.pick = pick, .end = end};
extern const strategy_type strategy_replay;

static strategy *open(const strategy_options *o) {
    walk *k = MEM_NEW(walk);
    walk_init(k, &strategy_replay, &replay_policy, o);
    k->n.symmetry = false;
    k->driver.any_order = true;
    return &k->base;
}

const strategy_type strategy_replay = {
    .name = "replay",
    .summary = "one given schedule",
    .open = open,
    WALK_FUNCTIONS,
};
