/* A register, or a key of a store, with compare-and-set, whose expected values are written once.
 *
 * The cluster of a value is the update that wrote it and the reads that returned it. A cas(a, b) that succeeded comes
 * right behind the cluster of a and begins that of b: clusters form *chains*, each of which is one block of
 * every linearization. Two such compare-and-sets of one a, a cycle, or an a that was never written are violations at
 * once. A pending update counts only where its value is read, or expected by a compare-and-set that counts; others can
 * be left out of every linearization that has them.
 *
 * Inside a chain the order is given, but for reads of one cluster: it is legal iff no member returned before an earlier
 * one was called. Blocks are ordered as those of a register (register_linear.c): with f the first return and s the last
 * call of a block, X and Y cannot be ordered iff f(X) < s(Y) and f(Y) < s(X), and otherwise the order of min(f, s) will
 * do, or that of max(f, s), which is the same with time reversed.
 *
 * *Loose* are reads of values that were written more than once (as an absent key is by each delete), and
 * compare-and-sets that failed. They change nothing: if the history without them is a violation, so is the whole. Into
 * the orders found they are put where the right value is held (placement.h). That is complete where there are no loose
 * ones; otherwise, when neither order has a place for one of them, the order is mended around it (order_repair.h), and
 * when that fails the engine gives up. docs/proofs/others.md has
 * the proofs. */
#include "engine/engine.h"
#include "engine/linear/order_repair.h"
#include "engine/linear/placement.h"
#include "engine/linear/spare_updates.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/rank_order.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum chain_role { CHAIN_READ, CHAIN_WRITE, CHAIN_DELETE, CHAIN_SWAP, CHAIN_OTHER } chain_role;

typedef struct chain_cluster {
    value v;
    uint32_t writer;        /* position in p->op; NO_NUMBER: none, or the initial value's */
    uint32_t from, next;    /* before and behind it in the chain; NO_NUMBER: none */
    uint32_t first, last;   /* of its reads: first return, last call */
    uint32_t reads, reader; /* how many; the first one's position */
    uint32_t place;
    uint32_t writers; /* updates that wrote the value, or may have; the initial value has one more */
    bool needed;
} chain_cluster;

typedef struct chain_block {
    uint32_t head;        /* cluster */
    uint32_t first, last; /* f and s */
} chain_block;

typedef struct chains {
    const problem *p;
    bool is_part;        /* a pattern of a violation is decided again: no pattern of it is wanted */
    chain_role role[64]; /* by method */
    value_index observed;
    chain_cluster *at; /* at[0] is the initial value's */
    uint32_t n;
    uint32_t *of; /* by position: its cluster; NO_NUMBER: not in the witness */
    loose_observer *loose;
    uint32_t looses;
    chain_block *block; /* block[0] is the initial value's: before everything */
    uint32_t blocks;
} chains;

static uint32_t call_of(const chains *c, uint32_t i) { return c->p->h->call[c->p->op[i]]; }
static uint32_t return_of(const chains *c, uint32_t i) { return c->p->h->ret[c->p->op[i]]; }
static bool is_pending(const chains *c, uint32_t i) { return return_of(c, i) == RANK_NEVER; }
static value argument(const chains *c, uint32_t i, unsigned a) { return c->p->h->arg[a][c->p->op[i]]; }

/* ---- what operations do ---- */

static chain_role role_named(const char *name) {
    static const struct {
        const char *name;
        chain_role role;
    } known[] = {{"read", CHAIN_READ}, {"get", CHAIN_READ},      {"write", CHAIN_WRITE},
                 {"put", CHAIN_WRITE}, {"delete", CHAIN_DELETE}, {"cas", CHAIN_SWAP}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].name, name)) return known[i].role;
    return CHAIN_OTHER;
}

static chain_role method_role(const chains *c, uint32_t i) { return c->role[c->p->h->method[c->p->op[i]]]; }

