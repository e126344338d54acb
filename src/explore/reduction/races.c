/* Source sets (Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction, POPL 2014), algorithm 1.
 *
 * Let step e be in a race with a step s of thread p that comes behind it, and let v be what comes behind e without
 * happening after e, and then s. The other order of the race begins, at the node of e, with v: it is covered as soon as
 * one of the *initials* of v is explored there, the threads whose first step in v has no predecessor in v. */
#include "explore/reduction/races.h"

#include "explore/model/dependence.h"

#include <assert.h>
#include <string.h>

thread_set alternatives_needed(const alternatives *a, thread_set initials, unsigned preferred) {
    thread_set c = initials & a->enabled;
    assert(preferred < THREADS_MAX);
    if (c & (a->backtrack | a->sleep)) return 0; /* a sleeping one is covered elsewhere: nothing is to be done */
    /* the step waited for e: whatever else there is may make it possible */
    if (!c) return a->enabled & ~a->backtrack;
    return c >> preferred & 1 ? thread_bit(preferred) : c & -c;
}

void node_offer(nodes *n, uint32_t i, thread_set initials, unsigned preferred) {
    node *e = &n->at[i];
    assert(i < n->depth && !(e->enabled & ~e->able) && !(e->backtrack & ~e->able));
    if (e->closed) return;
    if (e->shared) n->offer_shared(n->share, n->share_stage, e->shared, initials, preferred);
    else e->backtrack |= alternatives_needed(&(alternatives){e->enabled, e->backtrack, e->sleep}, initials, preferred);
    assert(!(e->backtrack & ~e->able));
    assert(e->shared || !(initials & e->enabled) || initials & e->enabled & (e->backtrack | e->sleep));
}

/* The initials of v; `clock` is of thread p's step. `needed`: of v only what p's step needs, by this clock; NULL: all
 * of it. */
static thread_set find_initials(const nodes *n, uint32_t i, const race_query *q, const uint16_t *clock,
                                const uint16_t *needed) {
    const node *e = &n->at[i];
    const uint16_t *before = n->count[i], *now = n->count[q->depth];
    const uint16_t *first[THREADS_MAX]; /* clocks of first steps */
    thread_set v = 0, initials = 0;
    for (unsigned t = 0; t < n->threads; t++) {
        if (t == e->thread || now[t] == before[t] || (needed && needed[t] <= before[t])) continue;
        const uint16_t *c = n->clock[n->position[before[t]][t]];
        assert(c[t] == before[t] + 1); /* its first step behind node i */
        if (c[e->thread] >= e->index) continue;
        first[t] = c;
        v |= thread_bit(t);
    }
    if (now[q->thread] == before[q->thread]) {
        first[q->thread] = clock;
        v |= thread_bit(q->thread);
    }
    for (thread_set rest = v; rest; rest &= rest - 1) {
        unsigned t = thread_lowest(rest);
        bool initial = true;
        for (thread_set others = v & ~thread_bit(t); others && initial; others &= others - 1) {
            unsigned r = thread_lowest(others);
            initial = first[t][r] <= before[r];
        }
        if (initial) initials |= thread_bit(t);
    }
    assert(v >> q->thread & 1 && !(v >> e->thread & 1));
    assert(initials); /* happens-before has no cycles */
    return initials;
}

/* Was p waiting at the node of e, before this very step, so that e was needed for it? */
static bool waited_for(const nodes *n, uint32_t i, const race_query *q) {
    return (q->flags & (STEP_WAITS | STEP_AWAIT)) && !(n->at[i].able >> q->thread & 1) &&
           n->count[i][q->thread] == n->count[q->depth][q->thread];
}

static dependence depends(const nodes *n, uint32_t i, const race_query *q) {
    const node *e = &n->at[i];
    dependence d = places_dependent(e->at, e->kind, q->at, q->kind);
    if (q->marker && d != RACING && n->symmetry && (e->flags & STEP_MARKER) && !(e->marked >> e->thread & 1) &&
        n->group[e->thread] && n->group[e->thread] == n->group[q->thread])
        d = RACING;
    /* A write cannot come into a window; it can come before, which is a race with the read that opened it. */
    if (d == RACING && e->flags & STEP_INSIDE && q->at[0].role == PLACE_WRITE && q->at[0].address == e->at[0].address)
        d = ORDERED;
    return d;
}

typedef struct race_state {
    uint16_t *clock; /* all that happens before */
    clock_row raced; /* the same without what only had to come first: a race may hide behind it */
} race_state;

