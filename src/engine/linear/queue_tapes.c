/* A queue in which values repeat: two tapes in lock step.
 *
 * Let e_i and d_i be the i-th enqueue and the i-th dequeue of a value in a linearization: both are about one value.
 * Given an order of the enqueues and one of the dequeues, each respecting real time, both can be merged iff for no
 * i <= j the dequeue d_j returned before e_i was called. So what is in the queue need not be remembered: layer i is the
 * set of pairs of fronts (tape.h) with i enqueues and i dequeues done. Their number depends on how many operations are
 * open at once, not on the length of the history.
 *
 * A dequeue that found the queue empty can be taken in a layer when all that is done comes before all that is not. All
 * dequeues done: linearizable; enqueues that are left come last.
 *
 * A pending enqueue counts only when a completed dequeue takes its value, of several with one value the one that was
 * called first; a pending dequeue only when it takes the value of a completed enqueue, again the first called one. (A
 * pending pair, left out, leaves the other pairs as they were.) Of a value that is dequeued as often as it is enqueued
 * there is none to spare for a pending dequeue. docs/proofs/containers.md has the proofs. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/word_table.h"
#include "engine/linear/tape.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/value_index.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

typedef struct tapes_state {
    tape_front enqueues, dequeues;
    uint32_t borrowed; /* pending enqueues used: their number in tapes.borrowed */
    uint32_t lent;     /* pending dequeues used: the first so many */
    uint32_t parent;   /* NO_NUMBER: the first state */
    uint32_t e, d;     /* taken on the way here, as positions; e is NO_NUMBER: d found it empty */
} tapes_state;

typedef struct value_items { /* of each value: the items of a tape that are about it, ascending */
    uint32_t *start, *item;
} value_items;

typedef struct pending_enqueue {
    uint32_t position, call;
    value v;
    uint32_t next_same; /* the next one of the same value; NO_NUMBER: none */
} pending_enqueue;

typedef struct queue_tapes {
    const problem *p;
    operation_tape enqueues, dequeues;
    pending_enqueue *pending; /* enqueues, by their calls */
    uint32_t pendings;
    value_index first_pending; /* by value */
    value_index number;        /* of values that are enqueued; only where there are pending dequeues, and so: */
    uint32_t numbers;
    value_items enqueued, dequeued;
    int64_t *spare;            /* by number of a value: how many pending dequeues may take it */
    uint32_t *pending_dequeue; /* positions, by their calls */
    uint32_t pending_dequeues;
    word_table borrowed;
    tapes_state *at;
    uint32_t n, room;
    uint32_t layer;    /* where the last layer begins */
    uint32_t live;     /* kept when states were last dropped */
    table states;      /* of the last layer */
    uint32_t accepted; /* a state in which all dequeues are done; NO_NUMBER: none yet */
    uint32_t furthest; /* rank up to which some state explains everything */
} queue_tapes;

static uint32_t call_of(const queue_tapes *q, uint32_t position) { return q->p->h->call[q->p->op[position]]; }
static uint32_t return_of(const queue_tapes *q, uint32_t position) { return q->p->h->ret[q->p->op[position]]; }

static bool has_role(const problem *p, uint32_t position, unsigned role) {
    return p->o->type->methods[p->h->method[p->op[position]]].role & role;
}

/* ---- the tapes ---- */

static void add_pending_enqueue(queue_tapes *q, uint32_t position, uint32_t *last_of) {
    value v = q->p->h->arg[0][q->p->op[position]];
    uint32_t *first = value_index_at(&q->first_pending, v), number = q->pendings++;
    if (*first == NO_NUMBER) *first = number;
    else q->pending[last_of[*first]].next_same = number;
    last_of[*first] = number;
    q->pending[number] = (pending_enqueue){position, call_of(q, position), v, NO_NUMBER};
}

static void index_pending(queue_tapes *q) {
    const problem *p = q->p;
    value_range range = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (return_of(q, i) != RANK_NEVER || !has_role(p, i, ROLE_ADDS)) continue;
        value_range_add(&range, p->h->arg[0][p->op[i]]);
        count++;
    }
    value_index_init(&q->first_pending, &range);
    q->pending = MEM_ARRAY(pending_enqueue, count);
}

