#include "explore/strategy/walk.h"

#include "base/mem.h"
#include "explore/model/schedule.h"
#include "explore/strategy/share.h"
#include "explore/reduction/symmetry.h"

#include <assert.h>
#include <stdlib.h>

int stay_or_lowest(const node *d, thread_set s) {
    assert(s && !(s >> THREADS_MAX));
    return d->previous != NO_THREAD && s >> d->previous & 1 ? d->previous : (int)thread_lowest(s);
}

/* What is independent of all other steps goes first, and alone. */
static int ready_first(const world *w) {
    for (thread_set rest = w->enabled; rest; rest &= rest - 1) {
        int t = (int)thread_lowest(rest);
        if (kind_goes_first(w->pending[t].kind)) return t;
    }
    return PICK_STOP;
}

/* ---- what holds of nodes ---- */

/* Of a node with its thread picked. */
static void check_picked(const walk *k, const node *d) {
    (void)k, (void)d;
    assert(!(d->enabled & ~d->able) && !(d->backtrack & ~d->able));
    assert(d->thread < THREADS_MAX && d->backtrack >> d->thread & 1);
    assert(!(d->sleep >> d->thread & 1));
    assert(k->policy->sleeps || d->shared || !(d->sleep & ~d->backtrack)); /* nothing but what was explored from here */
}

/* Nothing is left to explore at nodes from..to-1. */
#ifdef PLUMB_SELF_CHECKS
static void check_are_explored(const nodes *n, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        const node *d = &n->at[i];
        assert(d->closed || d->shared || !(d->backtrack & d->enabled & ~d->sleep & ~thread_bit(d->thread)));
    }
}
#else
static void check_are_explored(const nodes *n, uint32_t from, uint32_t to) { (void)n, (void)from, (void)to; }
#endif

/* ---- new nodes ---- */

/* What is recorded of the step is filled in when it is. */
static void clear_node(node *d, thread_set enabled) {
    d->able = d->enabled = enabled;
    d->backtrack = d->sleep = 0;
    d->marked = d->preemptions = 0;
    d->thread = d->previous = NO_THREAD;
    d->flags = 0;
    d->closed = false;
    d->shared = 0;
}

static void fill_node(walk *k, const world *w, node *d) {
    nodes *n = &k->n;
    const node *before = n->depth > 1 ? d - 1 : NULL;
    clear_node(d, w->enabled);
    if (before) {
        bool aside = kind_goes_first(before->kind);
        d->previous = aside ? before->previous : before->thread;
        d->preemptions = (uint16_t)node_preemptions_behind(before);
        d->marked =
            (thread_set_packed)(before->marked | (before->flags & STEP_MARKER ? thread_bit(before->thread) : 0));
        assert(!(before->marked & ~d->marked));
        assert(d->preemptions >= before->preemptions && d->preemptions <= before->preemptions + 1);
        assert(aside || d->previous == n->thread[n->depth - 2]);
    }
    d->free_switch =
        d->previous == NO_THREAD || !(w->enabled >> d->previous & 1) || w->pending[d->previous].kind == STEP_YIELD;
    if (k->policy->sleeps && before) d->sleep = sleep_inherited(n, w, before);
    if (n->symmetry) symmetry_apply(n, w, d);
    if (n->symmetry && k->policy->reverses) symmetry_races(n, w, d);
    k->held = 0;
    if (!k->policy->reverses) return;
    thread_set windows = window_holds(w);
    if (windows) held_races(n, w, windows);
    k->held = retry_holds(n, w) | windows;
    d->enabled &= ~k->held;
    assert(!(d->enabled & ~d->able));
    assert(!(d->sleep & ~d->able) || ready_first(w) != PICK_STOP);
}

/* In a given prefix the threads below the given one count as explored before: the owners of those shares explore
 * them. */
static int pick_given(walk *k, node *d) {
    const schedule *p = k->o.prefix;
    assert(k->prefix_used < p->length);
    unsigned t = p->choice[k->prefix_used];
    bool thread = p->of[k->prefix_used] == 0;
    k->prefix_used++;
    if (!thread || t >= THREADS_MAX || !(d->able >> t & 1)) {
        k->diverged = true;
        return PICK_STOP;
    }
    if (k->policy->sleeps && !(d->enabled & ~d->sleep & thread_bit(t))) return PICK_STOP;
    d->closed = true;
    d->backtrack = thread_bit(t);
    if (k->policy->sleeps) d->sleep |= d->enabled & (d->backtrack - 1);
    return (int)t;
}

