#include "explore/graph/consistency.h"

#include "base/mem.h"

#include <string.h>

/* A relation between events: a row of bits for each. */
typedef struct relation {
    uint64_t *bit;
    uint32_t n, words;
} relation;

static relation relation_new(uint32_t n) {
    const uint32_t words = (n + 63) / 64;
    return (relation){mem_zero((size_t)n * words + 1, sizeof(uint64_t)), n, words};
}
static uint64_t *row(const relation *r, uint32_t a) { return r->bit + (size_t)a * r->words; }
static void set(relation *r, uint32_t a, uint32_t b) { row(r, a)[b / 64] |= UINT64_C(1) << b % 64; }
static bool has(const relation *r, uint32_t a, uint32_t b) { return row(r, a)[b / 64] >> b % 64 & 1; }

static void add_row(relation *r, uint32_t a, const uint64_t *more) {
    for (uint32_t i = 0; i < r->words; i++) row(r, a)[i] |= more[i];
}

/* out has (a, c) if some b is in x's row a and (b, c) in y. */
static relation compose(const relation *x, const relation *y) {
    relation out = relation_new(x->n);
    for (uint32_t a = 0; a < x->n; a++)
        for (uint32_t w = 0; w < x->words; w++)
            for (uint64_t rest = row(x, a)[w]; rest; rest &= rest - 1)
                add_row(&out, a, row(y, 64 * w + (uint32_t)__builtin_ctzll(rest)));
    return out;
}

/* Takes away events without successors that are left, until none is left (true) or all have one. */
static bool is_acyclic(const relation *r) {
    uint64_t *left = mem_zero(r->words + 1, sizeof *left);
    uint32_t count = r->n;
    for (uint32_t a = 0; a < r->n; a++) left[a / 64] |= UINT64_C(1) << a % 64;
    for (bool any = true; any && count;) {
        any = false;
        for (uint32_t a = 0; a < r->n; a++) {
            uint64_t next = 0;
            if (!(left[a / 64] >> a % 64 & 1)) continue;
            for (uint32_t w = 0; w < r->words; w++) next |= row(r, a)[w] & left[w];
            if (next) continue;
            left[a / 64] &= ~(UINT64_C(1) << a % 64);
            count--;
            any = true;
        }
    }
    free(left);
    return !count;
}

/* ---- relations of a graph ---- */

static bool is_access(const graph_event *e) { return e->kind <= GRAPH_WRITE; }
static bool same_place(const graph_event *a, const graph_event *b) {
    return is_access(a) && is_access(b) && a->place == b->place;
}
static uint16_t rank(const graph *g, const graph_event *e) {
    return e->kind == GRAPH_WRITE ? e->mo : graph_rank_read(g, e);
}
/* Creation and join count as program order. */
static bool in_program_order(const graph *g, uint16_t a, uint16_t b) {
    const graph_event *x = &g->event[a], *y = &g->event[b];
    return x->thread == y->thread && x->index < y->index;
}
static bool happens_before(const graph *g, uint16_t a, uint16_t b) { return a != b && graph_knows(g, b, a); }
/* mo, or from-reads: b is a write that comes behind what a is or has read. */
static bool overtaken(const graph *g, uint16_t a, uint16_t b) {
    const graph_event *x = &g->event[a], *y = &g->event[b];
    return a != b && same_place(x, y) && y->kind == GRAPH_WRITE && rank(g, x) < y->mo;
}
/* The transitive closure of reads-from, modification order and from-reads. */
static bool communicates(const graph *g, uint16_t a, uint16_t b) {
    const graph_event *x = &g->event[a], *y = &g->event[b];
    if (a == b || !same_place(x, y)) return false;
    return rank(g, x) < rank(g, y) || (rank(g, x) == rank(g, y) && x->kind == GRAPH_WRITE && y->kind == GRAPH_READ);
}

typedef bool pair_test(const graph *g, uint16_t a, uint16_t b);
static relation relation_of(const graph *g, pair_test *test) {
    relation r = relation_new(g->n);
    for (uint16_t a = 0; a < g->n; a++)
        for (uint16_t b = 0; b < g->n; b++)
            if (test(g, a, b)) set(&r, a, b);
    return r;
}