static value_items items_of(const queue_tapes *q, const operation_tape *t) {
    value_items x = {.start = mem_zero(q->numbers + 2, sizeof *x.start), .item = MEM_ARRAY(uint32_t, t->n)};
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t v = value_index_find(&q->number, t->v[i]);
        if (v != NO_NUMBER) x.start[v + 2]++;
    }
    for (uint32_t v = 0; v < q->numbers; v++) x.start[v + 2] += x.start[v + 1];
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t v = value_index_find(&q->number, t->v[i]);
        if (v != NO_NUMBER) x.item[x.start[v + 1]++] = i;
    }
    return x;
}

static uint32_t items_count(const value_items *x, uint32_t v) { return x->start[v + 1] - x->start[v]; }

/* Values that completed enqueues have, and how many of each completed dequeues do not need. */
static void count_spare(queue_tapes *q) {
    value_range range = {0};
    for (uint32_t i = 0; i < q->enqueues.n; i++) value_range_add(&range, q->enqueues.v[i]);
    value_index_init(&q->number, &range);
    for (uint32_t i = 0; i < q->enqueues.n; i++) {
        uint32_t *number = value_index_at(&q->number, q->enqueues.v[i]);
        if (*number == NO_NUMBER) *number = q->numbers++;
    }
    q->enqueued = items_of(q, &q->enqueues);
    q->dequeued = items_of(q, &q->dequeues);
    q->spare = MEM_ARRAY(int64_t, q->numbers);
    for (uint32_t v = 0; v < q->numbers; v++)
        q->spare[v] = (int64_t)items_count(&q->enqueued, v) - items_count(&q->dequeued, v);
    for (uint32_t i = 0; i < q->pendings; i++) {
        uint32_t v = value_index_find(&q->number, q->pending[i].v);
        if (v != NO_NUMBER) q->spare[v]++;
    }
}

static bool fill_tapes(queue_tapes *q) {
    const problem *p = q->p;
    tape_init(&q->enqueues, p->n);
    tape_init(&q->dequeues, p->n);
    q->pending_dequeue = MEM_ARRAY(uint32_t, p->n);
    index_pending(q);
    uint32_t *last_of = MEM_ARRAY(uint32_t, p->n); /* by first pending enqueue of a value: the last one */
    for (uint32_t i = 0; i < p->n; i++) {
        bool adds = has_role(p, i, ROLE_ADDS);
        value v = adds ? p->h->arg[0][p->op[i]] : p->h->res[p->op[i]];
        if (return_of(q, i) != RANK_NEVER)
            tape_add(adds ? &q->enqueues : &q->dequeues, call_of(q, i), return_of(q, i), i, v);
        else if (adds) add_pending_enqueue(q, i, last_of);
        else q->pending_dequeue[q->pending_dequeues++] = i;
    }
    free(last_of);
    if (q->pending_dequeues) count_spare(q);
    return tape_close(&q->enqueues) && tape_close(&q->dequeues);
}

/* ---- states of a layer ---- */

static bool same_state(const tapes_state *a, const tapes_state *b) {
    return a->enqueues.open == b->enqueues.open && a->enqueues.next == b->enqueues.next &&
           a->dequeues.open == b->dequeues.open && a->dequeues.next == b->dequeues.next && a->borrowed == b->borrowed &&
           a->lent == b->lent;
}

static uint32_t tapes_hash(const void *owner, uint32_t item) {
    const tapes_state *s = &((const queue_tapes *)owner)->at[item];
    uint64_t h = hash_mix(s->enqueues.open ^ hash_mix(s->dequeues.open));
    h = hash_mix(h ^ ((uint64_t)s->enqueues.next << 32 | s->dequeues.next));
    return (uint32_t)hash_mix(h ^ ((uint64_t)s->borrowed << 32 | s->lent));
}

static bool tapes_is(const void *owner, uint32_t item, const void *key) {
    return same_state(&((const queue_tapes *)owner)->at[item], key);
}

static void charge(queue_tapes *q, size_t bytes) { budget_charge(q->p->budget, bytes); }

static void grow_states(queue_tapes *q) {
    uint32_t room = q->room ? q->room * 2 : 1024;
    charge(q, (room - q->room) * sizeof *q->at);
    q->at = mem_resize(q->at, room, sizeof *q->at);
    q->room = room;
}

