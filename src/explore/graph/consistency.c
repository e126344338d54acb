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

static bool precedes_in_sc(const graph *g, uint16_t a, uint16_t b) {
    const graph_event *y = &g->event[b];
    return (a != b && graph_in_prefix(g, a, b)) || overtaken(g, a, b) || (y->kind == GRAPH_READ && y->rf == a);
}

static bool sc_holds(const graph *g) {
    relation r = relation_of(g, precedes_in_sc);
    bool good = is_acyclic(&r);
    free(r.bit);
    return good;
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

bool graph_is_consistent(const graph *g) {
    switch (g->model) {
    case MODEL_SC: return sc_holds(g);
    case MODEL_RC11: return sc_events(g) < 2 || psc_holds(g);
    default: return true;
    }
}
