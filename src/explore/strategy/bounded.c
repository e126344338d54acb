/* Every interleaving with at most so many preemptions (Musuvathi, Qadeer: Iterative context bounding, PLDI 2007): a
 * switch away from a thread that could have gone on. Most bugs need very few. */
#include "base/mem.h"
#include "explore/strategy/fair.h"
#include "explore/strategy/walk.h"

#include <assert.h>

static int pick(walk *k, world *w, node *d) {
    const thread_set held = fair_holds(&k->n, w, d);
    if (held && d->enabled & ~held) {
        k->cut = w->fair_only = true;
        d->backtrack = d->enabled & ~held;
        return stay_or_lowest(d, d->backtrack);
    }
    bool stay = !d->free_switch && d->preemptions >= k->o.bound;
    assert(d->preemptions <= k->o.bound || k->o.prefix);
    assert(!stay || d->enabled >> d->previous & 1);
    d->backtrack = stay ? thread_bit(d->previous) : d->enabled;
    if (d->backtrack != d->enabled) k->cut = true;
    return stay_or_lowest(d, d->backtrack);
}

/* While nothing was cut it matters whether another thread could go on there. */
static bool stays(const walk *k, const node *d) {
    return k->cut && d->preemptions + (unsigned)(!d->free_switch && d->thread != d->previous) >= k->o.bound;
}

static const policy bounded_policy = {.pick = pick, .stays = stays, .goes_back = true};
extern const strategy_type strategy_bounded;

static strategy *open(const strategy_options *o) {
    walk *k = MEM_NEW(walk);
    walk_init(k, &strategy_bounded, &bounded_policy, o);
    k->n.symmetry = false;
    return &k->base;
}

const strategy_type strategy_bounded = {
    .name = "bounded",
    .summary = "every interleaving with at most so many preemptions",
    .exhaustive = true,
    .open = open,
    WALK_FUNCTIONS,
};