/* The state becomes the last one, or goes again when its layer has it. */
static void add_state(queue_tapes *q, const tapes_state *s) {
    if (q->n == q->room) grow_states(q);
    q->at[q->n] = *s;
    uint32_t hash = tapes_hash(q, q->n);
    if (table_find(&q->states, hash, tapes_is, q, s) != TABLE_NONE) return;
    size_t before = table_memory(&q->states);
    table_add(&q->states, hash, tapes_hash, q, q->n);
    charge(q, table_memory(&q->states) - before);
    if (q->accepted == NO_NUMBER && tape_done(&q->dequeues, s->dequeues)) q->accepted = q->n;
    q->n++;
}

static void begin_layer(queue_tapes *q) {
    table_clear(&q->states);
    q->layer = q->n;
}

/* Keeps what leads to the states from `begin` on. Parents come before their children. */
static uint32_t drop_dead_states(queue_tapes *q, uint32_t begin) {
    uint32_t *number = mem_zero(q->n, sizeof *number), kept = 0;
    for (uint32_t i = q->n; i-- > 0;) {
        if (i >= begin) number[i] = 1;
        assert(q->at[i].parent == NO_NUMBER || q->at[i].parent < i);
        if (number[i] && q->at[i].parent != NO_NUMBER) number[q->at[i].parent] = 1;
    }
    for (uint32_t i = 0; i < q->n; i++) {
        if (!number[i]) continue;
        tapes_state s = q->at[i];
        if (s.parent != NO_NUMBER) s.parent = number[s.parent];
        number[i] = kept;
        q->at[kept++] = s;
    }
    uint32_t at = begin < q->n ? number[begin] : kept;
    free(number);
    q->n = q->live = kept;
    return at;
}

/* ---- steps ---- */

typedef struct tapes_choices { /* of one state */
    tape_choices enqueues, dequeues;
    uint32_t last_enqueue, last_dequeue; /* latest call of what is done */
} tapes_choices;

