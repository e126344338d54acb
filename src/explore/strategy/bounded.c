/* Every interleaving with at most so many preemptions (Musuvathi, Qadeer: Iterative context bounding, PLDI 2007): a
 * switch away from a thread that could have gone on. Most bugs need very few. */
#include "base/mem.h"
#include "explore/strategy/walk.h"

#include <assert.h>

enum { YIELDS_UNFAIR = 8 };

static thread_set about_to_yield(const world *w, const node *d) {
    thread_set found = 0;
    for (thread_set left = d->enabled; left; left &= left - 1)
        if (w->pending[thread_lowest(left)].kind == STEP_YIELD) found |= left & -left;
    return found;
}

/* Threads that have yielded often enough while another one, which can go on, has not gone on at all: it is that one's
 * turn (Musuvathi, Qadeer: Fair stateless model checking, PLDI 2008). Never all of them: not the one that has waited
 * longest. Else there is no end to a loop that yields. */
static thread_set unfair(const nodes *n, const world *w, const node *d) {
    const thread_set yielding = about_to_yield(w, d);
    thread_set waiting = d->enabled, often = 0, found = 0;
    unsigned yields[THREADS_MAX] = {0};
    for (uint32_t i = n->depth - 1; yielding && waiting && i-- > 0;) {
        const unsigned t = n->at[i].thread;
        if (waiting >> t & 1) found |= often & ~thread_bit(t);
        waiting &= ~thread_bit(t);
        if (n->at[i].kind == STEP_YIELD && ++yields[t] == YIELDS_UNFAIR) often |= thread_bit(t);
    }
    for (; waiting; waiting &= waiting - 1) found |= often & ~(waiting & -waiting);
    return found & yielding;
}

static int pick(walk *k, world *w, node *d) {
    const thread_set held = unfair(&k->n, w, d);
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