/* ---- sequential consistency ---- */

/* Program order, creation and join, reads-from, modification order and from-reads by edges that have these as their
 * closure: at most four lead to an event that is not read by others. Numbers of events; places come behind them, for
 * their first values. */
typedef struct edges {
    uint16_t *reader, *next_reader; /* of a write or a first value; NO_EVENT: none, or no more */
    uint16_t *newer;                /* the next write of the place; NO_EVENT: none */
    uint16_t *next;                 /* in program order */
    uint16_t *missing;              /* edges that lead to it from events that are left */
    uint16_t *ready;
} edges;

static uint16_t node_read(const graph *g, const graph_event *e) {
    return e->rf == NO_EVENT ? (uint16_t)(g->n + e->place) : e->rf;
}

static uint16_t writes_below(const graph *g, uint16_t where, uint16_t rank_of) {
    return rank_of ? graph_write_at(g, where, rank_of) : (uint16_t)(g->n + where);
}

static void edge(edges *x, uint16_t to) {
    if (to != NO_EVENT) x->missing[to]++;
}

static edges edges_new(const graph *g) {
    const size_t nodes = (size_t)g->n + g->places;
    uint16_t *all = mem_alloc(6 * nodes * sizeof *all + 1);
    edges x = {all, all + nodes, all + 2 * nodes, all + 3 * nodes, all + 4 * nodes, all + 5 * nodes};
    memset(all, 0xff, 4 * nodes * sizeof *all);
    memset(x.missing, 0, nodes * sizeof *x.missing);
    return x;
}

/* The event of another thread that a thread's first one comes behind; NO_EVENT: none. */
static uint16_t creation_of(const graph *g, unsigned t) {
    return t && g->created >> t & 1 && g->created_after[t]
               ? graph_find(g, g->creator[t], (uint16_t)(g->created_after[t] - 1))
               : NO_EVENT;
}

static void edges_of_order(const graph *g, edges *x) {
    uint16_t last[THREADS_MAX];
    memset(last, 0xff, sizeof last);
    for (uint16_t e = 0; e < g->n; e++) {
        const graph_event *v = &g->event[e];
        if (v->index) x->next[last[v->thread]] = e;
        last[v->thread] = e;
        if (v->kind == GRAPH_WRITE) x->newer[writes_below(g, v->place, (uint16_t)(v->mo - 1))] = e;
        if (v->kind != GRAPH_READ) continue;
        const uint16_t from = node_read(g, v);
        x->next_reader[e] = x->reader[from];
        x->reader[from] = e;
    }
}

typedef void each_edge(edges *x, uint16_t to);

static void edges_from(const graph *g, edges *x, uint16_t e, each_edge *one) {
    for (uint16_t r = x->reader[e]; r != NO_EVENT; r = x->next_reader[r]) one(x, r);
    one(x, x->newer[e]);
    if (e >= g->n) return;
    one(x, x->next[e]);
    if (g->event[e].kind == GRAPH_READ) one(x, x->newer[node_read(g, &g->event[e])]);
}

static void edge_taken(edges *x, uint16_t to) {
    if (to == NO_EVENT || --x->missing[to]) return;
    *x->ready++ = to;
}

/* The few that lead from thread to thread without memory. */
static void edges_of_threads(const graph *g, edges *x, uint16_t e, each_edge *one) {
    for (unsigned t = 1; t < THREADS_MAX && g->created >> t; t++)
        if (g->created >> t & 1 && e == creation_of(g, t)) one(x, graph_find(g, t, 0));
    for (uint16_t j = 0; j < g->n; j++)
        if (g->event[j].kind == GRAPH_JOIN && g->event[j].rf == e) one(x, j);
}

static bool has_joins(const graph *g) {
    for (uint16_t e = 0; e < g->n; e++)
        if (g->event[e].kind == GRAPH_JOIN) return true;
    return false;
}