static bool changes_place_of(const node *e, const race_query *q) {
    for (unsigned i = 0; i < 4; i++) {
        const place *a = &e->at[i >> 1], *b = &q->at[i & 1];
        if (a->role > PLACE_READ && b->role && places_overlap(a, b)) return true;
    }
    return false;
}

/* The threads whose markers are in v. */
static thread_set marked_in(const nodes *n, uint32_t i) {
    const node *e = &n->at[i];
    thread_set marked = 0;
    for (int32_t a = n->newest[MARKER_BUCKET]; a >= 0 && n->access[a].step > i; a = n->access[a].older) {
        uint32_t j = n->access[a].step;
        assert(n->at[j].flags & STEP_MARKER);
        if (n->clock[j][e->thread] < e->index) marked |= thread_bit(n->thread[j]);
    }
    return marked;
}

/* The other order of the race has p's marker where the rule of symmetry does not allow it. What p's step finds in
 * memory is the same without e, unless e wrote there: it still is a marker. */
static bool breaks_symmetry(const nodes *n, uint32_t i, const race_query *q) {
    if (!q->marker || !n->group[q->thread] || changes_place_of(&n->at[i], q)) return false;
    thread_set marked = n->at[i].marked | marked_in(n, i);
    for (unsigned t = 0; t < q->thread; t++)
        if (n->group[t] == n->group[q->thread] && !(marked >> t & 1)) return true;
    return false;
}

/* A step that waited at the node of e comes before e only if something that e has nothing to do with made it possible.
 * Of a semaphore any other release may do. False: no execution that counts has the other order. */
static bool reverse(nodes *n, uint32_t i, const race_query *q, const race_state *r, bool waited) {
    const node *e = &n->at[i];
    assert(e->thread != q->thread && i < q->depth);
    if (breaks_symmetry(n, i, q)) return false;
    bool other = waited && !kind_is_semaphore(e->kind);
    thread_set initials = find_initials(n, i, q, r->clock, other ? r->clock : NULL);
    if (!(initials & e->enabled) && !(initials & ~e->able)) return false; /* all are held back */
    if (!other || initials & e->enabled) node_offer(n, i, initials, q->thread);
    return true;
}

/* Step i against the query, unless it is known to come before. */
static void meet_new(nodes *n, uint32_t i, const race_query *q, race_state *r) {
    dependence d = depends(n, i, q);
    if (d == INDEPENDENT) return;
    bool waited = waited_for(n, i, q);
    bool hides = d == RACING && !waited;
    if (d == RACING && q->reverse) hides &= reverse(n, i, q, r, waited);
    if (hides) clock_join(r->raced, n->clock[i]);
    clock_join(r->clock, n->clock[i]);
    assert(r->clock[n->at[i].thread] >= n->at[i].index);
    for (unsigned t = 0; t < THREADS_MAX; t++) assert(r->raced[t] <= r->clock[t]);
}

static inline void meet(nodes *n, uint32_t i, const race_query *q, race_state *r) {
    const node *e = &n->at[i];
    assert(i < q->depth);
    if (e->thread != q->thread && e->index > r->raced[e->thread]) meet_new(n, i, q, r);
}

static bool place_covers(const place *a, const place *b) {
    return a->address <= b->address && a->address + a->size >= b->address + b->size;
}

/* Everything older at place p happens before step i, and step i before whatever is at p now. Of what is older than its
 * own reading a thread that reads again knows all that matters: the writes. */
static bool dominates(const node *e, const place *p, const race_query *q, const race_state *r) {
    const place *w = &e->at[0];
    if (!place_covers(w, p)) return false;
    if (w->role == PLACE_READ) return p->role == PLACE_READ && e->thread == q->thread;
    return (w->role == PLACE_WRITE || w->role == PLACE_ACQUIRE) &&
           (e->thread == q->thread || e->index <= r->raced[e->thread]);
}

static void walk_all(nodes *n, const race_query *q, race_state *r) {
    for (uint32_t i = q->depth; i-- > 0;) meet(n, i, q, r);
}

void races_order(const nodes *n, unsigned thread, const place *p, uint16_t *clock, int32_t a) {
    const touch *access = n->access;
    const node *at = n->at;
    const bool reads = p->role == PLACE_READ;
    for (; a >= 0; a = access[a].older) {
        if (reads && (a = access[a].change) < 0) return;
        const uint32_t i = access[a].step;
        const node *e = &at[i];
        assert(access[a].older < a && access[a].change <= a && e->thread == n->thread[i]);
        bool known = e->thread == thread || e->index <= clock[e->thread];
        if (!known && (place_dependence(&e->at[0], p) || (e->at[1].role && place_dependence(&e->at[1], p)))) {
            clock_join(clock, n->clock[i]);
            known = true;
        }
        if (known && e->at[0].role != PLACE_READ && (e->at[0].role == PLACE_WRITE || e->at[0].role == PLACE_ACQUIRE) &&
            place_covers(&e->at[0], p))
            return;
    }
}