static uint32_t last_borrowed_call(const queue_tapes *q, const tapes_state *s) {
    uint32_t n;
    const uint32_t *used = word_table_words(&q->borrowed, s->borrowed, &n);
    return n ? q->pending[used[n - 1]].call : 0; /* by their calls */
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void choose(const queue_tapes *q, const tapes_state *s, tapes_choices *c) {
    tape_choose(&q->enqueues, s->enqueues, &c->enqueues);
    tape_choose(&q->dequeues, s->dequeues, &c->dequeues);
    c->last_enqueue = later(tape_last_call(&q->enqueues, s->enqueues), last_borrowed_call(q, s));
    c->last_dequeue = tape_last_call(&q->dequeues, s->dequeues);
    if (s->lent) c->last_dequeue = later(c->last_dequeue, call_of(q, q->pending_dequeue[s->lent - 1]));
    tape_keep_best(&q->enqueues, &c->enqueues);
    tape_keep_best(&q->dequeues, &c->dequeues);
}

/* Dequeues that find nothing: the same layer. All that is done must come before all that is not. */
static void take_empties(queue_tapes *q, uint32_t from) {
    tapes_state s = q->at[from], next;
    tapes_choices c;
    choose(q, &s, &c);
    if (c.dequeues.first_return > q->furthest) q->furthest = c.dequeues.first_return;
    for (unsigned i = 0; i < c.dequeues.n; i++) {
        uint32_t z = c.dequeues.item[i];
        if (q->dequeues.v[z] != VALUE_EMPTY || c.last_enqueue > q->dequeues.ret[z] ||
            c.enqueues.first_return < later(q->dequeues.call[z], c.last_dequeue))
            continue;
        next = s;
        next.dequeues = tape_take(&q->dequeues, s.dequeues, z);
        next.parent = from;
        next.e = NO_NUMBER;
        next.d = q->dequeues.position[z];
        add_state(q, &next);
    }
}

static bool is_borrowed(const uint32_t *used, uint32_t n, uint32_t pending) {
    for (uint32_t i = 0; i < n; i++)
        if (used[i] == pending) return true;
    return false;
}

static uint32_t borrow(queue_tapes *q, uint32_t used, uint32_t pending) {
    uint32_t n, k = 0, list[1024];
    const uint32_t *old = word_table_words(&q->borrowed, used, &n);
    uint32_t *more = n + 1 > 1024 ? MEM_ARRAY(uint32_t, n + 1) : list;
    for (; k < n && old[k] < pending; k++) more[k] = old[k];
    more[k] = pending;
    memcpy(more + k + 1, old + k, (n - k) * sizeof *old);
    uint32_t number = word_table_number(&q->borrowed, more, n + 1);
    if (more != list) free(more);
    return number;
}

/* The dequeue at `d` takes the value of the first pending enqueue of it that is left. */
static void take_borrowed(queue_tapes *q, const tapes_state *s, const tapes_choices *c, uint32_t d, tapes_state *next) {
    uint32_t n;
    const uint32_t *used = word_table_words(&q->borrowed, s->borrowed, &n);
    uint32_t pending = value_index_find(&q->first_pending, q->dequeues.v[d]);
    while (pending != NO_NUMBER && is_borrowed(used, n, pending)) pending = q->pending[pending].next_same;
    if (pending == NO_NUMBER) return;
    uint32_t call = q->pending[pending].call;
    if (call > c->enqueues.first_return || call > c->dequeues.first_return) return;
    next->enqueues = s->enqueues;
    next->borrowed = borrow(q, s->borrowed, pending);
    next->e = q->pending[pending].position;
    add_state(q, next);
}

/* Each completed dequeue with each enqueue of its value. */
static void take_pairs(queue_tapes *q, const tapes_state *s, const tapes_choices *c, uint32_t from) {
    for (unsigned i = 0; i < c->dequeues.n; i++) {
        uint32_t d = c->dequeues.item[i];
        if (q->dequeues.v[d] == VALUE_EMPTY) continue;
        tapes_state next = *s;
        next.parent = from;
        next.dequeues = tape_take(&q->dequeues, s->dequeues, d);
        next.d = q->dequeues.position[d];
        for (unsigned k = 0; k < c->enqueues.n; k++) {
            uint32_t e = c->enqueues.item[k];
            if (q->enqueues.v[e] != q->dequeues.v[d] || q->enqueues.call[e] > c->dequeues.first_return) continue;
            next.enqueues = tape_take(&q->enqueues, s->enqueues, e);
            next.e = q->enqueues.position[e];
            add_state(q, &next);
        }
        if (q->pendings) take_borrowed(q, s, c, d, &next);
    }
}

static uint32_t borrowed_of(const queue_tapes *q, const tapes_state *s, value v) {
    uint32_t n, count = 0;
    const uint32_t *used = word_table_words(&q->borrowed, s->borrowed, &n);
    for (uint32_t i = 0; i < n; i++) count += q->pending[used[i]].v == v;
    return count;
}

/* Is there an enqueue of this value that no completed dequeue will need? What is done of it, and was not taken by
 * completed dequeues, pending ones took. */
static bool can_spare(const queue_tapes *q, const tapes_state *s, uint32_t e) {
    uint32_t v = value_index_find(&q->number, q->enqueues.v[e]);
    const value_items *in = &q->enqueued, *out = &q->dequeued;
    int64_t put = tape_count_done(&q->enqueues, s->enqueues, in->item + in->start[v], items_count(in, v));
    int64_t taken = tape_count_done(&q->dequeues, s->dequeues, out->item + out->start[v], items_count(out, v));
    int64_t lent = put + borrowed_of(q, s, q->enqueues.v[e]) - taken;
    assert(lent >= 0 && lent <= s->lent);
    return lent < q->spare[v];
}

/* The first pending dequeue that is left with each completed enqueue. */
static void take_lent(queue_tapes *q, const tapes_state *s, const tapes_choices *c, uint32_t from) {
    if (s->lent == q->pending_dequeues) return;
    tapes_state next = *s;
    next.parent = from;
    next.d = q->pending_dequeue[s->lent];
    next.lent = s->lent + 1;
    if (call_of(q, next.d) > c->dequeues.first_return) return;
    for (unsigned k = 0; k < c->enqueues.n; k++) {
        uint32_t e = c->enqueues.item[k];
        if (q->enqueues.call[e] > c->dequeues.first_return || !can_spare(q, s, e)) continue;
        next.enqueues = tape_take(&q->enqueues, s->enqueues, e);
        next.e = q->enqueues.position[e];
        add_state(q, &next);
    }
}

static void step_layer(queue_tapes *q, unsigned *ticks) {
    uint32_t begin = q->layer, end = q->n;
    begin_layer(q);
    for (uint32_t i = begin; i < end && !budget_tick(q->p->budget, ticks); i++) {
        tapes_state s = q->at[i];
        tapes_choices c;
        choose(q, &s, &c);
        take_pairs(q, &s, &c, i);
        take_lent(q, &s, &c, i);
    }
}

/* ---- few states of each layer ----
 * With pending operations there may be many states in which some of them were used in vain. A linearization that uses
 * few is mostly found among the states of each layer that used the fewest. If it is not, all states are looked at. */

enum { TAPES_FEW = 64 };

static uint32_t pending_used(const queue_tapes *q, const tapes_state *s) {
    uint32_t n;
    word_table_words(&q->borrowed, s->borrowed, &n);
    return n + s->lent;
}

/* The most that a state may have used so that there are at most TAPES_FEW; 0 at least. */
static uint32_t most_used(const queue_tapes *q) {
    enum { COUNTED = 64 };
    uint32_t least = UINT32_MAX, count[COUNTED] = {0}, kept = 0, extra = 0;
    for (uint32_t i = q->layer; i < q->n; i++) {
        uint32_t used = pending_used(q, &q->at[i]);
        if (used < least) least = used;
    }
    for (uint32_t i = q->layer; i < q->n; i++) {
        uint32_t over = pending_used(q, &q->at[i]) - least;
        if (over < COUNTED) count[over]++;
    }
    while (extra < COUNTED && (kept += count[extra]) <= TAPES_FEW) extra++;
    return least + (extra ? extra - 1 : 0);
}

static void keep_few(queue_tapes *q) {
    if (q->n - q->layer <= TAPES_FEW) return;
    uint32_t most = most_used(q), kept = q->layer;
    for (uint32_t i = q->layer; i < q->n && kept - q->layer < TAPES_FEW; i++)
        if (pending_used(q, &q->at[i]) <= most) q->at[kept++] = q->at[i];
    q->n = kept;
}

/* True: a state was found in which all dequeues are done. False: there is none, or the budget is spent. */
static bool run_tapes(queue_tapes *q, bool few, outcome *out) {
    unsigned ticks = 0;
    tapes_state first = {.parent = NO_NUMBER, .e = NO_NUMBER, .d = NO_NUMBER};
    first.borrowed = word_table_number(&q->borrowed, NULL, 0);
    q->accepted = NO_NUMBER;
    q->n = q->layer = q->live = 0;
    table_clear(&q->states);
    add_state(q, &first);
    while (q->n > q->layer && q->accepted == NO_NUMBER) {
        for (uint32_t i = q->layer; i < q->n && !budget_tick(q->p->budget, &ticks); i++) take_empties(q, i);
        if (q->accepted != NO_NUMBER || budget_spent(q->p->budget)) break;
        out->steps += q->n - q->layer;
        step_layer(q, &ticks);
        if (few && q->accepted == NO_NUMBER) keep_few(q);
        if (q->accepted == NO_NUMBER && q->n - q->live > q->live + (1u << 16)) {
            q->layer = drop_dead_states(q, q->layer);
            table_clear(&q->states);
            for (uint32_t i = q->layer; i < q->n; i++) table_add(&q->states, tapes_hash(q, i), tapes_hash, q, i);
        }
    }
    return q->accepted != NO_NUMBER;
}

/* ---- the witness ---- */

typedef struct tapes_order { /* positions */
    uint32_t *enqueue, enqueues;
    uint32_t *dequeue, dequeues; /* those that found nothing included */
    uint32_t *least;             /* by place among the enqueues: first return from there on; one more entry */
} tapes_order;

static bool found_nothing(const queue_tapes *q, uint32_t position) {
    return return_of(q, position) != RANK_NEVER && q->p->h->res[q->p->op[position]] == VALUE_EMPTY;
}

static void reverse(uint32_t *a, uint32_t n) {
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t other = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = other;
    }
}

