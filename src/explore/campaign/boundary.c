#include "explore/campaign/boundary.h"

#include <assert.h>
#include <string.h>

typedef struct events {                         /* while building */
    uint32_t position[2 * BOUNDARY_OPERATIONS]; /* among all calls and returns, as it happened */
    /* of the step among its thread's; where steps know, among calls and returns with a step */
    uint16_t index[2 * BOUNDARY_OPERATIONS];
    uint16_t stores[2 * BOUNDARY_OPERATIONS]; /* of a return: explored_operation.stores */
    uint8_t stepped[THREADS_MAX];             /* of each thread, so far */
    uint32_t start[THREADS_MAX + 1];          /* events of thread t: start[t] .. start[t+1]-1 */
    bool aside;                               /* some have no step */
} events;

typedef struct thread_events { /* the events of one thread */
    unsigned thread;
    uint32_t start, end; /* end: of those that there are, without a gap */
} thread_events;

/* Of events of thread t with an index up to this it is known, at a step, that they come before it or with it. */
static inline uint16_t known_at(const trace_clocks *clocks, uint32_t i, unsigned t) {
    return clocks->known ? clocks->known[i].knows[t] : clocks->clock[i][t];
}

static inline void add_event(boundary *b, events *v, const trace_clocks *clocks, unsigned thread, unsigned e,
                             uint32_t at, uint32_t position) {
    b->all |= UINT64_C(1) << e;
    b->step[e] = at;
    v->position[e] = position;
    v->stores[e] = 0;
    if (at == NO_STEP) v->aside = true;
    else if (clocks) v->index[e] = clocks->known ? ++v->stepped[thread] : clocks->clock[at][thread];
}

/* The order is a strict partial order of the events that there are, operations are listed thread by thread, and the
 * execution as it happened is one of its linear extensions. */
#ifdef PLUMB_SELF_CHECKS
static void check_order(const boundary *b, const events *v, const world *w) {
    for (uint32_t k = 1; k < b->n; k++) {
        assert(w->ops[b->op[k - 1]].thread <= w->ops[b->op[k]].thread);
        assert(w->ops[b->op[k - 1]].thread < w->ops[b->op[k]].thread || b->op[k - 1] < b->op[k]);
    }
    for (uint64_t rest = b->all; rest; rest &= rest - 1) {
        uint32_t x = (uint32_t)__builtin_ctzll(rest);
        assert(x < 2 * b->n && !(b->before[x] & ~b->all) && !(b->before[x] >> x & 1));
        assert(!(x & 1) || b->before[x] >> (x - 1) & 1);
        for (uint64_t earlier = b->before[x]; earlier; earlier &= earlier - 1) {
            uint32_t y = (uint32_t)__builtin_ctzll(earlier);
            assert(!(b->before[y] & ~b->before[x]));
            assert(v->position[y] < v->position[x]);
        }
    }
}
#else
static void check_order(const boundary *b, const events *v, const world *w) { (void)b, (void)v, (void)w; }
#endif

static bool is_seen(const explored_operation *o) { return o->returned || o->first != NO_STEP; }

static bool add_operations(boundary *b, events *v, const world *w, const trace_clocks *clocks) {
    uint32_t next[THREADS_MAX + 1] = {0};
    for (uint32_t i = 0; i < w->op_count; i++) next[w->ops[i].thread + 1] += is_seen(&w->ops[i]);
    for (unsigned t = 0; t < w->threads; t++) {
        next[t + 1] += next[t];
        v->start[t] = 2 * next[t];
    }
    b->n = next[w->threads];
    v->aside = false;
    memset(v->stepped, 0, sizeof v->stepped);
    v->start[w->threads] = 2 * b->n;
    if (b->n > BOUNDARY_OPERATIONS) return false;
    for (uint32_t i = 0; i < w->op_count; i++) {
        const explored_operation *o = &w->ops[i];
        if (!is_seen(o)) continue; /* no step of it was executed */
        uint32_t k = next[o->thread]++;
        assert(o->thread < w->threads && 2 * k < v->start[o->thread + 1]);
        b->op[k] = (uint8_t)i;
        add_event(b, v, clocks, o->thread, 2 * k, o->first, o->call_at);
        if (!o->returned) continue;
        add_event(b, v, clocks, o->thread, 2 * k + 1, o->last, o->return_at);
        if (clocks) v->stores[2 * k + 1] = o->stores;
    }
    for (unsigned t = 0; t < w->threads; t++) assert(2 * next[t] == v->start[t + 1]);
    return true;
}