enum { MOST_LISTS = 2 * MOST_GRANULES + 2 };

typedef struct access_cursor {
    int32_t at;         /* in a list of accesses; -1: nothing of interest is older */
    const place *place; /* what is looked for there; NULL: anything */
} access_cursor;

/* Reads are independent of reads. */
static void skip_reads(const nodes *n, access_cursor *c) {
    if (c->at >= 0 && c->place && c->place->role == PLACE_READ) c->at = n->access[c->at].change;
}

static void go_behind(const nodes *n, access_cursor *c, uint32_t i, const race_query *q, const race_state *r) {
    assert(c->at < 0 || n->access[c->at].step <= i); /* none was passed over */
    if (c->at < 0 || n->access[c->at].step != i) return;
    bool ends = c->place && dominates(&n->at[i], c->place, q, r);
    while (c->at >= 0 && n->access[c->at].step == i) c->at = ends ? -1 : n->access[c->at].older;
    skip_reads(n, c);
}

/* One list is the common case: one place of at most eight bytes. */
static void walk_one(nodes *n, const race_query *q, race_state *r, access_cursor *c) {
    while (c->at >= 0) {
        uint32_t i = n->access[c->at].step;
        meet(n, i, q, r);
        if (dominates(&n->at[i], c->place, q, r)) return;
        c->at = n->access[c->at].older;
        skip_reads(n, c);
    }
}

/* Several lists, merged: the newest step first, or pairs that something in between orders would pass for races. */
static void walk_lists(nodes *n, const race_query *q, race_state *r, access_cursor *list, unsigned lists) {
    for (uint32_t last = q->depth;;) {
        int32_t newest = -1;
        for (unsigned k = 0; k < lists; k++)
            if (list[k].at >= 0 && (newest < 0 || n->access[list[k].at].step > n->access[newest].step))
                newest = list[k].at;
        if (newest < 0) return;
        uint32_t i = n->access[newest].step;
        assert(i < last); /* the newest first, each once */
        last = i;
        meet(n, last, q, r);
        for (unsigned k = 0; k < lists; k++) go_behind(n, &list[k], i, q, r);
    }
}

static void add_list(const nodes *n, access_cursor *list, unsigned *lists, uint32_t bucket, const place *p) {
    access_cursor c = {n->newest[bucket], p};
    skip_reads(n, &c);
    assert(*lists < MOST_LISTS);
    if (c.at >= 0) list[(*lists)++] = c;
}

/* The lists in which steps that touch the query's places stand; false: too many, look at all steps. */
static bool find_lists(const nodes *n, const race_query *q, access_cursor *list, unsigned *lists) {
    bool any = false;
    for (unsigned i = 0; i < 2; i++) {
        const place *p = &q->at[i];
        if (!p->role) continue;
        uintptr_t first = p->address >> GRANULE_SHIFT, last = (p->address + p->size - !!p->size) >> GRANULE_SHIFT;
        if (last - first >= MOST_GRANULES) return false;
        for (uintptr_t g = first; g <= last; g++) add_list(n, list, lists, bucket_of(g), p);
        any = true;
    }
    if (any) add_list(n, list, lists, WIDE_BUCKET, NULL);
    if (q->marker) add_list(n, list, lists, MARKER_BUCKET, NULL);
    return true;
}

void races_find(nodes *n, const race_query *q, uint16_t *clock) {
    access_cursor list[MOST_LISTS];
    unsigned lists = 0;
    race_state r;
    const bool counted = q->depth == n->recorded; /* not of steps made without a question */
    assert(q->depth >= n->recorded && q->thread < THREADS_MAX && (counted || !q->reverse));
    assert(!counted || clock[q->thread] == n->count[q->depth][q->thread]);
    r.clock = clock;
    memcpy(r.raced, clock, sizeof r.raced);
    if (!find_lists(n, q, list, &lists)) walk_all(n, q, &r);
    else if (lists == 1 && list[0].place) walk_one(n, q, &r, &list[0]);
    else if (lists) walk_lists(n, q, &r, list, lists);
    for (unsigned t = 0; t < THREADS_MAX; t++) assert(!counted || clock[t] <= n->count[q->depth][t]);
    (void)counted;
}
