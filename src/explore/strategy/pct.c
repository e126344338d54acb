/* Random priorities with a few change points (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with
 * probabilistic guarantees of finding bugs, ASPLOS 2010): a bug of depth d among n threads and k steps is found by one
 * execution with probability at least 1/(n k^(d-1)). */
#include "base/mem.h"
#include "base/random.h"
#include "explore/strategy/walk.h"

#include <assert.h>

enum { CHANGES_MAX = 16, FIRST_GUESS = 50, SOME_PRIORITY = 1 << 20 };

typedef struct pct_walk {
    walk k;
    random_source source;
    uint32_t longest;             /* execution so far */
    uint32_t change[CHANGES_MAX]; /* at these steps */
    unsigned changes;
    int64_t priority[THREADS_MAX];
    thread_set has_priority;
    int64_t lowest;
} pct_walk;

static void begin(walk *k) {
    pct_walk *p = (pct_walk *)k;
    p->changes = k->o.depth > CHANGES_MAX ? CHANGES_MAX : k->o.depth;
    for (unsigned i = 0; i < p->changes; i++) p->change[i] = random_below(&p->source, p->longest);
    p->has_priority = 0;
    p->lowest = 0;
    assert(p->changes <= CHANGES_MAX && p->longest >= FIRST_GUESS);
}

static int highest(pct_walk *p, thread_set s) {
    assert(s);
    const thread_set all = s;
    int best = (int)thread_lowest(s);
    for (; s; s &= s - 1) {
        int t = (int)thread_lowest(s);
        if (!(p->has_priority >> t & 1)) p->priority[t] = SOME_PRIORITY + random_below(&p->source, SOME_PRIORITY);
        p->has_priority |= thread_bit((unsigned)t);
        if (p->priority[t] > p->priority[best]) best = t;
    }
    for (s = all; s; s &= s - 1) assert(p->priority[thread_lowest(s)] <= p->priority[best]);
    assert(!(all & ~p->has_priority));
    return best;
}

static int pick(walk *k, world *w, node *d) {
    pct_walk *p = (pct_walk *)k;
    int t = highest(p, d->enabled);
    bool change = w->pending[t].kind == STEP_YIELD; /* a yield asks for another thread */
    for (unsigned i = 0; i < p->changes; i++) change = change || p->change[i] == w->steps;
    if (change) {
        p->priority[t] = --p->lowest;
        assert(p->lowest < 0); /* below every priority that is drawn */
        t = highest(p, d->enabled);
    }
    d->backtrack = thread_bit((unsigned)t);
    return t;
}

static unsigned choose(walk *k, unsigned n) { return random_below(&((pct_walk *)k)->source, n); }

static void end(walk *k, world *w) {
    pct_walk *p = (pct_walk *)k;
    if (w->steps > p->longest) p->longest = w->steps;
}

static const policy pct_policy = {.pick = pick, .choose = choose, .begin = begin, .end = end};
extern const strategy_type strategy_pct;

static strategy *open(const strategy_options *o) {
    pct_walk *p = MEM_NEW(pct_walk);
    walk_init(&p->k, &strategy_pct, &pct_policy, o);
    p->k.n.symmetry = false;
    p->source.s = o->seed;
    p->longest = FIRST_GUESS;
    return &p->k.base;
}

const strategy_type strategy_pct = {
    .name = "pct",
    .summary = "random priorities with a few change points",
    .open = open,
    WALK_FUNCTIONS,
};