/* A compare-and-set of a value with itself reads it, when it succeeded. */
static bool is_swap(const chains *c, uint32_t i) {
    return method_role(c, i) == CHAIN_SWAP && c->p->h->res[c->p->op[i]] != VALUE_FALSE &&
           argument(c, i, 0) != argument(c, i, 1);
}

static bool is_update(const chains *c, uint32_t i) {
    chain_role r = method_role(c, i);
    return r == CHAIN_WRITE || r == CHAIN_DELETE || is_swap(c, i);
}

static bool is_failed(const chains *c, uint32_t i) {
    return method_role(c, i) == CHAIN_SWAP && c->p->h->res[c->p->op[i]] == VALUE_FALSE;
}

static value written(const chains *c, uint32_t i) {
    chain_role r = method_role(c, i);
    return r == CHAIN_DELETE ? VALUE_NONE : argument(c, i, r == CHAIN_SWAP);
}

static bool is_empty_string(const values *t, value v) {
    size_t n = 1;
    if (v >= VALUE_INTERNED && value_kind_of(t, v) == KIND_BYTES) value_as_bytes(t, v, &n);
    return n == 0;
}

/* What a read returned or a compare-and-set expects. Stores may say "" of an absent key. */
static value seen(const chains *c, uint32_t i) {
    if (method_role(c, i) != CHAIN_READ) return argument(c, i, 0);
    value v = c->p->h->res[c->p->op[i]];
    return c->p->o->type->keyed && is_empty_string(c->p->h->values, v) ? VALUE_NONE : v;
}

static bool observes(const chains *c, uint32_t i) {
    if (is_swap(c, i)) return true;
    return !is_pending(c, i) && !is_update(c, i) && !is_failed(c, i);
}

/* ---- clusters ---- */

static bool refuse(const chains *c, value v, const char *what, outcome *out) {
    text shown = {0};
    value_print(c->p->h->values, v, &shown);
    snprintf(out->why, sizeof out->why, "value %.60s is %s", text_str(&shown), what);
    text_free(&shown);
    return false;
}

static uint32_t cluster_add(chains *c, value v) {
    c->at[c->n] =
        (chain_cluster){.v = v, .writer = NO_NUMBER, .from = NO_NUMBER, .next = NO_NUMBER, .first = RANK_NEVER};
    return c->n++;
}

/* A cluster for each value that an operation observed, the initial one's first; and how often it was written. */
static void find_observed(chains *c) {
    value_range range = {0};
    value_range_add(&range, c->p->o->init);
    for (uint32_t i = 0; i < c->p->n; i++)
        if (observes(c, i)) value_range_add(&range, seen(c, i));
    value_index_init(&c->observed, &range);
    *value_index_at(&c->observed, c->p->o->init) = cluster_add(c, c->p->o->init);
    c->at[0].writers = 1;
    for (uint32_t i = 0; i < c->p->n; i++) {
        uint32_t *number = observes(c, i) ? value_index_at(&c->observed, seen(c, i)) : NULL;
        if (number && *number == NO_NUMBER) *number = cluster_add(c, seen(c, i));
    }
    for (uint32_t i = 0; i < c->p->n; i++) {
        uint32_t number = is_update(c, i) ? value_index_find(&c->observed, written(c, i)) : NO_NUMBER;
        if (number != NO_NUMBER) c->at[number].writers++;
    }
}

static bool is_loose(const chains *c, uint32_t number) { return c->at[number].writers > 1; }

static void add_loose(chains *c, uint32_t i, value v, bool differs) {
    assert(!c->looses || c->loose[c->looses - 1].position < i);
    c->loose[c->looses++] = (loose_observer){.position = i, .v = v, .differs = differs};
}

static void add_read(chains *c, uint32_t i) {
    uint32_t number = value_index_find(&c->observed, seen(c, i));
    if (is_loose(c, number)) {
        add_loose(c, i, seen(c, i), false);
        return;
    }
    chain_cluster *k = &c->at[number];
    assert(k->v == seen(c, i) && k->writers <= 1);
    if (!k->reads++) k->reader = i;
    if (return_of(c, i) < k->first) k->first = return_of(c, i);
    if (call_of(c, i) > k->last) k->last = call_of(c, i);
    c->of[i] = number;
}

