#include "explore/graph/graph.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

graph *graph_new(memory_model m) {
    graph *g = MEM_NEW(graph);
    g->model = m;
    memset(g->last, 0xff, sizeof g->last);
    g->created = 1;
    return g;
}

graph *graph_copy(const graph *g) {
    graph *c = mem_copy(g, sizeof *g);
    c->room = (uint16_t)(g->n + 8);
    c->event = MEM_ARRAY(graph_event, c->room);
    if (g->n) memcpy(c->event, g->event, g->n * sizeof *g->event);
    c->place_room = (uint16_t)(g->places + 2);
    c->place = MEM_ARRAY(graph_place, c->place_room);
    if (g->places) memcpy(c->place, g->place, g->places * sizeof *g->place);
    return c;
}

void graph_free(graph *g) {
    if (!g) return;
    free(g->event);
    free(g->place);
    free(g);
}

uint16_t graph_place_of(graph *g, uintptr_t address, uint32_t life, uint32_t size, const uint64_t first[2]) {
    uint16_t i = 0;
    while (i < g->places && (g->place[i].address != address || g->place[i].life != life)) i++;
    if (i < g->places) return i;
    if (g->places == g->place_room) {
        g->place_room = (uint16_t)(2 * g->place_room + 8);
        g->place = MEM_GROW(g->place, graph_place, g->place_room);
    }
    g->place[g->places++] = (graph_place){address, life, size, {first[0], first[1]}, 0};
    return i;
}

uint16_t graph_find(const graph *g, unsigned thread, uint16_t index) {
    if (index >= graph_events_of(g, thread)) return NO_EVENT;
    uint16_t e = g->last[thread];
    while (g->event[e].index != index) e = g->event[e].before;
    assert(g->event[e].thread == thread);
    return e;
}

void graph_thread(graph *g, unsigned thread, unsigned creator, uint16_t after) {
    g->created |= (thread_set)1 << thread;
    g->creator[thread] = (uint8_t)creator;
    g->created_after[thread] = after;
}

/* ---- clocks ---- */

