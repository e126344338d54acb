#include "explore/strategy/graph_rounds.h"

#include "explore/strategy/graph_events.h"

enum { ROUNDS = 4, PERIOD_MOST = 6 };

/* The value that an update of one word has read is the one that it leaves. */
static bool changes_nothing(const graph *g, const graph_event *write) {
    const graph_event *read = &g->event[write->before];
    return write->flags & GRAPH_UPDATE && g->place[write->place].size <= 8 &&
           graph_value(g, read->place, read->rf)[0] == write->value[0];
}

/* Two accesses of a thread, of one place in the code, that found the same write, or are halves of updates that found
 * the same value and changed nothing. */
static bool found_alike(const graph *g, const graph_event *a, const graph_event *b) {
    if (a->kind != b->kind || a->site != b->site || a->place != b->place) return false;
    if (a->kind == GRAPH_WRITE) return a->value[0] == b->value[0] && changes_nothing(g, a) && changes_nothing(g, b);
    if (a->kind != GRAPH_READ) return false;
    return a->rf == b->rf || (a->flags & b->flags & GRAPH_UPDATE &&
                              graph_value(g, a->place, a->rf)[0] == graph_value(g, b->place, b->rf)[0]);
}

/* The last events of a thread are so many rounds of `period` that found the same, and it stands before the first of
 * them again. */
static bool goes_round(const graph *g, unsigned t, uint16_t period, uint32_t site) {
    const uint16_t n = graph_events_of(g, t);
    if (n < ROUNDS * period || g->event[graph_find(g, t, (uint16_t)(n - period))].site != site) return false;
    for (uint16_t i = (uint16_t)(n - ROUNDS * period); i + period < n; i++)
        if (!found_alike(g, &g->event[graph_find(g, t, i)], &g->event[graph_find(g, t, (uint16_t)(i + period))]))
            return false;
    return true;
}

static bool reads_newest(const graph *g, unsigned t, uint16_t events) {
    uint16_t e = g->last[t];
    for (uint16_t i = 0; i < events; i++, e = g->event[e].before) {
        const graph_event *v = &g->event[e];
        const uint16_t newer = (uint16_t)(g->place[v->place].writes - graph_rank_read(g, v));
        if (v->kind == GRAPH_READ && newer > (v->flags & GRAPH_UPDATE ? 1 : 0)) return false;
    }
    return true;
}

bool thread_goes_round(graph *g, world *w, unsigned t) {
    const graph_event e = event_pending(g, w, t);
    for (uint16_t period = 1; period <= PERIOD_MOST && e.kind == GRAPH_READ; period++) {
        if (!goes_round(g, t, period, e.site)) continue;
        if (reads_newest(g, t, period)) w->goes_round |= (thread_set)1 << t;
        return true;
    }
    return false;
}