/* An update whose value no operation observed, or several wrote, is a cluster of its own; a pending one is left out. */
static bool add_update(chains *c, uint32_t i, outcome *out) {
    value v = written(c, i);
    uint32_t number = value_index_find(&c->observed, v);
    if (c->p->o->type->keyed && is_empty_string(c->p->h->values, v) &&
        value_index_find(&c->observed, VALUE_NONE) != NO_NUMBER)
        return refuse(c, v, "may mean that the key is absent", out);
    if (number == NO_NUMBER || is_loose(c, number)) {
        if (is_pending(c, i)) return true;
        number = cluster_add(c, v);
    }
    assert(c->at[number].writer == NO_NUMBER);
    c->at[number].writer = i;
    c->of[i] = number;
    return true;
}

static bool gather(chains *c, outcome *out) {
    const problem *p = c->p;
    bool good = true;
    if (p->o->type->keyed && is_empty_string(p->h->values, p->o->init))
        return refuse(c, p->o->init, "initial, and may mean that the key is absent", out);
    find_observed(c);
    for (uint32_t i = 0; i < p->n && good; i++) {
        c->of[i] = NO_NUMBER;
        if (is_failed(c, i)) add_loose(c, i, argument(c, i, 0), true);
        else if (is_update(c, i)) good = add_update(c, i, out);
        else if (observes(c, i)) add_read(c, i);
        good = good && !problem_stopped(p, i);
    }
    return good;
}

/* ---- violations ---- */

static void decide_as(const problem *p, bool is_part, outcome *out);

typedef struct chain_proof { /* positions of the operations that are a violation with all updates of their chains */
    uint32_t *position;
    uint32_t n;
    bool *named; /* by position: is one of them */
} chain_proof;

static void prove_by(chain_proof *q, uint32_t position) {
    if (q->named[position]) return;
    q->named[position] = true;
    assert(q->n == 0 || q->position[q->n - 1] != position);
    q->position[q->n++] = position;
}

/* That a pending update took effect is known by a read of its value: it has to stay. */
static void prove_chain(const chains *c, uint32_t cluster, bool forwards, chain_proof *q) {
    for (uint32_t k = cluster, steps = 0; k != NO_NUMBER && steps <= c->n; steps++) {
        const chain_cluster *x = &c->at[k];
        if (x->writer != NO_NUMBER && is_pending(c, x->writer) && x->reads) prove_by(q, x->reader);
        k = forwards ? x->next : x->from;
    }
}

/* Whether a pattern is a violation by itself: without the operations that left, a pending update may not count any
 * more, or a value have one update instead of two. */
static bool is_violation(const problem *part) {
    outcome out = {.verdict = VERDICT_UNDECIDED};
    decide_as(part, true, &out);
    bool found = out.verdict == VERDICT_VIOLATION;
    outcome_free(&out);
    return found;
}

static bool violation(const chains *c, const uint32_t *position, uint32_t n, outcome *out) {
    uint32_t cut = 0;
    chain_proof q = {.position = MEM_ARRAY(uint32_t, c->p->n), .named = mem_zero(c->p->n, sizeof *q.named)};
    for (uint32_t k = 0; k < n; k++) prove_by(&q, position[k]);
    for (uint32_t k = 0; k < n; k++) {
        assert(c->of[position[k]] != NO_NUMBER);
        prove_chain(c, c->of[position[k]], true, &q);
        prove_chain(c, c->of[position[k]], false, &q);
    }
    for (uint32_t k = 0; k < q.n; k++) {
        uint32_t ret = return_of(c, q.position[k]);
        if (ret != RANK_NEVER && ret > cut) cut = ret;
    }
    outcome_violation(out, cut);
    if (!c->is_part) pattern_try(c->p, q.position, q.n, is_violation, out);
    free(q.position);
    free(q.named);
    return false;
}

/* ---- chains ---- */

