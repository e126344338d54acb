/* The enumerator: every way to add the next event of any thread, reading any write and standing anywhere in
 * modification order, each graph once; those that are complete are judged by the axioms of the model as they stand in
 * the papers. An update is one event here. */
#include "support/weak_program.h"

#include "base/mem.h"

#include <string.h>

enum { EVENTS = 32 };
typedef uint32_t bits;

typedef struct axiom_event {
    uint8_t thread, place, order, op;
    bool reads, writes;
    int8_t value; /* that it leaves */
    uint8_t rf;
} axiom_event;

typedef struct axiom_graph {
    axiom_event e[EVENTS]; /* those of the first values come first */
    unsigned n;
    uint8_t mo[WEAK_PLACES][EVENTS]; /* events in order */
    unsigned writes[WEAK_PLACES];
    unsigned at[WEAK_THREADS][WEAK_CODE]; /* the event of an instruction, +1 */
    unsigned pc[WEAK_THREADS];
    int8_t reg[WEAK_THREADS][WEAK_REGISTERS];
} axiom_graph;

/* ---- relations ---- */

typedef struct axiom_relation {
    bits row[EVENTS];
} axiom_relation;

static axiom_relation closure(axiom_relation r, unsigned n) {
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < n; i++)
            if (r.row[i] >> k & 1) r.row[i] |= r.row[k];
    return r;
}
static axiom_relation joined(const axiom_relation *a, const axiom_relation *b) {
    axiom_relation r = *a;
    for (unsigned i = 0; i < EVENTS; i++) r.row[i] |= b->row[i];
    return r;
}
static axiom_relation composed(const axiom_relation *a, const axiom_relation *b) {
    axiom_relation r = {{0}};
    for (unsigned i = 0; i < EVENTS; i++)
        for (bits rest = a->row[i]; rest; rest &= rest - 1) r.row[i] |= b->row[__builtin_ctz(rest)];
    return r;
}
static bool irreflexive(const axiom_relation *r, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (r->row[i] >> i & 1) return false;
    return true;
}
static bool acyclic(const axiom_relation *r, unsigned n) {
    axiom_relation c = closure(*r, n);
    return irreflexive(&c, n);
}

typedef struct axiom_orders {
    axiom_relation po, rf, mo, fr, same; /* same: accesses of one place */
} axiom_orders;

static bool is_first(const axiom_event *e) { return e->thread == WEAK_THREADS; }
static bool is_access(const axiom_event *e) { return e->reads || e->writes; }

static axiom_orders orders_of(const axiom_graph *g) {
    axiom_orders o = {0};
    for (unsigned a = 0; a < g->n; a++)
        for (unsigned b = 0; b < g->n; b++) {
            const axiom_event *x = &g->e[a], *y = &g->e[b];
            /* events of a thread were added in its order */
            if (is_first(x) ? !is_first(y) : x->thread == y->thread && a < b) o.po.row[a] |= 1u << b;
            if (a != b && is_access(x) && is_access(y) && x->place == y->place) o.same.row[a] |= 1u << b;
            if (y->reads && y->rf == a) o.rf.row[a] |= 1u << b;
        }
    for (unsigned p = 0; p < WEAK_PLACES; p++)
        for (unsigned i = 0; i < g->writes[p]; i++)
            for (unsigned j = i + 1; j < g->writes[p]; j++) o.mo.row[g->mo[p][i]] |= 1u << g->mo[p][j];
    for (unsigned r = 0; r < g->n; r++)
        if (g->e[r].reads) o.fr.row[r] = o.mo.row[g->e[r].rf] & ~(1u << r);
    return o;
}

/* ---- models ---- */

static bool atomic(const axiom_graph *g) {
    for (unsigned p = 0; p < WEAK_PLACES; p++)
        for (unsigned i = 1; i < g->writes[p]; i++) {
            const axiom_event *e = &g->e[g->mo[p][i]];
            if (e->reads && e->rf != g->mo[p][i - 1]) return false;
        }
    return true;
}

static axiom_relation communication(const axiom_orders *o) {
    axiom_relation r = joined(&o->rf, &o->mo);
    return joined(&r, &o->fr);
}

static bool is_fence(const axiom_event *e) { return e->op == WEAK_FENCE; }