/* On the way to a claimed share of the work. */
static int pick_claimed(walk *k, node *d) {
    given_path *g = &k->given;
    assert(g->used < g->length && g->shared[g->used]);
    unsigned t = g->choice[g->used];
    if (!(d->able >> t & 1)) {
        k->diverged = true;
        return PICK_STOP;
    }
    d->shared = g->shared[g->used++];
    d->backtrack = thread_bit(t);
    if (g->used == g->length) d->sleep = g->sleep;
    return (int)t;
}

static bool has_path(const walk *k) {
    return k->given.used < k->given.length || (k->o.prefix && k->prefix_used < k->o.prefix->length);
}

static int pick_new(walk *k, world *w) {
    node *d = nodes_push(&k->n, NO_THREAD);
    fill_node(k, w, d);
    int t = PICK_STOP;
    if (k->given.used < k->given.length) t = pick_claimed(k, d);
    else if (k->o.prefix && k->prefix_used < k->o.prefix->length) t = pick_given(k, d);
    else if (k->policy->goes_back && (t = ready_first(w)) != PICK_STOP) d->backtrack = thread_bit((unsigned)t);
    else t = k->policy->pick(k, w, d);
    if (t == PICK_STOP) {
        k->n.depth--;
        return PICK_STOP;
    }
    w->branches = d->backtrack & (d->backtrack - 1);
    assert(k->n.forks < k->n.room && (!k->n.forks || k->n.fork[k->n.forks - 1] + 1 < k->n.depth));
    if (w->branches && !k->policy->reverses) k->n.fork[k->n.forks++] = k->n.depth - 1;
    d->thread = k->n.thread[k->n.depth - 1] = (uint8_t)t;
    check_picked(k, d);
    if (k->policy->stays && !has_path(k)) w->stays = k->policy->stays(k, d);
    return t;
}

static bool take_passed(walk *k, world *w) {
    nodes *n = &k->n;
    uint32_t i = n->recorded;
    bool same = i + 1 != n->depth || i + 1 != k->resume || n->trail[i] == w->pass[0].trail;
    if (i + 1 == n->depth && same) nodes_pass(n, w);
    else k->diverged = true;
    assert(k->diverged || n->recorded == i + w->passed);
    w->passed = 0;
    return !k->diverged;
}

/* The step before this moment is known by now. */
static bool take_step(walk *k, const world *w) {
    nodes *n = &k->n;
    n->threads = world_numbers(w);
    if (n->symmetry)
        for (unsigned t = 0; t < w->threads; t++) n->group[t] = w->group[t];
    if (w->steps > n->recorded) nodes_record(n, w, &w->last, k->policy->reverses);
    else if (w->steps && !node_is(&n->at[w->steps - 1], &w->last)) return false;
    return w->steps <= n->recorded;
}

static int diverge(walk *k) {
    k->diverged = true;
    return PICK_STOP;
}

static int walk_pick(void *self, world *w) {
    walk *k = self;
    uint32_t d = w->steps;
    assert(w->threads <= THREADS_MAX && (w->buffers || !(w->live >> w->threads)) && w->enabled &&
           !(w->enabled & ~w->live));
    k->picks = d + 1;
    if (w->passed && !take_passed(k, w)) return PICK_STOP;
    if (d == k->resume && d && k->n.trail[d - 1] != w->trail) return diverge(k);
    if (d > k->n.recorded || d >= k->resume) {
        if (!take_step(k, w)) return diverge(k);
        if (d >= k->resume) return pick_new(k, w);
    } else if (d && !node_is(&k->n.at[d - 1], &w->last)) return diverge(k);
    assert(d < k->n.depth);
    unsigned t = k->n.thread[d];
    return w->enabled >> t & 1 ? (int)t : diverge(k);
}

/* ---- choices ---- */

static unsigned choose_given(walk *k, uint32_t at, unsigned n) {
    const schedule *p = k->o.prefix;
    assert(k->prefix_used < p->length);
    unsigned taken = p->choice[k->prefix_used], of = p->of[k->prefix_used];
    k->prefix_used++;
    if (of != n || taken >= n) {
        k->diverged = true;
        taken = 0;
    }
    nodes_push_choice(&k->n, at, n, taken);
    k->n.choice[k->n.choices - 1].closed = true;
    return taken;
}

static unsigned choose_claimed(walk *k, uint32_t at, unsigned n) {
    given_path *g = &k->given;
    nodes_push_choice(&k->n, at, n, g->choice[g->used]);
    k->n.choice[k->n.choices - 1].shared = g->shared[g->used];
    return g->choice[g->used++];
}