/* A cluster counts when it has a completed member; then the one that its update expects does. */
static void mark_needed(chains *c) {
    uint32_t *work = MEM_ARRAY(uint32_t, c->n), left = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        const chain_cluster *x = &c->at[k];
        if (k == 0 || x->reads || (x->writer != NO_NUMBER && !is_pending(c, x->writer))) work[left++] = k;
    }
    for (uint32_t i = 0; i < left; i++) c->at[work[i]].needed = true;
    while (left) {
        const chain_cluster *x = &c->at[work[--left]];
        if (x->writer == NO_NUMBER || !is_swap(c, x->writer)) continue;
        uint32_t from = value_index_find(&c->observed, argument(c, x->writer, 0));
        assert(from != NO_NUMBER); /* a swap observes */
        if (!c->at[from].needed) {
            c->at[from].needed = true;
            work[left++] = from;
        }
    }
    free(work);
}

static bool never_written(const chains *c, uint32_t k, outcome *out) {
    for (uint32_t i = 0; i < c->p->n; i++) {
        bool expects = is_swap(c, i) && c->of[i] != NO_NUMBER && c->at[c->of[i]].needed &&
                       value_index_find(&c->observed, seen(c, i)) == k;
        if (c->of[i] == k || expects) return violation(c, &i, 1, out);
    }
    assert(!"a needed cluster without update has a member that observed it");
    return false;
}

/* Behind which of several updates a swap comes is not known. */
static bool expects_one_update(const chains *c, outcome *out) {
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t w = c->at[k].needed ? c->at[k].writer : NO_NUMBER;
        if (w != NO_NUMBER && is_swap(c, w) && is_loose(c, value_index_find(&c->observed, argument(c, w, 0))))
            return refuse(c, argument(c, w, 0), "expected by a compare-and-set, and perhaps written twice", out);
    }
    return true;
}

/* Returns a cluster whose swap expects what another one expects too; 0: there is none. */
static uint32_t link_chains(chains *c) {
    uint32_t second = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        chain_cluster *x = &c->at[k];
        if (!x->needed && x->writer != NO_NUMBER) c->of[x->writer] = NO_NUMBER;
        if (!x->needed || x->writer == NO_NUMBER || !is_swap(c, x->writer)) continue;
        x->from = value_index_find(&c->observed, argument(c, x->writer, 0));
        chain_cluster *before = &c->at[x->from];
        assert(before->needed && x->from != k);
        if (before->next == NO_NUMBER) before->next = k;
        else second = k;
    }
    return second;
}

static bool make_chains(chains *c, outcome *out) {
    uint32_t second = link_chains(c);
    if (second) {
        const chain_cluster *x = &c->at[second], *first = &c->at[c->at[x->from].next];
        return violation(c, (uint32_t[]){x->writer, first->writer}, 2, out);
    }
    for (uint32_t k = 1; k < c->n; k++)
        if (c->at[k].needed && c->at[k].writer == NO_NUMBER) return never_written(c, k, out);
    return true;
}

/* Two members of one chain in the wrong order: `rank` is the call of the earlier one, `ret` the return of the later. */
static bool out_of_order(const chains *c, uint32_t rank, uint32_t ret, outcome *out) {
    uint32_t found[2], n = 0;
    for (uint32_t i = 0; i < c->p->n && n < 2; i++)
        if (call_of(c, i) == rank || return_of(c, i) == ret) found[n++] = i;
    assert(n == 2);
    return violation(c, found, n, out);
}