/* The events that release through write w: itself, and release fences before it. */
static bits releasing(const axiom_graph *g, const axiom_orders *o, unsigned w) {
    bits all = order_releases(g->e[w].order) && !is_first(&g->e[w]) ? 1u << w : 0;
    for (unsigned f = 0; f < g->n; f++)
        if (is_fence(&g->e[f]) && order_releases(g->e[f].order) && o->po.row[f] >> w & 1) all |= 1u << f;
    return all;
}

static bits acquiring(const axiom_graph *g, const axiom_orders *o, unsigned r) {
    bits all = order_acquires(g->e[r].order) ? 1u << r : 0;
    for (unsigned f = 0; f < g->n; f++)
        if (is_fence(&g->e[f]) && order_acquires(g->e[f].order) && o->po.row[r] >> f & 1) all |= 1u << f;
    return all;
}

static axiom_relation synchronizes(const axiom_graph *g, const axiom_orders *o) {
    axiom_relation sw = {{0}};
    for (unsigned w = 0; w < g->n; w++) {
        if (!g->e[w].writes) continue;
        bits sequence = 1u << w, ends = 0;
        for (unsigned turn = 0; turn < g->n; turn++)
            for (unsigned u = 0; u < g->n; u++)
                if (g->e[u].reads && g->e[u].writes && sequence >> g->e[u].rf & 1) sequence |= 1u << u;
        for (unsigned r = 0; r < g->n; r++)
            if (g->e[r].reads && sequence >> g->e[r].rf & 1) ends |= acquiring(g, o, r);
        for (bits rest = releasing(g, o, w); rest; rest &= rest - 1) {
            const unsigned head = (unsigned)__builtin_ctz(rest);
            sw.row[head] |= ends & ~(1u << head);
        }
    }
    return sw;
}

static bool coherent(const axiom_relation *hb, const axiom_relation *eco, unsigned n) {
    axiom_relation both = composed(hb, eco);
    return irreflexive(hb, n) && irreflexive(eco, n) && irreflexive(&both, n);
}

static axiom_relation only(const axiom_relation *r, bits from, bits to) {
    axiom_relation out = {{0}};
    for (unsigned i = 0; i < EVENTS; i++)
        if (from >> i & 1) out.row[i] = r->row[i] & to;
    return out;
}

static bool psc_is_acyclic(const axiom_graph *g, const axiom_orders *o, const axiom_relation *hb,
                           const axiom_relation *eco) {
    bits sc = 0, fences = 0, all = g->n == 32 ? UINT32_MAX : (1u << g->n) - 1;
    axiom_relation id = {{0}}, apart = {{0}}, near = {{0}};
    for (unsigned i = 0; i < g->n; i++) {
        if (g->e[i].order == ORDER_SC && !is_first(&g->e[i])) sc |= 1u << i;
        if (sc >> i & 1 && is_fence(&g->e[i])) fences |= 1u << i;
        id.row[i] = 1u << i;
        apart.row[i] = o->po.row[i] & ~o->same.row[i];
        near.row[i] = hb->row[i] & o->same.row[i];
    }
    axiom_relation hop = composed(&apart, hb), scb = composed(&hop, &apart);
    scb = joined(&scb, &o->po);
    scb = joined(&scb, &near);
    scb = joined(&scb, &o->mo);
    scb = joined(&scb, &o->fr);
    axiom_relation hbq = joined(hb, &id);
    axiom_relation left = only(&hbq, fences, all), right = only(&hbq, all, fences), own = only(&id, sc, sc);
    left = joined(&left, &own);
    right = joined(&right, &own);
    axiom_relation base = composed(&left, &scb);
    base = composed(&base, &right);
    axiom_relation far = composed(hb, eco);
    far = composed(&far, hb);
    far = joined(&far, hb);
    far = only(&far, fences, fences);
    base = joined(&base, &far);
    return acyclic(&base, g->n);
}

/* Read-modify-writes are locked instructions, those that fail included; a sequentially consistent store is one, too. */
static bool is_buffered(const axiom_event *e) { return e->op == WEAK_STORE && e->order != ORDER_SC && !is_first(e); }
static bool is_mfence(const axiom_event *e) { return is_fence(e) && e->order == ORDER_SC; }

