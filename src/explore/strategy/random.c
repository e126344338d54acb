/* A fair coin at every step: a smoke test. */
#include "base/mem.h"
#include "base/random.h"
#include "explore/strategy/walk.h"

#include <assert.h>

typedef struct random_walk {
    walk k;
    random_source source;
} random_walk;

static int pick(walk *k, world *w, node *d) {
    (void)w;
    thread_set s = d->enabled;
    for (uint32_t skip = random_below(&((random_walk *)k)->source, threads_in(s)); skip; skip--) s &= s - 1;
    assert(s);
    d->backtrack = s & -s;
    return (int)thread_lowest(s);
}

static unsigned choose(walk *k, unsigned n) { return random_below(&((random_walk *)k)->source, n); }

static const policy random_policy = {.pick = pick, .choose = choose};
extern const strategy_type strategy_random;

static strategy *open(const strategy_options *o) {
    random_walk *r = MEM_NEW(random_walk);
    walk_init(&r->k, &strategy_random, &random_policy, o);
    r->k.n.symmetry = false;
    r->source.s = o->seed;
    return &r->k.base;
}

const strategy_type strategy_random = {
    .name = "random",
    .summary = "any thread at every step",
    .open = open,
    WALK_FUNCTIONS,
};