/* f and s of the chain that begins at `head`; false: its order contradicts that of time. */
static bool measure_chain(const chains *c, chain_block *b, uint32_t *seen_clusters, outcome *out) {
    uint32_t latest = 0; /* call of all that comes earlier in the chain */
    b->first = b->head ? RANK_NEVER : 0;
    b->last = 0;
    for (uint32_t k = b->head; k != NO_NUMBER; k = c->at[k].next) {
        const chain_cluster *x = &c->at[k];
        ++*seen_clusters;
        if (x->writer != NO_NUMBER) {
            uint32_t call = call_of(c, x->writer), ret = return_of(c, x->writer);
            if (ret < latest) return out_of_order(c, latest, ret, out);
            if (call > latest) latest = call;
            if (ret < b->first) b->first = ret;
        }
        if (x->reads) {
            if (x->first < latest) return out_of_order(c, latest, x->first, out);
            if (x->last > latest) latest = x->last;
            if (x->first < b->first) b->first = x->first;
        }
    }
    b->last = latest;
    return true;
}

/* What is left when all chains have been walked are cycles: no update begins them. */
static bool cycle(const chains *c, outcome *out) {
    uint32_t *found = MEM_ARRAY(uint32_t, c->n), n = 0;
    bool *walked = mem_zero(c->n, sizeof *walked);
    for (uint32_t b = 0; b < c->blocks; b++)
        for (uint32_t k = c->block[b].head; k != NO_NUMBER; k = c->at[k].next) walked[k] = true;
    uint32_t k = 0;
    while (!c->at[k].needed || walked[k]) k++;
    for (; !walked[k]; k = c->at[k].next) {
        walked[k] = true;
        found[n++] = c->at[k].writer;
    }
    violation(c, found, n, out);
    free(found);
    free(walked);
    return false;
}

static bool make_blocks(chains *c, outcome *out) {
    uint32_t walked = 0, needed = 0;
    c->block = MEM_ARRAY(chain_block, c->n);
    for (uint32_t k = 0; k < c->n; k++) {
        if (!c->at[k].needed) continue;
        needed++;
        if (c->at[k].from != NO_NUMBER) continue;
        c->block[c->blocks] = (chain_block){.head = k};
        if (!measure_chain(c, &c->block[c->blocks++], &walked, out)) return false;
    }
    assert(walked <= needed);
    return walked == needed || cycle(c, out);
}

/* ---- blocks in order ---- */

static uint32_t earlier_of(const chain_block *b) { return b->first < b->last ? b->first : b->last; }
static uint32_t later_of(const chain_block *b) { return b->first < b->last ? b->last : b->first; }

static ranked *sort_blocks(const chains *c, uint32_t (*key)(const chain_block *)) {
    ranked *a = MEM_ARRAY(ranked, c->blocks), *other = MEM_ARRAY(ranked, c->blocks);
    for (uint32_t b = 1; b < c->blocks; b++) a[b - 1] = (ranked){key(&c->block[b]), b};
    ranked *sorted = rank_order(a, other, c->blocks - 1);
    free(sorted == a ? other : a);
    for (uint32_t b = 2; b < c->blocks; b++) assert(sorted[b - 2].rank <= sorted[b - 1].rank);
    return sorted;
}

/* The members that make f and s of two blocks. */
static bool two_blocks(const chains *c, const chain_block *x, const chain_block *y, outcome *out) {
    uint32_t found[4], n = 0;
    for (uint32_t i = 0; i < c->p->n && n < 4; i++) {
        uint32_t call = call_of(c, i), ret = return_of(c, i);
        bool of_x = (x->head && ret == x->first) || call == x->last, of_y = ret == y->first || call == y->last;
        if (c->of[i] != NO_NUMBER && (of_x || of_y)) found[n++] = i;
    }
    return violation(c, found, n, out);
}

/* As in register_linear.c: in the order of min(f, s), a block and the one before it with the largest s. */
static bool blocks_in_order(const chains *c, const ranked *order, outcome *out) {
    const chain_block *reaching = &c->block[0];
    for (uint32_t i = 0; i + 1 < c->blocks; i++) {
        const chain_block *b = &c->block[order[i].item];
        if (b->first < reaching->last) return two_blocks(c, reaching, b, out);
        if (b->last > reaching->last) reaching = b;
    }
    return true;
}

/* ---- the witness ---- */

static void place_chain(chains *c, uint32_t head, uint32_t *places) {
    for (uint32_t k = head; k != NO_NUMBER; k = c->at[k].next) {
        c->at[k].place = *places;
        *places += (c->at[k].writer != NO_NUMBER) + c->at[k].reads;
    }
}

