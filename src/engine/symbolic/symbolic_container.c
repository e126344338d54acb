/* Queue, stack, priority queue, pool: axioms fifo, lifo, max and empty of their theories. */
#include "engine/symbolic/symbolic_items.h"

#include "base/mem.h"
#include "engine/rank_order.h"

#include <stdlib.h>
#include <string.h>

typedef struct container_encoding container_encoding;
struct container_encoding {
    items t;
    encoding *e;
    uint32_t *by_return; /* items by the return of their adds */
    uint32_t *rank;      /* of priorities, by item; NULL: not a priority queue */
    /* The axiom about two different items, (u, v) and not (v, u); NULL: none. */
    void (*instance)(container_encoding *c, uint32_t u, uint32_t v);
    bool (*sweep)(container_encoding *c); /* its instances without any overlap; false: refuted */
    /* its instances found from an overlapping pair of positions */
    void (*from_pair)(container_encoding *c, uint32_t x, uint32_t y);
};

/* ---- instances: the axiom for two items, with all their takers ---- */

static void begin(container_encoding *c, uint32_t a, uint32_t b, uint32_t d) {
    cnf *f = &c->e->cnf;
    cnf_begin(f);
    cnf_owner(f, a);
    cnf_owner(f, b);
    cnf_owner(f, d);
}

/* ... -> exists r. match(item, r) & b(r, end) */
static void taken_before(container_encoding *c, uint32_t item, uint32_t end) {
    const items *t = &c->t;
    for (size_t k = t->first[item]; k < t->first[item + 1]; k++)
        if (t->taker[k].remove != end)
            cnf_literal(&c->e->cnf,
                        cnf_both(&c->e->cnf, t->taker[k].takes, before(&c->e->order, t->taker[k].remove, end)));
    cnf_end(&c->e->cnf);
}

/* u added before v: the remove of v comes after the remove of u. */
static void fifo(container_encoding *c, uint32_t u, uint32_t v) {
    const items *t = &c->t;
    cnf *f = &c->e->cnf;
    literal order = before(&c->e->order, t->add[u], t->add[v]);
    if (order == LIT_FALSE) return;
    for (size_t k = t->first[v]; k < t->first[v + 1]; k++) {
        begin(c, t->add[u], t->add[v], t->taker[k].remove);
        cnf_literal(f, -c->e->used[t->add[u]]);
        cnf_literal(f, -t->taker[k].takes);
        cnf_literal(f, -order);
        if (!f->holds) taken_before(c, u, t->taker[k].remove);
    }
}

/* v added after u and before u is taken: v is taken before u is. */
static void lifo(container_encoding *c, uint32_t u, uint32_t v) {
    const items *t = &c->t;
    cnf *f = &c->e->cnf;
    literal order = before(&c->e->order, t->add[u], t->add[v]);
    if (order == LIT_FALSE) return;
    for (size_t k = t->first[u]; k < t->first[u + 1]; k++) {
        begin(c, t->add[u], t->add[v], t->taker[k].remove);
        cnf_literal(f, -c->e->used[t->add[v]]);
        cnf_literal(f, -t->taker[k].takes);
        cnf_literal(f, -order);
        cnf_literal(f, -before(&c->e->order, t->add[v], t->taker[k].remove));
        if (!f->holds) taken_before(c, v, t->taker[k].remove);
    }
}

/* v is better and added before u is taken: v is taken before u is. */
static void best(container_encoding *c, uint32_t u, uint32_t v) {
    const items *t = &c->t;
    cnf *f = &c->e->cnf;
    if (c->rank[u] >= c->rank[v]) return;
    for (size_t k = t->first[u]; k < t->first[u + 1]; k++) {
        begin(c, t->add[u], t->add[v], t->taker[k].remove);
        cnf_literal(f, -c->e->used[t->add[v]]);
        cnf_literal(f, -t->taker[k].takes);
        cnf_literal(f, -before(&c->e->order, t->add[v], t->taker[k].remove));
        if (!f->holds) taken_before(c, v, t->taker[k].remove);
    }
}

static void empty(container_encoding *c, uint32_t e, uint32_t v) {
    const items *t = &c->t;
    cnf *f = &c->e->cnf;
    cnf_begin(f);
    cnf_owner(f, e);
    cnf_owner(f, t->add[v]);
    cnf_literal(f, -c->e->used[t->add[v]]);
    cnf_literal(f, -before(&c->e->order, t->add[v], e));
    if (!f->holds) taken_before(c, v, e);
}

/* ---- sweeps: hard items, no overlaps ---- */