static void clock_join(uint16_t *restrict a, const uint16_t *restrict b) {
    for (unsigned i = 0; i < THREADS_MAX; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
}

/* The event that a thread begins behind: of its creator, or of that one's. NULL: none. */
static const graph_event *begins_behind(const graph *g, unsigned thread) {
    while (thread && !g->created_after[thread]) thread = g->creator[thread];
    return thread ? &g->event[graph_find(g, g->creator[thread], (uint16_t)(g->created_after[thread] - 1))] : NULL;
}

static void clocks_begin(const graph *g, graph_event *e, const graph_event *before) {
    memset(e->seen, 0, offsetof(graph_event, published) + sizeof e->published - offsetof(graph_event, seen));
    if (!before) before = begins_behind(g, e->thread);
    else {
        memcpy(e->gathered, before->gathered, sizeof e->gathered);
        memcpy(e->published, before->published, sizeof e->published);
    }
    if (before) {
        memcpy(e->seen, before->seen, sizeof e->seen);
        memcpy(e->knows, before->knows, sizeof e->knows);
    }
    e->seen[e->thread] = e->knows[e->thread] = (uint16_t)(e->index + 1);
}

static void clocks_again(const graph *g, graph_event *e) {
    clocks_begin(g, e, e->index ? &g->event[graph_find(g, e->thread, (uint16_t)(e->index - 1))] : NULL);
}

uint16_t graph_add(graph *g, const graph_event *like) {
    if (g->n == g->room) {
        g->room = (uint16_t)(2 * g->room + 16);
        g->event = MEM_GROW(g->event, graph_event, g->room);
    }
    assert(g->n < GRAPH_EVENTS);
    const uint16_t number = g->n++, before = g->last[like->thread];
    graph_event *e = &g->event[number];
    *e = *like;
    e->rf = NO_EVENT;
    e->mo = 0;
    e->before = before;
    e->index = before == NO_EVENT ? 0 : (uint16_t)(g->event[before].index + 1);
    clocks_begin(g, e, before == NO_EVENT ? NULL : &g->event[before]);
    g->last[e->thread] = number;
    return number;
}

const uint64_t *graph_value(const graph *g, uint16_t where, uint16_t write) {
    return write == NO_EVENT ? g->place[where].first : g->event[write].value;
}

/* An update that waits goes on only when it changes something. */
bool graph_update_writes(const graph *g, uint16_t read) {
    const graph_event *e = &g->event[read];
    const uint64_t *now = graph_value(g, e->place, e->rf);
    const uint32_t size = g->place[e->place].size;
    if (!(e->flags & GRAPH_UPDATE)) return false;
    if (e->update == UPDATE_CAS) return now[0] == e->expected[0] && (size <= 8 || now[1] == e->expected[1]);
    if (!(e->flags & GRAPH_AWAIT)) return true;
    return update_result((update)e->update, e->operand[0], now[0], size) != now[0];
}

void graph_read_from(graph *g, uint16_t read, uint16_t write) {
    graph_event *e = &g->event[read];
    clocks_again(g, e);
    e->rf = write;
    if (e->flags & GRAPH_UPDATE) e->order = graph_update_writes(g, read) ? e->order_done : e->order_failed;
    if (write == NO_EVENT) return;
    const graph_event *w = &g->event[write];
    clock_join(e->seen, w->seen);
    if (g->model != MODEL_RC11) clock_join(e->knows, w->knows);
    else {
        clock_join(e->gathered, w->released);
        if (order_acquires(e->order)) clock_join(e->knows, w->released);
    }
}

void graph_fence(graph *g, uint16_t fence) {
    graph_event *e = &g->event[fence];
    if (order_acquires(e->order)) clock_join(e->knows, e->gathered);
    if (order_releases(e->order)) memcpy(e->published, e->knows, sizeof e->published);
}

void graph_join(graph *g, uint16_t join, unsigned thread) {
    graph_event *e = &g->event[join];
    const graph_event *last = g->last[thread] == NO_EVENT ? begins_behind(g, thread) : &g->event[g->last[thread]];
    e->rf = g->last[thread];
    if (!last) return;
    clock_join(e->seen, last->seen);
    clock_join(e->knows, last->knows);
}

/* ---- modification order ---- */

/* C++20: a release sequence is its head and the updates that continue it. */
static void publish(const graph *g, graph_event *e) {
    memcpy(e->released, order_releases(e->order) ? e->knows : e->published, sizeof e->released);
    if (!(e->flags & GRAPH_UPDATE)) return;
    const graph_event *read = &g->event[graph_find(g, e->thread, (uint16_t)(e->index - 1))];
    if (read->rf != NO_EVENT) clock_join(e->released, g->event[read->rf].released);
}

static void shift(graph *g, uint16_t where, uint16_t from, int by) {
    for (uint16_t i = 0; i < g->n; i++) {
        graph_event *e = &g->event[i];
        if (e->kind == GRAPH_WRITE && e->place == where && e->mo >= from) e->mo = (uint16_t)(e->mo + by);
    }
}

void graph_place_write(graph *g, uint16_t write, uint16_t rank) {
    graph_event *e = &g->event[write];
    assert(!e->mo && rank && rank <= g->place[e->place].writes + 1);
    shift(g, e->place, rank, 1);
    e->mo = rank;
    g->place[e->place].writes++;
    publish(g, e);
}

void graph_unplace_write(graph *g, uint16_t write) {
    graph_event *e = &g->event[write];
    const uint16_t rank = e->mo;
    assert(rank);
    e->mo = 0;
    shift(g, e->place, (uint16_t)(rank + 1), -1);
    g->place[e->place].writes--;
}

uint16_t graph_oldest(const graph *g, uint16_t of) {
    const graph_event *e = &g->event[of];
    uint16_t oldest = 0;
    for (uint16_t i = 0; i < g->n; i++) {
        const graph_event *b = &g->event[i];
        if (i == of || b->place != e->place || b->kind > GRAPH_WRITE || b->index >= e->knows[b->thread]) continue;
        const uint16_t rank = b->kind == GRAPH_WRITE ? b->mo : graph_rank_read(g, b);
        if (rank > oldest) oldest = rank;
    }
    return oldest;
}

uint16_t graph_write_at(const graph *g, uint16_t where, uint16_t rank) {
    for (uint16_t i = 0; rank && i < g->n; i++)
        if (g->event[i].kind == GRAPH_WRITE && g->event[i].place == where && g->event[i].mo == rank) return i;
    return NO_EVENT;
}

uint16_t graph_update_of(const graph *g, uint16_t where, uint16_t write) {
    for (uint16_t i = 0; i < g->n; i++) {
        const graph_event *e = &g->event[i];
        if (e->kind != GRAPH_WRITE || e->place != where || !(e->flags & GRAPH_UPDATE) || !e->mo) continue;
        if (g->event[graph_find(g, e->thread, (uint16_t)(e->index - 1))].rf == write) return i;
    }
    return NO_EVENT;
}

bool graph_reads_newest(const graph *g, uint16_t read) {
    const graph_event *e = &g->event[read];
    if (e->kind != GRAPH_READ) return true;
    for (uint16_t i = 0; i < read; i++)
        if (g->event[i].kind == GRAPH_WRITE && g->event[i].place == e->place && g->event[i].mo > graph_rank_read(g, e))
            return false;
    return true;
}

/* ---- fewer events ---- */

static void forget_threads(graph *g) {
    for (unsigned t = 1; t < THREADS_MAX; t++)
        if (g->created >> t & 1 && g->created_after[t] > graph_events_of(g, g->creator[t]))
            g->created &= ~((thread_set)1 << t);
}

graph *graph_restrict(const graph *g, uint16_t read, uint16_t write, uint16_t *new_read, uint16_t *new_write) {
    graph *h = graph_copy(g);
    uint16_t number[GRAPH_EVENTS], n = 0;
    memset(number, 0, g->n * sizeof *number);
    for (uint16_t i = h->n; i-- > 0;)
        if (i > read && !graph_in_prefix(g, i, write) && h->event[i].kind == GRAPH_WRITE) graph_unplace_write(h, i);
    memset(h->last, 0xff, sizeof h->last);
    for (uint16_t i = 0; i < g->n; i++) {
        if (i > read && !graph_in_prefix(g, i, write)) continue;
        number[i] = n;
        h->event[n] = h->event[i];
        h->event[n].before = h->last[h->event[n].thread];
        h->last[h->event[n].thread] = n;
        n++;
    }
    h->n = n;
    for (uint16_t i = 0; i < n; i++)
        if (h->event[i].rf != NO_EVENT && i != number[read]) h->event[i].rf = number[h->event[i].rf];
    *new_read = number[read];
    *new_write = number[write];
    forget_threads(h);
    return h;
}