/* Chain by chain, in each cluster the update first, then the reads by their calls. */
static value_order lay_out(chains *c, const ranked *order) {
    uint32_t n = 0;
    place_chain(c, 0, &n);
    for (uint32_t i = 0; i + 1 < c->blocks; i++) place_chain(c, c->block[order[i].item].head, &n);
    value_order o = {.position = MEM_ARRAY(uint32_t, n), .holds = MEM_ARRAY(value, n + 1), .n = n};
    o.holds[0] = c->p->o->init;
    uint32_t *read = MEM_ARRAY(uint32_t, c->n); /* place of the next read, by cluster */
    for (uint32_t k = 0; k < c->n; k++) read[k] = c->at[k].place + (c->at[k].writer != NO_NUMBER);
    for (uint32_t i = 0; i < c->p->n; i++) {
        uint32_t k = c->of[i];
        if (k == NO_NUMBER) continue;
        uint32_t place = i == c->at[k].writer ? c->at[k].place : read[k]++;
        assert(place < n);
        o.position[place] = i;
        o.holds[place + 1] = c->at[k].v;
    }
    free(read);
    return o;
}

static void value_order_free(value_order *o) {
    free(o->position);
    free(o->holds);
}

static value result_of(const chains *c, uint32_t i) {
    if (!is_pending(c, i)) return c->p->h->res[c->p->op[i]];
    return is_swap(c, i) ? VALUE_TRUE : VALUE_NONE;
}

/* The loose ones are put in before their places: those with the same place in the order of their calls. */
static void write_witness(const chains *c, const value_order *o, const uint32_t *place, witness *w) {
    uint32_t total = o->n + c->looses, *end = mem_zero(o->n + 2, sizeof *end);
    uint32_t *by_place = MEM_ARRAY(uint32_t, c->looses);
    for (uint32_t x = 0; x < c->looses; x++) end[place[x] + 1]++;
    for (uint32_t k = 0; k <= o->n; k++) end[k + 1] += end[k];
    for (uint32_t x = 0; x < c->looses; x++) by_place[end[place[x]]++] = c->loose[x].position;
    order_log_init(w, total);
    for (uint32_t k = 0, x = 0; k <= o->n; k++) {
        for (; x < end[k]; x++) order_log_add(w, c->p->op[by_place[x]], result_of(c, by_place[x]));
        if (k < o->n) order_log_add(w, c->p->op[o->position[k]], result_of(c, o->position[k]));
    }
    assert(w->n == total);
    free(end);
    free(by_place);
}

/* By place: where chains begin with an update. */
static bool *chain_begins(const chains *c, const value_order *o) {
    bool *begins = mem_zero((size_t)o->n + 1, sizeof *begins);
    for (uint32_t k = 0; k < o->n; k++) {
        const chain_cluster *x = &c->at[c->of[o->position[k]]];
        begins[k] = x->from == NO_NUMBER && x->writer == o->position[k];
    }
    return begins;
}

/* Pending writes that are in no witness yet, by their calls. */
static spare_update *find_spares(const chains *c, uint32_t *n) {
    spare_update *spare = MEM_ARRAY(spare_update, (size_t)c->p->n + 1);
    *n = 0;
    for (uint32_t i = 0; i < c->p->n; i++) {
        const chain_role r = method_role(c, i);
        if (is_pending(c, i) && c->of[i] == NO_NUMBER && (r == CHAIN_WRITE || r == CHAIN_DELETE))
            spare[(*n)++] = (spare_update){.position = i, .v = written(c, i)};
    }
    return spare;
}