/* Program order without pairs of a buffered store and a later load; of fences only mfence orders anything. */
static axiom_relation preserved(const axiom_graph *g, const axiom_orders *o) {
    axiom_relation ppo = {{0}};
    for (unsigned a = 0; a < g->n; a++)
        for (unsigned b = 0; b < g->n; b++) {
            const axiom_event *x = &g->e[a], *y = &g->e[b];
            if (!(o->po.row[a] >> b & 1) || (is_fence(x) && !is_mfence(x)) || (is_fence(y) && !is_mfence(y))) continue;
            if (!is_buffered(x) || y->op != WEAK_LOAD) ppo.row[a] |= 1u << b;
        }
    return ppo;
}

static bool holds_tso(const axiom_graph *g, const axiom_orders *o, const axiom_relation *com) {
    axiom_relation near = {{0}}, far = {{0}};
    for (unsigned a = 0; a < g->n; a++) {
        near.row[a] = o->po.row[a] & o->same.row[a];
        for (unsigned b = 0; b < g->n; b++)
            if (o->rf.row[a] >> b & 1 && g->e[a].thread != g->e[b].thread) far.row[a] |= 1u << b;
    }
    near = joined(&near, com);
    const axiom_relation ppo = preserved(g, o);
    far = joined(&far, &ppo);
    far = joined(&far, &o->mo);
    far = joined(&far, &o->fr);
    return acyclic(&near, g->n) && acyclic(&far, g->n);
}

static bool holds(const axiom_graph *g, memory_model m) {
    if (!atomic(g)) return false;
    const axiom_orders o = orders_of(g);
    axiom_relation com = communication(&o), all = joined(&o.po, &com), porf = joined(&o.po, &o.rf);
    if (m == MODEL_SC) return acyclic(&all, g->n);
    if (m == MODEL_TSO) return holds_tso(g, &o, &com);
    if (!acyclic(&porf, g->n)) return false;
    axiom_relation eco = closure(com, g->n), sw = synchronizes(g, &o), hb = joined(&o.po, &sw);
    hb = closure(m == MODEL_RA ? porf : hb, g->n);
    return coherent(&hb, &eco, g->n) && (m == MODEL_RA || psc_is_acyclic(g, &o, &hb, &eco));
}

/* ---- all graphs ---- */

typedef struct seen_graphs {
    uint64_t *hash;
    uint32_t n, room;
} seen_graphs;

typedef struct enumeration {
    const weak_program *p;
    memory_model model;
    weak_outcomes *out;
    seen_graphs seen;
} enumeration;

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

/* Of what was read and of the modification orders, whatever the order in which events were added. */
static uint64_t name_of(const axiom_graph *g, unsigned e) {
    if (is_first(&g->e[e])) return 1000 + g->e[e].place;
    for (unsigned i = 0; i < WEAK_CODE; i++)
        if (g->at[g->e[e].thread][i] == e + 1) return g->e[e].thread * 16u + i;
    return 9999;
}

static uint64_t fingerprint(const axiom_graph *g) {
    uint64_t h = 7;
    for (unsigned t = 0; t < WEAK_THREADS; t++)
        for (unsigned i = 0; i < WEAK_CODE; i++) {
            const unsigned at = g->at[t][i];
            h = mix(h, !at ? 5000 : g->e[at - 1].reads ? name_of(g, g->e[at - 1].rf) : 6000);
        }
    for (unsigned p = 0; p < WEAK_PLACES; p++) {
        h = mix(h, 7000);
        for (unsigned i = 0; i < g->writes[p]; i++) h = mix(h, name_of(g, g->mo[p][i]));
    }
    return h;
}

static bool is_new(seen_graphs *s, uint64_t h) {
    if (2 * s->n >= s->room) {
        seen_graphs old = *s;
        s->room = old.room ? 2 * old.room : 1024;
        s->hash = mem_zero(s->room, sizeof *s->hash);
        s->n = 0;
        for (uint32_t i = 0; i < old.room; i++)
            if (old.hash[i]) is_new(s, old.hash[i]);
        free(old.hash);
    }
    h |= 1;
    uint32_t i = (uint32_t)(h >> 20) % s->room;
    for (; s->hash[i] && s->hash[i] != h; i = (i + 1) % s->room) continue;
    if (s->hash[i]) return false;
    s->hash[i] = h;
    s->n++;
    return true;
}

static void go(enumeration *x, const axiom_graph *g);

static int8_t operand(const axiom_graph *g, unsigned t, const weak_instruction *i) {
    return (int8_t)(i->value + (i->from == WEAK_NO_REGISTER ? 0 : g->reg[t][i->from]));
}