static tapes_order order_of(const queue_tapes *q) {
    uint32_t most = q->p->n;
    tapes_order o = {.enqueue = MEM_ARRAY(uint32_t, most),
                     .dequeue = MEM_ARRAY(uint32_t, most),
                     .least = MEM_ARRAY(uint32_t, most + 1)};
    bool *taken = mem_zero(most, sizeof *taken);
    for (uint32_t i = q->accepted; q->at[i].parent != NO_NUMBER; i = q->at[i].parent) {
        const tapes_state *s = &q->at[i];
        o.dequeue[o.dequeues++] = s->d;
        if (s->e == NO_NUMBER) continue;
        o.enqueue[o.enqueues++] = s->e;
        taken[s->e] = true;
    }
    reverse(o.enqueue, o.enqueues);
    reverse(o.dequeue, o.dequeues);
    for (uint32_t i = 0; i < q->enqueues.n; i++)
        if (!taken[q->enqueues.position[i]]) o.enqueue[o.enqueues++] = q->enqueues.position[i];
    o.least[o.enqueues] = RANK_NEVER;
    for (uint32_t i = o.enqueues; i-- > 0;) {
        uint32_t ret = return_of(q, o.enqueue[i]);
        o.least[i] = ret < o.least[i + 1] ? ret : o.least[i + 1];
    }
    free(taken);
    return o;
}