static bool refute_items(container_encoding *c, uint32_t u, uint32_t v) {
    const uint32_t wrong[] = {c->t.add[u], c->t.add[v]};
    return encoding_refute(c->e, wrong, 2);
}

static void sort_by_return(container_encoding *c) {
    const items *t = &c->t;
    ranked *all = MEM_ARRAY(ranked, 2 * (size_t)t->n + 1);
    for (uint32_t i = 0; i < t->n; i++) all[i] = (ranked){add_return_of(t, i), i};
    const ranked *sorted = rank_order(all, all + t->n, t->n);
    c->by_return = MEM_ARRAY(uint32_t, (size_t)t->n + 1);
    for (uint32_t i = 0; i < t->n; i++) c->by_return[i] = sorted[i].item;
    free(all);
}

/* Some v added before e was called and taken, if at all, after e returned. */
static bool sweep_empty(container_encoding *c) {
    const items *t = &c->t;
    uint32_t k = 0, worst = NEVER_TAKEN;
    for (uint32_t j = 0; j < t->empties; j++) {
        uint32_t e = t->empty[j];
        for (; k < t->n && add_return_of(t, c->by_return[k]) < c->e->order.call[e]; k++) {
            uint32_t v = c->by_return[k];
            if (!t->soft[v] && (worst == NEVER_TAKEN || remove_call_of(t, v) > remove_call_of(t, worst))) worst = v;
        }
        if (worst == NEVER_TAKEN || remove_call_of(t, worst) < c->e->order.ret[e]) continue;
        return encoding_refute(c->e, (const uint32_t[]){e, t->add[worst]}, 2);
    }
    return true;
}

/* u added before v, taken after v. */
static bool sweep_fifo(container_encoding *c) {
    const items *t = &c->t;
    uint32_t first = NEVER_TAKEN; /* taken first of those added after the current u */
    for (uint32_t k = t->n, v = t->n; k-- > 0;) {
        uint32_t u = c->by_return[k];
        for (; v > 0 && add_call_of(t, v - 1) > add_return_of(t, u); v--)
            if (!t->soft[v - 1] && (first == NEVER_TAKEN || remove_return_of(t, v - 1) < remove_return_of(t, first)))
                first = v - 1;
        if (!t->soft[u] && first != NEVER_TAKEN && remove_return_of(t, first) < remove_call_of(t, u))
            return refute_items(c, u, first);
    }
    return true;
}

/* Over positions, the least (or, of negated numbers, the greatest) of what was put there and to the right. */
typedef struct minimum {
    uint32_t size;
    uint64_t *least; /* number << 32 | item */
} minimum;

static void minimum_init(minimum *m, uint32_t n) {
    for (m->size = 1; m->size < n + 1;) m->size *= 2;
    m->least = MEM_ARRAY(uint64_t, 2 * (size_t)m->size);
    for (size_t i = 0; i < 2 * (size_t)m->size; i++) m->least[i] = UINT64_MAX;
}

static void minimum_put(minimum *m, uint32_t at, uint32_t number, uint32_t item) {
    uint64_t word = (uint64_t)number << 32 | item;
    for (size_t i = (size_t)at + m->size; i && m->least[i] > word; i /= 2) m->least[i] = word;
}

static uint64_t minimum_from(const minimum *m, uint32_t at) {
    uint64_t least = UINT64_MAX;
    for (size_t i = (size_t)at + m->size, end = 2 * (size_t)m->size; i < end; i /= 2, end /= 2) {
        if (i & 1 && m->least[i] < least) least = m->least[i];
        if (i & 1) i++;
        if (end & 1 && m->least[end - 1] < least) least = m->least[end - 1];
        if (end & 1) end--;
    }
    return least;
}

/* u added before v, v added before u is taken, u taken before v is. */
static bool sweep_lifo(container_encoding *c) {
    const items *t = &c->t;
    minimum taken;
    minimum_init(&taken, c->e->p->n);
    bool good = true;
    for (uint32_t v = 0, k = 0; v < t->n && good; v++) {
        for (; k < t->n && add_return_of(t, c->by_return[k]) < add_call_of(t, v); k++) {
            uint32_t u = c->by_return[k];
            if (!t->soft[u] && is_taken(t, u)) minimum_put(&taken, t->remove[u], remove_return_of(t, u), u);
        }
        if (t->soft[v] || add_return_of(t, v) == RANK_NEVER) continue;
        uint64_t first = minimum_from(&taken, first_called_after(&c->e->order, add_return_of(t, v)));
        if (first != UINT64_MAX && first >> 32 < remove_call_of(t, v)) good = refute_items(c, (uint32_t)first, v);
    }
    free(taken.least);
    return good;
}

