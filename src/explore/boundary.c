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

static bool add_operations(boundary *b, events *v, const world *w, const trace_clocks *clocks) {
    for (unsigned t = 0; t < w->threads; t++) {
        v->start[t] = 2 * b->n;
        for (uint32_t i = 0; i < w->op_count; i++) {
            const explored_operation *o = &w->ops[i];
            if (o->thread != t || (!o->returned && o->first == NO_STEP)) continue; /* nobody has seen it */
            if (b->n == BOUNDARY_OPERATIONS) return false;
            b->op[b->n] = (uint8_t)i;
            add_event(b, v, clocks, 2 * b->n, o->first, o->call_at);
            if (o->returned) add_event(b, v, clocks, 2 * b->n + 1, o->last, o->return_at);
            b->n++;
        }
    }
    v->start[w->threads] = 2 * b->n;
    return true;
}

static uint64_t below(uint32_t e) { return e >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << e) - 1; }

static bool comes_before(const boundary *b, const events *v, const uint16_t *clock, unsigned t, uint32_t y, uint32_t x) {
    if (!clock || b->step[y] == NO_STEP) return v->position[y] < v->position[x];
    return v->index[y] <= clock[t];
}

/* Events of one thread are in order, so those of another that come before them are its first ones, more and more of them. */
static void order_thread(boundary *b, const events *v, const trace_clocks *clocks, unsigned t, unsigned other) {
    uint32_t first = v->start[other], end = v->start[other + 1], y = first;
    for (uint32_t x = v->start[t]; x < v->start[t + 1]; x++) {
        if (!(b->all >> x & 1)) continue;
        const uint16_t *clock = clocks && b->step[x] != NO_STEP ? clocks->clock[b->step[x]] : NULL;
        while (y < end && (b->all >> y & 1) && comes_before(b, v, clock, other, y, x)) y++;
        b->before[x] |= below(y) & ~below(first);
    }
}

bool boundary_build(boundary *b, const world *w, const trace_clocks *clocks) {
    events v;
    b->n = 0;
    b->all = 0;
    if (!add_operations(b, &v, w, clocks)) return false;
    for (unsigned t = 0; t < w->threads; t++) {
        for (uint32_t x = v.start[t]; x < v.start[t + 1]; x++) b->before[x] = below(x) & ~below(v.start[t]) & b->all;
        for (unsigned other = 0; other < w->threads; other++)
            if (other != t && v.start[other] < v.start[other + 1]) order_thread(b, &v, clocks, t, other);
    }
    return true;
}
