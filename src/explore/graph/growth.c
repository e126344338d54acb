#include "explore/graph/growth.h"

#include "base/mem.h"
#include "engine/self_check.h"
#include "explore/graph/consistency.h"
#include "explore/graph/graph_check.h"

#include <string.h>

void graph_list_add(graph_list *l, graph *g) {
    if (l->n == l->room) {
        l->room = 2 * l->room + 8;
        l->at = MEM_GROW(l->at, graph *, l->room);
    }
    l->at[l->n++] = g;
}

void graph_list_free(graph_list *l) {
    while (l->n) graph_free(l->at[--l->n]);
    free(l->at);
    *l = (graph_list){0};
}

/* ---- revisits ---- */

/* The newest write of a place among what was added up to event `upto`, and the prefix of `write`, but for that one:
 * its rank. */
static uint16_t newest_before(const graph *g, uint16_t where, uint16_t upto, uint16_t write) {
    uint16_t newest = 0;
    for (uint16_t i = 0; i < g->n; i++) {
        const graph_event *e = &g->event[i];
        if (e->kind != GRAPH_WRITE || e->place != where || i == write || e->mo <= newest) continue;
        if (i <= upto || graph_in_prefix(g, i, write)) newest = e->mo;
    }
    return newest;
}

static bool is_read_before(const graph *g, uint16_t e, uint16_t write) {
    for (uint16_t i = 0; i < g->n; i++)
        if (g->event[i].kind == GRAPH_READ && g->event[i].rf == e && (i <= e || graph_in_prefix(g, i, write)))
            return true;
    return false;
}

/* Was it added in the way that counts: reading, or being, the newest write, and read by none before? */
static bool is_maximal(const graph *g, uint16_t event, uint16_t write) {
    const graph_event *e = &g->event[event];
    if (e->kind == GRAPH_CHOICE) return !e->alternative;
    if (e->kind > GRAPH_WRITE) return true;
    if (e->kind == GRAPH_WRITE)
        return !is_read_before(g, event, write) && e->mo == newest_before(g, e->place, event, write);
    if (e->rf != NO_EVENT && e->rf > event && !graph_in_prefix(g, e->rf, write)) return false;
    return e->rf != write && graph_rank_read(g, e) == newest_before(g, e->place, event, write);
}

static bool may_revisit(const graph *g, uint16_t write, uint16_t read) {
    const graph_event *r = &g->event[read];
    if (r->kind != GRAPH_READ || r->place != g->event[write].place || graph_in_prefix(g, read, write)) return false;
    if (!is_maximal(g, read, write)) return false;
    for (uint16_t i = (uint16_t)(read + 1); i < g->n; i++)
        if (!graph_in_prefix(g, i, write) && !is_maximal(g, i, write)) return false;
    return true;
}

/* ---- writes ---- */

/* Nothing comes between an update and what it has read. */
static bool splits_update(const graph *g, uint16_t where, uint16_t rank) {
    return graph_update_of(g, where, graph_write_at(g, where, (uint16_t)(rank - 1))) != NO_EVENT;
}

/* The ranks that a write may have. */
static void ranks_of(const graph *g, uint16_t write, uint16_t *from, uint16_t *to) {
    const graph_event *e = &g->event[write];
    *from = (uint16_t)(graph_oldest(g, write) + 1);
    *to = (uint16_t)(g->place[e->place].writes + 1);
    if (!(e->flags & GRAPH_UPDATE)) return;
    const graph_event *r = &g->event[graph_find(g, e->thread, (uint16_t)(e->index - 1))];
    *from = (uint16_t)(graph_rank_read(g, r) + 1);
    if (*to > *from) *to = *from;
}

static void complete_updates(graph *g, graph_list *out, graph_list *back);

/* What was added last `ends` the graph when it reads, or is, the newest write: no relation leads from it to anything,
 * so none has a cycle through it. */
static void keep(graph *g, bool ends, graph_list *out, graph_list *back) {
    if (ends || graph_is_consistent(g)) complete_updates(g, out, back);
    else graph_free(g);
}

/* `read`: reads from it; NO_EVENT: none does. */
static void place_everywhere(const graph *g, uint16_t write, uint16_t read, graph_list *out, graph_list *back) {
    uint16_t from, to;
    ranks_of(g, write, &from, &to);
    const uint16_t newest = (uint16_t)(g->place[g->event[write].place].writes + 1);
    for (uint16_t rank = to; rank >= from; rank--) {
        if (splits_update(g, g->event[write].place, rank)) continue;
        graph *h = graph_copy(g);
        graph_place_write(h, write, rank);
        if (read != NO_EVENT) {
            graph_read_from(h, read, write);
            if (graph_oldest(h, read) > rank) {
                graph_free(h);
                continue;
            }
        }
        keep(h, rank == newest, out, back);
    }
}

/* The write is in the graph, but not in modification order. */
static void revisit(const graph *g, uint16_t write, graph_list *back) {
    for (uint16_t read = 0; read < g->n; read++) {
        if (!may_revisit(g, write, read)) continue;
        uint16_t r, w;
        graph *h = graph_restrict(g, read, write, &r, &w);
        h->event[r].flags &= (uint8_t)~GRAPH_BLOCKED;
        place_everywhere(h, w, r, back, back);
        graph_free(h);
    }
}

