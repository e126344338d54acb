#include "explore/boundary.h"

typedef struct events { /* while building */
    uint32_t position[2 * BOUNDARY_OPERATIONS]; /* among all calls and returns, as it happened */
    uint16_t index[2 * BOUNDARY_OPERATIONS];    /* of the step among its thread's */
    uint32_t start[THREADS_MAX + 1];            /* events of thread t: start[t] .. start[t+1]-1 */
} events;

static void add_event(boundary *b, events *v, const trace_clocks *clocks, unsigned e, uint32_t at, uint32_t position) {
    b->all |= UINT64_C(1) << e;
    b->step[e] = at;
    v->position[e] = position;
    if (at != NO_STEP && clocks) v->index[e] = clocks->clock[at][clocks->thread[at]];
}

static bool is_seen(const explored_operation *o) { return o->returned || o->first != NO_STEP; }

static bool add_operations(boundary *b, events *v, const world *w, const trace_clocks *clocks) {
    uint32_t next[THREADS_MAX + 1] = {0};
    for (uint32_t i = 0; i < w->op_count; i++) next[w->ops[i].thread + 1] += is_seen(&w->ops[i]);
    for (unsigned t = 0; t < w->threads; t++) next[t + 1] += next[t], v->start[t] = 2 * next[t];
    b->n = next[w->threads];
    v->start[w->threads] = 2 * b->n;
    if (b->n > BOUNDARY_OPERATIONS) return false;
    for (uint32_t i = 0; i < w->op_count; i++) {
        const explored_operation *o = &w->ops[i];
        if (!is_seen(o)) continue; /* by anybody */
        uint32_t k = next[o->thread]++;
        b->op[k] = (uint8_t)i;
        add_event(b, v, clocks, 2 * k, o->first, o->call_at);
        if (o->returned) add_event(b, v, clocks, 2 * k + 1, o->last, o->return_at);
    }
    return true;
}

static uint64_t below(uint32_t e) { return e >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << e) - 1; }

static bool comes_before(const boundary *b, const events *v, const uint16_t *clock, unsigned t, uint32_t y, uint32_t x) {
    if (!clock || b->step[y] == NO_STEP) return v->position[y] < v->position[x];
    return v->index[y] <= clock[t];
}

/* Events of one thread are in order, so those of another that come before them are its first ones, more and more of them. */
static void order_thread(boundary *b, const events *v, const trace_clocks *clocks, unsigned t, thread_set threads) {
    uint32_t reached[THREADS_MAX];
    for (thread_set rest = threads; rest; rest &= rest - 1) reached[__builtin_ctz(rest)] = v->start[__builtin_ctz(rest)];
    for (uint32_t x = v->start[t]; x < v->start[t + 1]; x++) {
        uint64_t before = below(x) & ~below(v->start[t]) & b->all;
        const uint16_t *clock = clocks && b->step[x] != NO_STEP ? clocks->clock[b->step[x]] : NULL;
        for (thread_set rest = b->all >> x & 1 ? threads : 0; rest; rest &= rest - 1) {
            unsigned other = (unsigned)__builtin_ctz(rest);
            uint32_t y = reached[other], end = v->start[other + 1];
            while (y < end && (b->all >> y & 1) && comes_before(b, v, clock, other, y, x)) y++;
            reached[other] = y;
            before |= below(y) & ~below(v->start[other]);
        }
        b->before[x] = before;
    }
}

bool boundary_build(boundary *b, const world *w, const trace_clocks *clocks) {
    events v;
    thread_set threads = 0;
    b->all = 0;
    if (!add_operations(b, &v, w, clocks)) return false;
    for (unsigned t = 0; t < w->threads; t++)
        if (v.start[t] < v.start[t + 1]) threads |= 1u << t;
    for (thread_set rest = threads; rest; rest &= rest - 1) order_thread(b, &v, clocks, (unsigned)__builtin_ctz(rest), threads & ~(rest & -rest));
    return true;
}