/* Both orders merged: a dequeue as soon as it may come, otherwise an enqueue. */
static void merge_tapes(const queue_tapes *q, const tapes_order *o, witness *w) {
    uint32_t e = 0, taken = 0; /* enqueues put, values taken out */
    order_log_init(w, o->enqueues + o->dequeues);
    for (uint32_t d = 0; d < o->dequeues;) {
        uint32_t at = o->dequeue[d];
        bool empty = found_nothing(q, at), ready = empty ? e == taken : taken < e && o->least[e] > call_of(q, at);
        assert(!empty || e == taken);
        assert(ready || e < o->enqueues);
        if (!ready) {
            order_log_add(w, q->p->op[o->enqueue[e++]], VALUE_NONE);
            continue;
        }
        order_log_add(w, q->p->op[at], empty ? VALUE_EMPTY : q->p->h->arg[0][q->p->op[o->enqueue[taken]]]);
        taken += !empty;
        d++;
    }
    while (e < o->enqueues) order_log_add(w, q->p->op[o->enqueue[e++]], VALUE_NONE);
}

static void tell_witness(const queue_tapes *q, outcome *out) {
    tapes_order o = order_of(q);
    out->verdict = VERDICT_LINEARIZABLE;
    merge_tapes(q, &o, &out->witness);
    FREE_ALL(o.enqueue, o.dequeue, o.least);
}

/* ---- the engine ---- */

static bool accepts(const problem *p, text *why_not) {
    if (p->o->parameter[0]) text_add(why_not, "does not decide queues that can be full");
    for (uint32_t i = 0; i < p->n && !why_not->size; i++)
        if (p->h->res[p->op[i]] == VALUE_FULL) text_add(why_not, "does not decide queues that can be full");
    return !why_not->size;
}

static void free_tapes(queue_tapes *q) {
    budget_refund(q->p->budget, q->room * sizeof *q->at + table_memory(&q->states));
    tape_free(&q->enqueues);
    tape_free(&q->dequeues);
    value_index_free(&q->first_pending);
    value_index_free(&q->number);
    FREE_ALL(q->enqueued.start, q->enqueued.item, q->dequeued.start, q->dequeued.item, q->spare);
    word_table_free(&q->borrowed);
    FREE_ALL(q->pending, q->pending_dequeue, q->at);
    table_free(&q->states);
}

static bool has_pending(const queue_tapes *q) { return q->pendings || q->pending_dequeues; }

static void decide(const problem *p, outcome *out) {
    queue_tapes q = {.p = p};
    word_table_init(&q.borrowed, p->budget);
    if (!fill_tapes(&q))
        snprintf(out->why, sizeof out->why, "more than %d operations of one kind are open at once", TAPE_SLOTS);
    else if ((has_pending(&q) && run_tapes(&q, true, out)) || run_tapes(&q, false, out)) tell_witness(&q, out);
    else if (budget_spent(p->budget)) outcome_stopped(p, out);
    else outcome_violation(out, q.furthest);
    free_tapes(&q);
}

ENGINE_RECORD(engine_queue_tapes, "queue-tapes",
              "queues, also with values that repeat: enqueues and dequeues in lock step",
              .growth = "n, times what is open at once", .objects = "queue",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_FRONTIER,
              .accepts = accepts, .decide = decide);