static void grow_write(const graph *g, const graph_event *like, graph_list *out, graph_list *back) {
    graph *h = graph_copy(g);
    const uint16_t write = graph_add(h, like);
    place_everywhere(h, write, NO_EVENT, out, back);
    revisit(h, write, back);
    graph_free(h);
}

/* ---- updates ---- */

/* The lowest thread whose last event is the first half of an update that writes. NO_EVENT: none. */
static uint16_t half_update(const graph *g) {
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        const uint16_t e = g->last[t];
        if (e == NO_EVENT || g->event[e].kind != GRAPH_READ || g->event[e].flags & GRAPH_BLOCKED) continue;
        if (graph_update_writes(g, e)) return e;
    }
    return NO_EVENT;
}

/* What a thread that waits reads is the newest write: then it stands there until a write revisits it. One that has
 * read an older write could never go on, and what others do meanwhile they do as well while it waits for the newest
 * one: false. */
static bool block(graph *g) {
    for (unsigned t = 0; t < THREADS_MAX; t++) {
        graph_event *e = g->last[t] == NO_EVENT ? NULL : &g->event[g->last[t]];
        if (!e || e->kind != GRAPH_READ || !(e->flags & GRAPH_AWAIT) || e->flags & GRAPH_BLOCKED) continue;
        if (graph_update_writes(g, g->last[t])) continue;
        if (graph_rank_read(g, e) != g->place[e->place].writes) return false;
        e->flags |= GRAPH_BLOCKED;
    }
    return true;
}

static graph_event second_half(const graph *g, uint16_t read) {
    const graph_event *r = &g->event[read];
    const uint64_t *now = graph_value(g, r->place, r->rf);
    const uint32_t size = g->place[r->place].size;
    graph_event w = *r;
    w.kind = GRAPH_WRITE;
    w.flags = GRAPH_UPDATE;
    w.value[0] = update_result((update)r->update, r->operand[0], now[0], size);
    w.value[1] = r->operand[1];
    return w;
}

/* Takes the graph: the second half of an update is the next event, whatever else there is. */
static void complete_updates(graph *g, graph_list *out, graph_list *back) {
    const uint16_t read = block(g) ? half_update(g) : NO_EVENT - 1;
    if (read == NO_EVENT) {
        assert_costly(graph_is_sound(g));
        graph_list_add(out, g);
        return;
    }
    if (read != NO_EVENT - 1) {
        graph_event w = second_half(g, read);
        grow_write(g, &w, out, back);
    }
    graph_free(g);
}

/* ---- reads ---- */

static void grow_read(const graph *g, const graph_event *like, graph_list *out, graph_list *back) {
    graph *h = graph_copy(g);
    const uint16_t read = graph_add(h, like);
    const uint16_t oldest = graph_oldest(h, read);
    for (uint16_t rank = (uint16_t)(h->place[like->place].writes + 1); rank-- > oldest;) {
        graph *k = graph_copy(h);
        graph_read_from(k, read, graph_write_at(h, like->place, rank));
        keep(k, rank == h->place[like->place].writes, out, back);
    }
    graph_free(h);
}

void graph_grow(const graph *g, const graph_event *e, graph_list *onward, graph_list *back) {
    if (e->kind == GRAPH_READ) grow_read(g, e, onward, back);
    else if (e->kind == GRAPH_WRITE) grow_write(g, e, onward, back);
    else {
        graph *h = graph_copy(g);
        const uint16_t added = graph_add(h, e);
        if (e->kind == GRAPH_FENCE) graph_fence(h, added);
        if (e->kind == GRAPH_JOIN) graph_join(h, added, e->alternative);
        keep(h, true, onward, back);
    }
}

/* ---- one given way ---- */

static bool append_write(graph *g, const graph_event *e, uint16_t behind) {
    const uint16_t write = graph_add(g, e);
    const uint16_t rank = (uint16_t)(behind + 1);
    uint16_t from, to;
    ranks_of(g, write, &from, &to);
    if (rank < from || rank > to || splits_update(g, e->place, rank)) return false;
    graph_place_write(g, write, rank);
    return true;
}

static bool append_read(graph *g, const graph_event *e, uint16_t rank) {
    const uint16_t read = graph_add(g, e);
    if (rank > g->place[e->place].writes || graph_oldest(g, read) > rank) return false;
    graph_read_from(g, read, graph_write_at(g, e->place, rank));
    if (!graph_update_writes(g, read)) return !(e->flags & GRAPH_AWAIT);
    graph_event w = second_half(g, read);
    return append_write(g, &w, rank);
}

bool graph_append(graph *g, const graph_event *e, uint16_t rank) {
    if (e->kind == GRAPH_READ && !append_read(g, e, rank)) return false;
    if (e->kind == GRAPH_WRITE && !append_write(g, e, rank)) return false;
    if (e->kind == GRAPH_FENCE) graph_fence(g, graph_add(g, e));
    if (e->kind == GRAPH_JOIN) graph_join(g, graph_add(g, e), e->alternative);
    return graph_is_consistent(g);
}