static inline uint64_t below(uint32_t e) { return e >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << e) - 1; }

/* Whoever looks at step i finds the stores in memory that were made up to this event: so many steps of their buffer
 * come before it. */
static inline bool is_flushed(const events *v, const trace_clocks *clocks, unsigned t, uint32_t y, uint32_t i) {
    return !v->stores[y] || clocks->clock[i][THREADS_MAX - 1 - t] >= v->stores[y];
}

static bool comes_before(const boundary *b, const events *v, const trace_clocks *clocks, unsigned t, uint32_t y,
                         uint32_t x) {
    if (!clocks || b->step[y] == NO_STEP || b->step[x] == NO_STEP) return v->position[y] < v->position[x];
    return v->index[y] <= known_at(clocks, b->step[x], t) && is_flushed(v, clocks, t, y, b->step[x]);
}

/* Events of one thread are in order, so those of another that come before them are its first ones, more and more of
 * them. */
static void order_pair(boundary *b, const events *v, const trace_clocks *clocks, const thread_events *of,
                       const thread_events *other) {
    uint64_t before = 0, next = UINT64_C(1) << other->start;
    uint32_t y = other->start;
    if (clocks && !v->aside)
        for (uint32_t x = of->start; x < of->end; x++) {
            for (uint16_t known = known_at(clocks, b->step[x], other->thread);
                 y < other->end && v->index[y] <= known && is_flushed(v, clocks, other->thread, y, b->step[x]);
                 y++, next <<= 1)
                before |= next;
            b->before[x] |= before;
        }
    else
        for (uint32_t x = of->start; x < of->end; x++) {
            for (; y < other->end && comes_before(b, v, clocks, other->thread, y, x); y++, next <<= 1) before |= next;
            b->before[x] |= before;
        }
}

/* A return that is missing is the end of what is looked at, unless the thread went on behind it. */
static void order_rest(boundary *b, const events *v, const trace_clocks *clocks, const thread_events *of,
                       const thread_events *all, unsigned runs) {
    uint32_t end = v->start[of->thread + 1];
    for (uint32_t x = of->end + 1; x < end; x++) {
        if (!(b->all >> x & 1)) continue;
        b->before[x] = below(x) & ~below(of->start) & b->all;
        for (unsigned k = 0; k < runs; k++)
            for (uint32_t y = all[k].start;
                 &all[k] != of && y < all[k].end && comes_before(b, v, clocks, all[k].thread, y, x); y++)
                b->before[x] |= UINT64_C(1) << y;
    }
}

bool boundary_build(boundary *b, const world *w, const trace_clocks *clocks) {
    events v;
    thread_events all[THREADS_MAX];
    unsigned runs = 0;
    b->all = 0;
    if (!add_operations(b, &v, w, clocks)) return false;
    for (unsigned t = 0; t < w->threads; t++) {
        uint32_t start = v.start[t], end = v.start[t + 1];
        if (start == end) continue;
        uint64_t missing = ~b->all & below(end) & ~below(start), mine = 0;
        all[runs++] =
            (thread_events){.thread = t, .start = start, .end = missing ? (uint32_t)__builtin_ctzll(missing) : end};
        for (uint32_t x = start; x < all[runs - 1].end; mine |= UINT64_C(1) << x++) b->before[x] = mine;
    }
    for (unsigned k = 0; k < runs; k++) {
        for (unsigned j = 0; j < runs; j++)
            if (j != k) order_pair(b, &v, clocks, &all[k], &all[j]);
        if (all[k].end < v.start[all[k].thread + 1]) order_rest(b, &v, clocks, &all[k], all, runs);
    }
    check_order(b, &v, w);
    return true;
}