/* Takes away events that nothing is left before. */
static bool sc_holds(const graph *g) {
    edges x = edges_new(g);
    const uint32_t nodes = (uint32_t)g->n + g->places;
    uint16_t *taken = x.ready, *const all = x.reader;
    bool threads = has_joins(g);
    for (unsigned t = 1; t < THREADS_MAX && !threads && g->created >> t; t++) threads = creation_of(g, t) != NO_EVENT;
    edges_of_order(g, &x);
    for (uint32_t e = 0; e < nodes; e++) {
        edges_from(g, &x, (uint16_t)e, edge);
        if (threads && e < g->n) edges_of_threads(g, &x, (uint16_t)e, edge);
    }
    uint32_t count = 0;
    for (uint32_t e = 0; e < nodes; e++)
        if (!x.missing[e]) *x.ready++ = (uint16_t)e;
    for (; taken < x.ready; taken++, count++) {
        edges_from(g, &x, *taken, edge_taken);
        if (threads && *taken < g->n) edges_of_threads(g, &x, *taken, edge_taken);
    }
    free(all);
    return count == nodes;
}

/* ---- psc ---- */

static bool is_sc(const graph_event *e) { return e->order == ORDER_SC && e->kind <= GRAPH_FENCE; }
static bool is_sc_fence(const graph *g, uint16_t e) { return is_sc(&g->event[e]) && g->event[e].kind == GRAPH_FENCE; }

static bool elsewhere(const graph *g, uint16_t a, uint16_t b) {
    return in_program_order(g, a, b) && !same_place(&g->event[a], &g->event[b]);
}

/* po, hb at one place, mo and fr. */
static bool sc_before_simply(const graph *g, uint16_t a, uint16_t b) {
    return in_program_order(g, a, b) || overtaken(g, a, b) ||
           (same_place(&g->event[a], &g->event[b]) && happens_before(g, a, b));
}

/* ... and po;hb;po from place to place. */
static relation sc_before(const graph *g, const relation *hb) {
    relation out = relation_of(g, sc_before_simply), po = relation_of(g, elsewhere);
    relation first = compose(&po, hb), all = compose(&first, &po);
    for (uint16_t a = 0; a < g->n; a++) add_row(&out, a, row(&all, a));
    FREE_ALL(po.bit, first.bit, all.bit);
    return out;
}

/* From an access to itself; from a fence also to what happens after it (before it, `back`). */
static relation sc_ends(const graph *g, bool back) {
    relation r = relation_new(g->n);
    for (uint16_t e = 0; e < g->n; e++) {
        if (is_sc(&g->event[e])) set(&r, e, e);
        for (uint16_t o = 0; o < g->n && is_sc_fence(g, e); o++) {
            if (!back && happens_before(g, e, o)) set(&r, e, o);
            if (back && happens_before(g, o, e)) set(&r, o, e);
        }
    }
    return r;
}

static void add_fences(const graph *g, const relation *hb, relation *psc) {
    relation eco = relation_of(g, communicates), first = compose(hb, &eco), all = compose(&first, hb);
    for (uint16_t a = 0; a < g->n; a++)
        for (uint16_t b = 0; b < g->n && is_sc_fence(g, a); b++)
            if (is_sc_fence(g, b) && (has(hb, a, b) || has(&all, a, b))) set(psc, a, b);
    FREE_ALL(eco.bit, first.bit, all.bit);
}

static bool psc_holds(const graph *g) {
    relation hb = relation_of(g, happens_before), scb = sc_before(g, &hb);
    relation from = sc_ends(g, false), to = sc_ends(g, true);
    relation first = compose(&from, &scb), psc = compose(&first, &to);
    add_fences(g, &hb, &psc);
    bool good = is_acyclic(&psc);
    FREE_ALL(hb.bit, scb.bit, from.bit, to.bit, first.bit, psc.bit);
    return good;
}

static uint32_t sc_events(const graph *g) {
    uint32_t n = 0;
    for (uint16_t e = 0; e < g->n; e++) n += is_sc(&g->event[e]);
    return n;
}

/* psc is contained in what sc asks to be without a cycle, and is that where all events are sequentially consistent
 * accesses. */
static bool rc11_holds(const graph *g) {
    const uint32_t consistent = sc_events(g);
    if (consistent < 2 || sc_holds(g)) return true;
    return consistent < g->n && psc_holds(g);
}

bool graph_is_consistent(const graph *g) {
    switch (g->model) {
    case MODEL_SC: return sc_holds(g);
    case MODEL_RC11: return rc11_holds(g);
    default: return true;
    }
}