static int by_rank(const void *a, const void *b, void *context) {
    const uint32_t *rank = context, x = rank[*(const uint32_t *)a], y = rank[*(const uint32_t *)b];
    return x < y ? 1 : x > y ? -1 : 0;
}

/* v better, added before u is taken, taken after u. Better ones first; at the first position called after v's add
 * returned, reversed so that "to the right" is "not later than u's remove", the latest call of a remove. */
static bool sweep_best(container_encoding *c) {
    const items *t = &c->t;
    uint32_t n = c->e->p->n, *order = MEM_ARRAY(uint32_t, (size_t)t->n + 1);
    for (uint32_t i = 0; i < t->n; i++) order[i] = i;
    qsort_r(order, t->n, sizeof *order, by_rank, c->rank);
    minimum latest;
    minimum_init(&latest, n);
    bool good = true;
    for (uint32_t i = 0, same = 0; i < t->n && good; i++) {
        for (; c->rank[order[same]] > c->rank[order[i]]; same++) {
            uint32_t v = order[same];
            if (t->soft[v] || add_return_of(t, v) == RANK_NEVER) continue;
            minimum_put(&latest, n - first_called_after(&c->e->order, add_return_of(t, v)),
                        RANK_NEVER - remove_call_of(t, v), v);
        }
        uint32_t u = order[i];
        if (t->soft[u] || !is_taken(t, u)) continue;
        uint64_t last = minimum_from(&latest, n - t->remove[u]);
        if (last != UINT64_MAX && RANK_NEVER - (uint32_t)(last >> 32) > remove_return_of(t, u))
            good = refute_items(c, u, (uint32_t)last);
    }
    free(latest.least);
    free(order);
    return good;
}

/* ---- instances from overlapping pairs of hard items ---- */

static bool is_add_of(const container_encoding *c, uint32_t item, uint32_t position) {
    return c->t.add[item] == position;
}

static void fifo_from(container_encoding *c, uint32_t x, uint32_t y) {
    const items *t = &c->t;
    uint32_t u = t->item[x], v = t->item[y];
    bool adds_x = is_add_of(c, u, x), adds_y = is_add_of(c, v, y);
    if (adds_x != adds_y || (!adds_x && overlaps(&c->e->order, t->add[u], t->add[v]))) return; /* found from the adds */
    fifo(c, u, v);
    fifo(c, v, u);
}

/* An instance (u, v) has three pairs, (add u, add v), (add v, remove u), (remove u, remove v): it is emitted from the
 * first of them that overlaps. */
static void lifo_from(container_encoding *c, uint32_t x, uint32_t y) {
    const items *t = &c->t;
    const overlap *o = &c->e->order;
    uint32_t u = t->item[x], v = t->item[y];
    bool adds_x = is_add_of(c, u, x), adds_y = is_add_of(c, v, y);
    if (adds_x && adds_y) {
        lifo(c, u, v);
        lifo(c, v, u);
    } else if (overlaps(o, t->add[u], t->add[v])) {
        return;
    } else if (adds_x || adds_y) {
        lifo(c, adds_x ? v : u, adds_x ? u : v);
    } else {
        if (!overlaps(o, t->add[v], x)) lifo(c, u, v);
        if (!overlaps(o, t->add[u], y)) lifo(c, v, u);
    }
}

static void best_from(container_encoding *c, uint32_t x, uint32_t y) {
    const items *t = &c->t;
    const overlap *o = &c->e->order;
    uint32_t u = t->item[x], v = t->item[y];
    bool adds_x = is_add_of(c, u, x), adds_y = is_add_of(c, v, y);
    if (adds_x && adds_y) return;
    if (adds_x || adds_y) {
        best(c, adds_x ? v : u, adds_x ? u : v);
    } else {
        if (!overlaps(o, t->add[v], x)) best(c, u, v);
        if (!overlaps(o, t->add[u], y)) best(c, v, u);
    }
}

static bool finds_nothing(const container_encoding *c, uint32_t x) {
    return !is_pending(c->e, x) && c->e->p->h->res[operation_at(c->e, x)] == VALUE_EMPTY;
}

