#include "explore/strategy/fair.h"

enum { YIELDS_UNFAIR = 8 };

static thread_set about_to_yield(const world *w, const node *d) {
    thread_set found = 0;
    for (thread_set left = d->enabled; left; left &= left - 1)
        if (w->pending[thread_lowest(left)].kind == STEP_YIELD) found |= left & -left;
    return found;
}

thread_set fair_holds(const nodes *n, const world *w, const node *d) {
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
