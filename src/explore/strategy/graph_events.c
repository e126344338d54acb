#include "explore/strategy/graph_events.h"

#include "base/mem.h"

#include <string.h>

bool step_is_event(const step *p) {
    switch ((step_kind)p->kind) {
    case STEP_READ:
    case STEP_WRITE:
    case STEP_UPDATE:
    case STEP_CAS:
    case STEP_FENCE:
    case STEP_LOCK:
    case STEP_TRYLOCK:
    case STEP_UNLOCK:
    case STEP_WAIT:
    case STEP_WAKE:
    case STEP_SIGNAL:
    case STEP_JOIN: return true;
    default: return false;
    }
}

static void describe_access(graph_event *e, const world *w, unsigned t) {
    const step *p = &w->pending[t];
    const pending_access *a = &w->access[t];
    e->kind = p->kind == STEP_WRITE ? GRAPH_WRITE : GRAPH_READ;
    e->update = a->update;
    e->order = e->order_done = p->order;
    e->order_failed = a->order_failed;
    memcpy(e->operand, a->operand, sizeof e->operand);
    memcpy(e->value, a->operand, sizeof e->value);
    e->expected[0] = p->expected;
    e->expected[1] = p->expected_high;
    if (p->kind == STEP_UPDATE || p->kind == STEP_CAS) e->flags = GRAPH_UPDATE;
    if (p->flags & STEP_AWAIT) e->flags |= GRAPH_AWAIT;
}

/* A lock is a place that is 0 while it is free. */
static void describe_lock(graph_event *e, step_kind kind) {
    e->kind = kind == STEP_UNLOCK ? GRAPH_WRITE : GRAPH_READ;
    e->order = e->order_done = kind == STEP_UNLOCK ? ORDER_RELEASE : ORDER_ACQUIRE;
    if (kind == STEP_UNLOCK) return;
    e->update = UPDATE_CAS;
    e->operand[0] = 1;
    e->flags = kind == STEP_LOCK ? GRAPH_UPDATE | GRAPH_AWAIT : GRAPH_UPDATE;
}

/* A condition variable is a place that waits and signals update, without an order: its mutex has that. */
static void describe_condition(graph_event *e, const world *w, unsigned t) {
    e->kind = GRAPH_READ;
    e->order = e->order_done = e->order_failed = ORDER_RELAXED;
    e->update = w->access[t].update;
    e->operand[0] = w->access[t].operand[0];
    e->flags = w->pending[t].kind == STEP_WAKE ? GRAPH_UPDATE | GRAPH_AWAIT : GRAPH_UPDATE;
}

static bool is_condition(const step *p) {
    return p->kind == STEP_WAIT || p->kind == STEP_WAKE || p->kind == STEP_SIGNAL;
}

graph_event event_pending(graph *g, const world *w, unsigned t) {
    const step *p = &w->pending[t];
    const pending_access *a = &w->access[t];
    graph_event e = {.thread = (uint8_t)t, .order = p->order, .site = (uint32_t)p->pc * UINT32_C(0x9E3779B1) ^ p->site};
    if (p->kind == STEP_FENCE) e.kind = GRAPH_FENCE;
    else if (p->kind == STEP_JOIN) {
        e.kind = GRAPH_JOIN;
        e.alternative = (uint8_t)p->value;
    } else {
        if (p->kind <= STEP_CAS) describe_access(&e, w, t);
        else if (is_condition(p)) describe_condition(&e, w, t);
        else describe_lock(&e, (step_kind)p->kind);
        const uint64_t first[2] = {p->kind <= STEP_CAS ? a->first[0] : a->holds, p->kind <= STEP_CAS ? a->first[1] : 0};
        e.place = graph_place_of(g, p->at[0].address, a->life, p->at[0].size, first);
    }
    return e;
}

/* ---- steps that were made ---- */

void graph_steps_add(graph_steps *s, graph_step made) {
    if (s->n == s->room) {
        s->room = 2 * s->room + 64;
        s->at = MEM_GROW(s->at, graph_step, s->room);
    }
    s->at[s->n++] = made;
}

void graph_steps_free(graph_steps *s) { FREE_ALL(s->at, s->clock_thread, s->clock_row); }

/* ---- happens before, of steps ---- */

/* So many steps of its thread are made when an event is: by thread and number of the event. */
typedef struct made_after {
    uint16_t *steps;
    uint32_t from[THREADS_MAX], events[THREADS_MAX];
} made_after;

static made_after made_after_of(const graph_steps *s) {
    made_after m = {.steps = NULL};
    uint32_t *const events = m.events, all = 0;
    uint16_t count[THREADS_MAX] = {0};
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t end = (uint32_t)s->at[i].index + s->at[i].events;
        if (s->at[i].events && end > events[s->at[i].thread]) events[s->at[i].thread] = end;
    }
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        m.from[t] = all;
        all += events[t];
    }
    m.steps = mem_zero(all + 1, sizeof *m.steps);
    for (uint32_t i = 0; i < s->n; i++) {
        const graph_step *at = &s->at[i];
        count[at->thread]++;
        for (unsigned k = 0; k < at->events; k++) m.steps[m.from[at->thread] + at->index + k] = count[at->thread];
    }
    /* choices are events without a step */
    for (unsigned t = 0; t < THREADS_MAX; t++)
        for (uint32_t e = 1; e < events[t]; e++)
            if (!m.steps[m.from[t] + e]) m.steps[m.from[t] + e] = m.steps[m.from[t] + e - 1];
    return m;
}

static void step_learns(const graph *g, const made_after *m, const graph_step *at, uint16_t *row) {
    const uint16_t last = graph_find(g, at->thread, (uint16_t)(at->index + at->events - 1));
    for (unsigned t = 0; last != NO_EVENT && t < THREADS_MAX; t++) {
        const uint32_t knows = g->event[last].knows[t] < m->events[t] ? g->event[last].knows[t] : m->events[t];
        if (t == at->thread || !knows) continue;
        const uint16_t known = m->steps[m->from[t] + knows - 1];
        if (known > row[t]) row[t] = known;
    }
}

trace_clocks graph_step_clocks(const graph *g, graph_steps *s) {
    uint16_t count[THREADS_MAX] = {0}, latest[THREADS_MAX][THREADS_MAX] = {{0}};
    if (s->clock_room < s->n) {
        s->clock_room = 2 * s->n;
        s->clock_row = mem_resize(s->clock_row, s->clock_room, sizeof *s->clock_row);
        s->clock_thread = MEM_GROW(s->clock_thread, uint8_t, s->clock_room);
    }
    const made_after known = made_after_of(s);
    for (uint32_t i = 0; i < s->n; i++) {
        const graph_step *m = &s->at[i];
        uint16_t *row = latest[m->thread];
        if (m->events) step_learns(g, &known, m, row);
        row[m->thread] = ++count[m->thread];
        memcpy(s->clock_row[i], row, sizeof s->clock_row[i]);
        s->clock_thread[i] = m->thread;
    }
    free(known.steps);
    return (trace_clocks){s->clock_thread, (const uint16_t(*)[THREADS_MAX])s->clock_row, NULL, s->n};
}