static void skip(const weak_program *p, axiom_graph *g, unsigned t) {
    while (g->pc[t] < p->length[t] && p->code[t][g->pc[t]].op == WEAK_SKIP_UNLESS) {
        const weak_instruction *i = &p->code[t][g->pc[t]];
        g->pc[t] += 1u + (g->reg[t][i->from] == i->expected ? 0 : (unsigned)i->value);
    }
}

static unsigned add(axiom_graph *g, unsigned t, const weak_instruction *i) {
    g->e[g->n] = (axiom_event){.thread = (uint8_t)t, .place = i->place, .order = i->order, .op = i->op};
    g->at[t][g->pc[t]++] = g->n + 1;
    return g->n++;
}

static void write_everywhere(enumeration *x, const axiom_graph *g, unsigned e) {
    const unsigned p = g->e[e].place;
    for (unsigned at = 1; at <= g->writes[p]; at++) {
        axiom_graph h = *g;
        memmove(&h.mo[p][at + 1], &h.mo[p][at], h.writes[p] - at);
        h.mo[p][at] = (uint8_t)e;
        h.writes[p]++;
        go(x, &h);
    }
}

static void read_one(enumeration *x, const axiom_graph *g, unsigned t, const weak_instruction *i, unsigned w) {
    axiom_graph h = *g;
    const int8_t seen = g->e[w].value, v = operand(g, t, i);
    const unsigned number = add(&h, t, i);
    axiom_event *e = &h.e[number];
    e->reads = true;
    e->rf = (uint8_t)w;
    h.reg[t][i->to] = seen;
    e->writes = i->op == WEAK_ADD || i->op == WEAK_EXCHANGE || (i->op == WEAK_CAS && seen == i->expected);
    e->value = (int8_t)(i->op == WEAK_ADD ? seen + v : v);
    if (i->op == WEAK_CAS && !e->writes) e->order = i->order_failed;
    if (e->writes) write_everywhere(x, &h, number);
    else go(x, &h);
}

static void next(enumeration *x, const axiom_graph *g, unsigned t) {
    const weak_instruction *i = &x->p->code[t][g->pc[t]];
    axiom_graph h = *g;
    if (i->op == WEAK_FENCE) {
        add(&h, t, i);
        go(x, &h);
    } else if (i->op == WEAK_STORE) {
        const unsigned e = add(&h, t, i);
        h.e[e].writes = true;
        h.e[e].value = operand(g, t, i);
        write_everywhere(x, &h, e);
    } else
        for (unsigned w = 0; w < g->writes[i->place]; w++) read_one(x, g, t, i, g->mo[i->place][w]);
}

static void finish(enumeration *x, const axiom_graph *g) {
    weak_outcome o = {{0}};
    memcpy(o.value, g->reg, sizeof g->reg);
    for (unsigned p = 0; p < WEAK_PLACES; p++)
        o.value[WEAK_THREADS * WEAK_REGISTERS + p] = g->e[g->mo[p][g->writes[p] - 1]].value;
    x->out->graphs++;
    weak_outcomes_add(x->out, &o);
}

/* Parts of a consistent graph are consistent: what is not need not go on. */
static void go(enumeration *x, const axiom_graph *from) {
    axiom_graph g = *from;
    bool any = false;
    if (!is_new(&x->seen, fingerprint(&g)) || !holds(&g, x->model)) return;
    for (unsigned t = 0; t < x->p->threads; t++) skip(x->p, &g, t);
    for (unsigned t = 0; t < x->p->threads; t++)
        if (g.pc[t] < x->p->length[t]) {
            any = true;
            next(x, &g, t);
        }
    if (!any) finish(x, &g);
}

void weak_enumerate(const weak_program *p, memory_model m, weak_outcomes *out) {
    enumeration x = {p, m, out, {0}};
    axiom_graph g = {.n = WEAK_PLACES};
    for (unsigned i = 0; i < WEAK_PLACES; i++) {
        g.e[i] = (axiom_event){.thread = WEAK_THREADS, .place = (uint8_t)i, .writes = true, .op = WEAK_STORE};
        g.mo[i][0] = (uint8_t)i;
        g.writes[i] = 1;
    }
    go(&x, &g);
    free(x.seen.hash);
}