static void from_pair(container_encoding *c, uint32_t x, uint32_t y) {
    const items *t = &c->t;
    bool no_x = t->item[x] == NEVER_TAKEN, no_y = t->item[y] == NEVER_TAKEN;
    if (no_x && no_y) return;
    if (no_x || no_y) {
        uint32_t e = no_x ? x : y, other = no_x ? y : x, v = t->item[other];
        if (t->soft[v] || !finds_nothing(c, e)) return;
        if (is_add_of(c, v, other) || !overlaps(&c->e->order, t->add[v], e)) empty(c, e, v);
        return;
    }
    uint32_t u = t->item[x], v = t->item[y];
    if (u != v && !t->soft[u] && !t->soft[v] && c->from_pair) c->from_pair(c, x, y);
}

static bool emit_from_pairs(container_encoding *c) {
    const overlap *o = &c->e->order;
    unsigned ticks = 0;
    bool good = true;
    for (uint32_t y = 0; y < o->n && good; y++) {
        for (size_t i = o->start[y]; i < o->start[y + 1]; i++) from_pair(c, o->earlier[i], y);
        good = encoding_goes_on(c->e, &ticks);
    }
    return good;
}

static bool emit_soft(container_encoding *c) {
    items *t = &c->t;
    unsigned ticks = 0;
    bool good = true;
    for (uint32_t u = 0; u < t->n && good; u++) {
        if (!t->soft[u]) continue;
        for (uint32_t v = 0; v < t->n && good && c->instance; v++) {
            if (u == v) continue;
            c->instance(c, u, v);
            if (!t->soft[v]) c->instance(c, v, u);
            good = encoding_goes_on(c->e, &ticks);
        }
        for (uint32_t j = 0; j < t->empties; j++) empty(c, t->empty[j], u);
    }
    return good;
}

/* ---- which container ---- */

/* An element is its own priority, or a tuple [priority ...] (object/pqueue.c). */
static value priority_of(const items *t, uint32_t i) {
    const values *all = t->e->p->h->values;
    value v = item_value(t, i);
    if (value_is_small_int(v) || value_kind_of(all, v) != KIND_TUPLE) return v;
    size_t n;
    const value *part = value_as_tuple(all, v, &n);
    return n ? part[0] : v;
}

typedef struct prioritized {
    value priority;
    uint32_t item;
} prioritized;

static int by_priority(const void *a, const void *b, void *context) {
    return value_compare(context, ((const prioritized *)a)->priority, ((const prioritized *)b)->priority);
}

static void rank_items(container_encoding *c, bool least_first) {
    const items *t = &c->t;
    values *all = c->e->p->h->values;
    prioritized *order = MEM_ARRAY(prioritized, (size_t)t->n + 1);
    for (uint32_t i = 0; i < t->n; i++) order[i] = (prioritized){priority_of(t, i), i};
    qsort_r(order, t->n, sizeof *order, by_priority, all);
    c->rank = MEM_ARRAY(uint32_t, (size_t)t->n + 1);
    uint32_t rank = 0;
    for (uint32_t k = 0; k < t->n; k++) {
        if (k && by_priority(&order[k - 1], &order[k], all) != 0) rank++;
        c->rank[order[k].item] = least_first ? UINT32_MAX - rank : rank;
    }
    free(order);
}

typedef struct container_axiom {
    void (*instance)(container_encoding *c, uint32_t u, uint32_t v);
    bool (*sweep)(container_encoding *c);
    void (*from_pair)(container_encoding *c, uint32_t x, uint32_t y);
} container_axiom;

static void use_axiom(container_encoding *c, container_axiom a) {
    c->instance = a.instance;
    c->sweep = a.sweep;
    c->from_pair = a.from_pair;
}

static void choose_axiom(container_encoding *c) {
    const char *name = c->e->p->o->type->name;
    if (!strcmp(name, "queue")) {
        use_axiom(c, (container_axiom){fifo, sweep_fifo, fifo_from});
    } else if (!strcmp(name, "stack")) {
        use_axiom(c, (container_axiom){lifo, sweep_lifo, lifo_from});
    } else if (strcmp(name, "multiset") != 0) {
        rank_items(c, !strcmp(name, "pqueue-min"));
        use_axiom(c, (container_axiom){best, sweep_best, best_from});
    }
}

static bool emit(container_encoding *c) {
    choose_axiom(c);
    sort_by_return(c);
    if (!sweep_empty(c) || (c->sweep && !c->sweep(c))) return false;
    bool apart = !c->t.softs && (!c->instance || c->instance == fifo);
    return emit_from_pairs(c) && (!c->t.softs || emit_soft(c)) && (!apart || items_order_apart(&c->t));
}

bool encode_container(encoding *e) {
    container_encoding c = {.e = e};
    bool good = items_init(&c.t, e) && emit(&c);
    items_free(&c.t);
    free(c.by_return);
    free(c.rank);
    return good;
}
