/* Every interleaving: nothing is left out, so the others are measured against it. */
#include "base/mem.h"
#include "explore/strategy/walk.h"

static int pick(walk *k, world *w, node *d) {
    (void)k, (void)w;
    d->backtrack = d->enabled;
    return stay_or_lowest(d, d->enabled);
}

static const policy dfs_policy = {.pick = pick, .goes_back = true};
extern const strategy_type strategy_dfs;

static strategy *open(const strategy_options *o) {
    walk *k = MEM_NEW(walk);
    walk_init(k, &strategy_dfs, &dfs_policy, o);
    k->n.symmetry = false;
    return &k->base;
}

const strategy_type strategy_dfs = {
    .name = "dfs",
    .summary = "every interleaving, without any reduction",
    .exhaustive = true,
    .open = open,
    WALK_FUNCTIONS,
};