static unsigned walk_choose(void *self, world *w, unsigned n, choice_kind kind) {
    (void)kind;
    walk *k = self;
    if (n <= 1) return 0;
    if (w->steps > k->picks) k->picks = w->steps; /* known picks are not asked for */
    if (n > UINT8_MAX) {
        n = UINT8_MAX;
        k->cut = true;
    }
    if (w->choices > k->choices_made) k->choices_made = w->choices;
    uint32_t i = k->choices_made++;
    assert(k->choice_resume <= k->n.choices && i <= k->n.choices);
    if (i < k->choice_resume) {
        const choice *c = &k->n.choice[i];
        assert(c->taken < c->n);
        if (c->n != n || c->at != k->picks) k->diverged = true;
        return c->taken;
    }
    if (k->given.used < k->given.length) return choose_claimed(k, k->picks, n);
    if (k->o.prefix && k->prefix_used < k->o.prefix->length) return choose_given(k, k->picks, n);
    unsigned taken = k->policy->choose ? k->policy->choose(k, n) : 0;
    assert(i == k->n.choices);
    nodes_push_choice(&k->n, k->picks, n, taken);
    return taken;
}

/* ---- from one execution to the next ---- */

static void resume_at(walk *k, uint32_t depth, uint32_t recorded) {
    assert(recorded <= depth && depth <= recorded + 1);
    nodes_forget(&k->n, recorded);
    k->n.depth = depth;
    k->resume = depth;
    k->choice_resume = k->n.choices;
    assert(k->n.recorded <= k->n.depth);
}

/* A choice can change what the step before it turned out to be: that one is recorded again. */
static bool next_choice(walk *k, choice *c) {
    if (c->closed || c->shared || c->taken + 1 >= c->n) return false;
    c->taken++;
    assert(c->taken < c->n);
    resume_at(k, c->at, c->at ? c->at - 1 : 0);
    return true;
}

static bool next_thread(walk *k, node *d) {
    d->sleep |= thread_bit(d->thread);
    thread_set left = d->backtrack & d->enabled & ~d->sleep;
    if (d->closed || d->shared || !left) return false;
    resume_at(k, k->n.depth, k->n.depth - 1); /* the step of the old thread is taken back */
    d->thread = k->n.thread[k->n.depth - 1] = (uint8_t)stay_or_lowest(d, left);
    check_picked(k, d);
    return true;
}

/* Most nodes have nothing but what was picked there. Unless races give them more, it is known which have. */
static void skip_forced(nodes *n, bool reverses) {
    const uint32_t least = n->choices ? n->choice[n->choices - 1].at : 0, deepest = n->depth;
    while (n->forks && n->fork[n->forks - 1] >= n->depth) n->forks--;
    const uint32_t fork = n->forks ? n->fork[n->forks - 1] + 1 : 0;
    if (reverses)
        while (n->depth > least && n->at[n->depth - 1].backtrack == thread_bit(n->at[n->depth - 1].thread)) n->depth--;
    else if (n->depth > least) n->depth = fork > least ? fork : least;
    assert(n->depth <= deepest);
    check_are_explored(n, n->depth, deepest);
}

static bool go_back(walk *k) {
    nodes *n = &k->n;
    for (;; n->depth--) {
        skip_forced(n, k->policy->reverses);
        for (; n->choices && n->choice[n->choices - 1].at >= n->depth; n->choices--)
            if (next_choice(k, &n->choice[n->choices - 1])) return true;
        if (!n->depth) return false;
        if (next_thread(k, &n->at[n->depth - 1])) return true;
    }
}

static void start_over(walk *k) {
    k->n.choices = k->n.forks = 0;
    k->prefix_used = 0;
    resume_at(k, 0, 0);
}

const driver *walk_next(strategy *s) {
    walk *k = (walk *)s;
    if (k->finished || k->diverged) return NULL;
    if (!k->started) k->n.knowing = !k->policy->reverses && !k->n.symmetry;
    if (k->o.share && k->policy->goes_back) {
        if (!share_next(k->o.share, k)) k->finished = true;
    } else if (k->started && k->policy->goes_back) {
        if (!go_back(k)) k->finished = true;
    } else start_over(k);
    if (k->finished) return NULL;
    k->started = true;
    k->choices_made = k->picks = 0;
    if (k->policy->begin) k->policy->begin(k);
    k->driver.known = k->n.thread;
    k->driver.knowns = k->resume;
    assert(k->resume == k->n.depth && k->choice_resume == k->n.choices);
    k->driver.stays = k->resume && k->policy->stays && k->policy->stays(k, &k->n.at[k->resume - 1]);
    return &k->driver;
}

bool walk_go_back(walk *k) { return go_back(k); }

void walk_restart(walk *k) {
    start_over(k);
    k->given.used = 0;
}

void walk_reserve_given(walk *k, uint32_t length) {
    given_path *g = &k->given;
    if (length <= g->room) return;
    g->room = 2 * length;
    g->choice = MEM_GROW(g->choice, uint8_t, g->room);
    g->shared = MEM_GROW(g->shared, uint32_t, g->room);
}