/* Compare-and-sets that failed and have no place in this order: pending writes make some. */
static bool try_with_spares(chains *c, const value_order *o, const uint32_t *place, const place_room *room,
                            outcome *out) {
    bool *begins = chain_begins(c, o), good = false;
    value_order with;
    spare_request q = {c->p, begins, c->loose, c->looses, place, room, NULL, 0};
    q.spare = find_spares(c, &q.spares);
    if (spare_updates_insert(&q, o, &with)) {
        uint32_t *second = MEM_ARRAY(uint32_t, c->looses);
        place_room *seconds_room = MEM_ARRAY(place_room, c->looses);
        good = !observers_place(c->p, &with, c->loose, c->looses, second, seconds_room);
        if (good) write_witness(c, &with, second, &out->witness);
        value_order_free(&with);
        FREE_ALL(second, seconds_room);
    }
    free((void *)(uintptr_t)q.spare);
    free(begins);
    return good;
}

/* Some observers may have no place in this order: with `repair` it is changed where they need one. */
static bool try_order(chains *c, const ranked *order, bool repair, outcome *out) {
    value_order o = lay_out(c, order);
    uint32_t *place = MEM_ARRAY(uint32_t, c->looses);
    place_room *room = MEM_ARRAY(place_room, c->looses);
    bool good = !observers_place(c->p, &o, c->loose, c->looses, place, room);
    if (good) {
        write_witness(c, &o, place, &out->witness);
    } else if (try_with_spares(c, &o, place, room, out)) {
        good = true;
    } else if (repair) {
        bool *begins = chain_begins(c, &o);
        good = order_repair(&(order_to_repair){c->p, &o, begins, c->loose, c->looses, place, room}, &out->witness);
        free(begins);
    }
    if (good) out->verdict = VERDICT_LINEARIZABLE;
    value_order_free(&o);
    free(place);
    free(room);
    return good;
}

static void decide_chains(chains *c, outcome *out) {
    if (!gather(c, out)) return;
    mark_needed(c);
    if (!expects_one_update(c, out) || !make_chains(c, out) || !make_blocks(c, out)) return;
    ranked *order = sort_blocks(c, earlier_of);
    if (!blocks_in_order(c, order, out) || c->is_part || try_order(c, order, false, out)) {
        free(order);
        return;
    }
    ranked *other = sort_blocks(c, later_of);
    if (!try_order(c, other, false, out) && !try_order(c, order, true, out))
        snprintf(out->why, sizeof out->why,
                 "an operation that only observes has no place in the orders that were tried");
    free(order);
    free(other);
}

static void roles_of(const problem *p, chain_role *role) {
    for (unsigned m = 0; m < p->o->type->method_count; m++) role[m] = role_named(p->o->type->methods[m].name);
}

static bool accepts(const problem *p, text *why_not) {
    chain_role role[64];
    roles_of(p, role);
    for (uint32_t i = 0; i < p->n; i++) {
        if (role[p->h->method[p->op[i]]] != CHAIN_OTHER) continue;
        text_printf(why_not, "does not decide %s", p->o->type->methods[p->h->method[p->op[i]]].name);
        return false;
    }
    return true;
}

static void decide_as(const problem *p, bool is_part, outcome *out) {
    chains c = {.p = p,
                .is_part = is_part,
                .at = MEM_ARRAY(chain_cluster, 2 * p->n + 1),
                .of = MEM_ARRAY(uint32_t, p->n),
                .loose = MEM_ARRAY(loose_observer, p->n)};
    assert(p->o->type->method_count <= 64);
    roles_of(p, c.role);
    decide_chains(&c, out);
    if (out->verdict == VERDICT_UNDECIDED && budget_spent(p->budget)) outcome_stopped(p, out);
    value_index_free(&c.observed);
    free(c.at);
    free(c.of);
    free(c.loose);
    free(c.block);
}

static void decide(const problem *p, outcome *out) { decide_as(p, false, out); }

ENGINE_RECORD(engine_chain_linear, "chain-linear",
              "registers and keys with compare-and-set, expected values written once: chains cannot be ordered",
              .growth = "n", .objects = "cas-register kv register", .promises = PROMISES_SOUND | PROMISES_WITNESS,
              .cost = COST_NEAR_LINEAR, .accepts = accepts, .decide = decide);
