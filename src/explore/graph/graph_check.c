#include "explore/graph/graph_check.h"

static bool clock_within(const uint16_t *a, const uint16_t *b) {
    for (unsigned i = 0; i < THREADS_MAX; i++)
        if (a[i] > b[i]) return false;
    return true;
}

static bool threads_are_numbered(const graph *g) {
    uint16_t next[THREADS_MAX] = {0}, last[THREADS_MAX];
    for (unsigned t = 0; t < THREADS_MAX; t++) last[t] = NO_EVENT;
    for (uint16_t i = 0; i < g->n; i++) {
        const graph_event *e = &g->event[i];
        if (e->index != next[e->thread]++) return false;
        last[e->thread] = i;
    }
    for (unsigned t = 0; t < THREADS_MAX; t++)
        if (g->last[t] != last[t]) return false;
    return true;
}

static bool ranks_are_each_once(const graph *g, uint16_t where) {
    uint16_t writes = 0;
    for (uint16_t i = 0; i < g->n; i++) {
        const graph_event *e = &g->event[i];
        if (e->kind != GRAPH_WRITE || e->place != where) continue;
        writes++;
        if (!e->mo || graph_write_at(g, where, e->mo) != i) return false;
    }
    return writes == g->place[where].writes && (!writes || graph_write_at(g, where, writes) != NO_EVENT);
}

static bool read_is_sound(const graph *g, uint16_t read) {
    const graph_event *e = &g->event[read];
    if (e->rf != NO_EVENT) {
        if (e->rf >= g->n) return false;
        const graph_event *w = &g->event[e->rf];
        if (w->kind != GRAPH_WRITE || w->place != e->place || !clock_within(w->seen, e->seen)) return false;
    }
    return graph_rank_read(g, e) >= graph_oldest(g, read);
}

static bool write_is_sound(const graph *g, const graph_event *e) {
    if (!clock_within(e->released, e->seen)) return false;
    if (!(e->flags & GRAPH_UPDATE)) return true;
    if (!e->index) return false;
    const graph_event *r = &g->event[graph_find(g, e->thread, (uint16_t)(e->index - 1))];
    return r->kind == GRAPH_READ && r->flags & GRAPH_UPDATE && r->place == e->place &&
           e->mo == graph_rank_read(g, r) + 1;
}

static bool clocks_are_sound(const graph *g, const graph_event *e) {
    if (e->seen[e->thread] != e->index + 1 || e->knows[e->thread] != e->index + 1) return false;
    if (!clock_within(e->knows, e->seen) || !clock_within(e->gathered, e->seen)) return false;
    if (!e->index) return true;
    const graph_event *before = &g->event[graph_find(g, e->thread, (uint16_t)(e->index - 1))];
    return clock_within(before->seen, e->seen) && clock_within(before->knows, e->knows);
}

bool graph_is_sound(const graph *g) {
    if (!threads_are_numbered(g)) return false;
    for (uint16_t p = 0; p < g->places; p++)
        if (!ranks_are_each_once(g, p)) return false;
    for (uint16_t i = 0; i < g->n; i++) {
        const graph_event *e = &g->event[i];
        if (!clocks_are_sound(g, e)) return false;
        if (e->kind <= GRAPH_WRITE && e->place >= g->places) return false;
        if (e->kind == GRAPH_READ && !read_is_sound(g, i)) return false;
        if (e->kind == GRAPH_WRITE && !write_is_sound(g, e)) return false;
    }
    return true;
}