/* Which part of the tree one execution is, by the alternatives that are known along its path. Other processes explore
 * other parts: these add up. */
enum { PART_EVERY = 16 };
static double part_of_path(const nodes *n) {
    double part = 1;
    for (uint32_t c = 0; c < n->choices; c++) part /= n->choice[c].n;
    for (uint32_t d = 0; d < n->depth; d++) {
        thread_set known = (n->at[d].backtrack & n->at[d].enabled) | thread_bit(n->at[d].thread);
        part /= threads_in(known);
    }
    return part;
}

void walk_done(strategy *s, world *w) {
    walk *k = (walk *)s;
    k->world = w;
    if (w->steps < k->resume) k->diverged = true;
    if (w->passed) take_passed(k, w);
    if (w->ending != ENDED_PRUNED && !k->diverged) take_step(k, w);
    if (k->n.depth > w->steps + 1) k->n.depth = w->steps + 1;
    if (k->o.share && k->looks++ % PART_EVERY == 0) k->part += PART_EVERY * part_of_path(&k->n);
    if (k->policy->end && !k->diverged) k->policy->end(k, w);
}

/* ---- what others want to know ---- */

static trace_clocks clocks_of(const nodes *n) {
    return (trace_clocks){.thread = n->thread, .clock = (const uint16_t(*)[THREADS_MAX])n->clock, .steps = n->recorded};
}

trace_clocks walk_order(const strategy *s) {
    const nodes *n = &((const walk *)s)->n;
    if (!n->knowing) return clocks_of(n);
    return (trace_clocks){.thread = n->thread, .known = n->known.step, .steps = n->recorded};
}

trace_clocks walk_clocks(strategy *s) {
    walk *k = (walk *)s;
    if (k->world) nodes_reclock(&k->n, k->world);
    return clocks_of(&k->n);
}

void walk_schedule(const strategy *s, schedule *out) {
    const nodes *n = &((const walk *)s)->n;
    out->length = 0;
    for (uint32_t d = 0, c = 0; d <= n->depth; d++) {
        for (; c < n->choices && n->choice[c].at <= d; c++) schedule_add(out, n->choice[c].taken, n->choice[c].n);
        if (d < n->depth) schedule_add(out, n->thread[d], 0);
    }
    assert(out->length >= n->depth && out->length <= n->depth + n->choices);
}

unsigned walk_preemptions(const strategy *s) {
    const nodes *n = &((const walk *)s)->n;
    return n->recorded ? node_preemptions_behind(&n->at[n->recorded - 1]) : 0;
}

bool walk_cut(const strategy *s) {
    const walk *k = (const walk *)s;
    return k->cut || (k->o.share && share_cut(k->o.share, k->o.share_stage));
}
bool walk_diverged(const strategy *s) { return ((const walk *)s)->diverged; }

/* Of one that shares its work: see part_of_path. */
static double part_of_share(const walk *k) { return k->part < 1 ? k->part : 1; }

/* Every node's explored alternatives as a part of the known ones. Reductions add alternatives later: too high, then. */
double walk_explored(const strategy *s) {
    const walk *k = (const walk *)s;
    const nodes *n = &k->n;
    double part = 0, weight = 1;
    if (!k->policy->goes_back) return 0;
    if (k->o.share) return part_of_share(k);
    if (k->finished) return 1;
    for (uint32_t d = 0, c = 0; d <= n->depth; d++) {
        for (; c < n->choices && n->choice[c].at <= d; c++) {
            weight /= n->choice[c].n;
            part += weight * n->choice[c].taken;
        }
        if (d == n->depth) break;
        thread_set known = n->at[d].backtrack & n->at[d].enabled, done = known & n->at[d].sleep;
        if (!known) continue;
        weight /= threads_in(known);
        part += weight * threads_in(done & ~thread_bit(n->thread[d]));
    }
    assert(part >= 0 && part <= 1.000001);
    return part;
}

void walk_init(walk *k, const strategy_type *type, const policy *p, const strategy_options *o) {
    k->base.type = type;
    k->policy = p;
    k->o = *o;
    k->driver = (driver){.pick = walk_pick, .choose = walk_choose, .self = k, .foresees = !p->reverses};
    nodes_init(&k->n);
    k->n.symmetry = o->symmetry;
    k->n.share = o->share;
    k->n.share_stage = o->share_stage;
    k->n.offer_shared = share_offer;
}

void walk_close(strategy *s) {
    walk *k = (walk *)s;
    if (k->o.share && k->policy->goes_back) share_leave(k->o.share, k);
    nodes_free(&k->n);
    FREE_ALL(k->given.choice, k->given.shared, k->published, k);
}
