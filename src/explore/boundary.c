#include "explore/boundary.h"

typedef struct events { /* while building */
    uint32_t position[2 * BOUNDARY_OPERATIONS]; /* among all calls and returns, as it happened */
    uint16_t index[2 * BOUNDARY_OPERATIONS];    /* of the step among its thread's */
    uint32_t start[THREADS_MAX + 1];            /* events of thread t: start[t] .. start[t+1]-1 */
    bool stepless[THREADS_MAX];                 /* some event of the thread has no step */
} events;

static void add_event(boundary *b, events *v, const trace_clocks *clocks, unsigned e, uint32_t at, uint32_t position) {
    b->all |= UINT64_C(1) << e;
    b->step[e] = at;
    v->position[e] = position;
    if (at != NO_STEP && clocks) v->index[e] = clocks->clock[at][clocks->thread[at]];
}

static bool add_operations(boundary *b, events *v, const world *w, const trace_clocks *clocks) {
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        v->start[t] = 2 * b->n;
        v->stepless[t] = !clocks;
        if (t >= w->threads) continue;
        for (uint32_t i = 0; i < w->op_count; i++) {
            const explored_operation *o = &w->ops[i];
            if (o->thread != t || (!o->returned && o->first == NO_STEP)) continue; /* nobody has seen it */
            if (b->n == BOUNDARY_OPERATIONS) return false;
            if (o->first == NO_STEP) v->stepless[t] = true;
            b->op[b->n] = (uint8_t)i;
            add_event(b, v, clocks, 2 * b->n, o->first, o->call_at);
            if (o->returned) add_event(b, v, clocks, 2 * b->n + 1, o->last, o->return_at);
            b->n++;
        }
    }
    v->start[THREADS_MAX] = 2 * b->n;
    return true;
}

static uint64_t below(uint32_t e) { return e >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << e) - 1; }

static bool comes_before(const boundary *b, const events *v, const uint16_t *clock, unsigned t, uint32_t y, uint32_t x) {
    if (!clock || b->step[y] == NO_STEP) return v->position[y] < v->position[x];
    return v->index[y] <= clock[t];
}

/* Events of one thread are in order: those before x are its first ones. */
static uint64_t before_of_thread(const boundary *b, const events *v, const uint16_t *clock, unsigned t, uint32_t x) {
    uint32_t y = v->start[t], end = v->start[t + 1];
    while (y < end && (b->all >> y & 1) && comes_before(b, v, clock, t, y, x)) y++;
    return below(y) & ~below(v->start[t]);
}

bool boundary_build(boundary *b, const world *w, const trace_clocks *clocks) {
    events v;
    b->n = 0;
    b->all = 0;
    if (!add_operations(b, &v, w, clocks)) return false;
    for (unsigned t = 0; t < w->threads; t++)
        for (uint32_t x = v.start[t]; x < v.start[t + 1]; x++) {
            if (!(b->all >> x & 1)) continue;
            const uint16_t *clock = clocks && b->step[x] != NO_STEP ? clocks->clock[b->step[x]] : NULL;
            uint64_t before = below(x) & ~below(v.start[t]);
            for (unsigned o = 0; o < w->threads; o++)
                if (o != t && v.start[o] < v.start[o + 1]) before |= before_of_thread(b, &v, clock, o, x);
            b->before[x] = before & b->all;
        }
    return true;
}
