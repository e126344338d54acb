/* Priority queue, any among equals, in time n log n: one sweep over the events. The condition, its proof and the
 * witness: docs/proofs/containers.md. */
#include "engine/linear/best_first.h"
#include "engine/linear/priorities.h"
#include "engine/linear/tokens.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <string.h>

/* ---- the sweep ---- */

typedef struct pqueue_pass {
    inventory *c;
    outcome *out;
    const uint32_t *priority;
    uint32_t left_until;              /* where covers of values never removed end */
    bool collect;                     /* go on after a failure: `failed_above`, `failed_until` */
    best_first inside;                /* values that cover the gap, and some below the top that do no longer */
    best_first waiting;               /* removes called, of values whose add was called, that had no gap yet */
    uint32_t *gone;                   /* by value: the event at which the remove took effect; NO_INDEX: it has not */
    uint32_t *idle, idles, idle_room; /* empties that wait for a gap */
    uint32_t *pair, pairs, pair_room;
    uint32_t free_gap;     /* the last gap that nothing covers and in which an empty waited */
    uint32_t *to, n;       /* the witness so far; NULL: not wanted */
    uint32_t failed;       /* position of an operation that has no gap; NO_INDEX: none */
    uint32_t failed_value; /* NO_INDEX: it is an empty */
    int64_t failed_above;  /* values of a higher priority than this may have to be taken by a token ... */
    uint32_t failed_until; /* ... if they were added before this */
} pqueue_pass;

static void list_add(uint32_t **list, uint32_t *n, uint32_t *room, uint32_t what) {
    if (*n == *room) *list = MEM_GROW(*list, uint32_t, *room = *room ? 2 * *room : 16);
    (*list)[(*n)++] = what;
}

static void emit(pqueue_pass *q, uint32_t position) {
    assert(q->n < q->c->p->n);
    if (q->to) q->to[q->n++] = position;
}

static uint32_t cover_end(const pqueue_pass *q, uint32_t v) {
    return is_removed(q->c, v) ? q->c->call[q->c->remove[v]] : q->left_until;
}

/* The first failure counts, or, when collecting, the last; failures of a stretch of events do not come in order. */
static void fail_at(pqueue_pass *q, uint32_t position, uint32_t v, uint32_t r) {
    int64_t above = v == NO_INDEX ? -1 : (int64_t)q->priority[v];
    bool none = q->failed == NO_INDEX;
    if (none || !q->collect || above < q->failed_above) q->failed_above = above;
    if (!none && q->collect && r < q->failed_until) return;
    q->failed = position;
    q->failed_value = v;
    q->failed_until = r;
}

/* Covers that are over leave the top of the heap when the top is asked for. */
static void forget_over(pqueue_pass *q, uint32_t r) {
    while (q->inside.n && cover_end(q, best_item(&q->inside)) <= r) best_take(&q->inside);
}

/* The removes that fit into this gap: nothing better is definitely inside. Best first; then empties; then values that
 * go in and out at once. */
static void fill_gap(pqueue_pass *q, uint32_t r) {
    forget_over(q, r);
    q->pairs = 0;
    while (q->waiting.n && (!q->inside.n || best_priority(&q->waiting) >= best_priority(&q->inside))) {
        uint32_t v = best_take(&q->waiting);
        assert(q->gone[v] == NO_INDEX && add_call(q->c, v) <= r && remove_call(q->c, v) <= r);
        q->gone[v] = r;
        if (add_return(q->c, v) <= r) emit(q, q->c->remove[v]);
        else list_add(&q->pair, &q->pairs, &q->pair_room, v);
    }
    if (q->idles && !q->inside.n) {
        q->free_gap = r;
        for (uint32_t i = 0; i < q->idles; i++) emit(q, q->c->empty[q->idle[i]]);
        q->idles = 0;
    }
    for (uint32_t i = 0; i < q->pairs; i++) {
        emit(q, q->c->add[q->pair[i]]);
        emit(q, q->c->remove[q->pair[i]]);
    }
}

/* The remove of a value whose add was called may take effect from now on. Mostly it does so at once. */
static void may_remove(pqueue_pass *q, uint32_t v, uint32_t r) {
    if (!q->waiting.n && !q->idles && add_return(q->c, v) < r) {
        forget_over(q, r);
        if (!q->inside.n || q->priority[v] >= best_priority(&q->inside)) {
            assert(q->gone[v] == NO_INDEX && remove_call(q->c, v) == r);
            q->gone[v] = r;
            emit(q, q->c->remove[v]);
            return;
        }
    }
    best_add(&q->waiting, q->priority[v], v);
}

static void empty_returns(pqueue_pass *q, uint32_t empty, uint32_t r) {
    uint32_t position = q->c->empty[empty];
    if (q->free_gap == NO_INDEX || q->free_gap < q->c->call[position]) fail_at(q, position, NO_INDEX, r);
}

/* Nearly all are one of two kinds, and which cannot be predicted: they are told apart by one comparison. */
static inline void sweep_event(pqueue_pass *q, uint32_t r, uint32_t e) {
    inventory *c = q->c;
    uint32_t x = event_index(e), kind = event_kind_of(e);
    if (kind == ADD_RETURN) {
        if (q->gone[x] == NO_INDEX) emit(q, c->add[x]); /* as late as can be; it is in the gap before this event */
        if (cover_end(q, x) > r) best_add(&q->inside, q->priority[x], x);
    } else if (kind == REMOVE_CALL) {
        if (add_call(c, x) < r) may_remove(q, x, r);
    } else if (kind == ADD_CALL_LATE) {
        may_remove(q, x, r);
    } else if (kind == EMPTY_CALL) {
        list_add(&q->idle, &q->idles, &q->idle_room, x);
    } else if (kind == EMPTY_RETURN) {
        empty_returns(q, x, r);
    }
    if (q->waiting.n || q->idles) fill_gap(q, r);
    assert(!q->waiting.n || (q->inside.n && best_priority(&q->inside) > best_priority(&q->waiting)));
}

enum { STRETCH = 2048 };

/* The returns of removes are looked at afterwards: had they taken effect by then? The witness may be written over
 * events that were passed, so these are read first. */
static void sweep_stretch(pqueue_pass *q, uint32_t from, uint32_t to) {
    const unsigned returns = 1u << REMOVE_RETURN, nothing = 1u << ADD_CALL;
    uint32_t rank[STRETCH], event[STRETCH], returned[STRETCH], at[STRETCH];
    uint32_t n = 0, late = 0;
    for (uint32_t r = from; r < to; r++) { /* sorted out without a branch, see inventory_select */
        uint32_t e = q->c->event[r], kind = 1u << event_kind_of(e);
        rank[n] = at[late] = r;
        event[n] = returned[late] = e;
        late += (kind & returns) != 0;
        n += (kind & (returns | nothing)) == 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        sweep_event(q, rank[k], event[k]);
        if (q->failed != NO_INDEX && !q->collect) break;
    }
    for (uint32_t k = 0; k < late; k++) {
        uint32_t v = event_index(returned[k]);
        if (q->failed != NO_INDEX && !q->collect && at[k] > q->failed_until) break;
        if (q->gone[v] < at[k]) continue;
        fail_at(q, q->c->remove[v], v, at[k]);
        if (!q->collect) break;
    }
}

SELF_CHECK static bool all_removes_took_effect(const pqueue_pass *q) {
    for (uint32_t v = 0; v < q->c->values; v++)
        if (is_removed(q->c, v) != (q->gone[v] != NO_INDEX)) return false;
    return q->idles == 0;
}

/* True: it is a priority queue, by the order in `to`. Every removed value must have had its gap in the end, also those
 * that tokens took. */
static bool sweep(pqueue_pass *q) {
    inventory *c = q->c;
    best_clear(&q->inside);
    best_clear(&q->waiting);
    q->idles = q->n = 0;
    q->free_gap = q->failed = NO_INDEX;
    memset(q->gone, 0xff, c->values * sizeof *q->gone);
    for (uint32_t from = 0, to; from < c->events; from = to) {
        to = c->events - from < STRETCH ? c->events : from + STRETCH;
        sweep_stretch(q, from, to);
        if (q->failed != NO_INDEX && !q->collect) return false;
        if (from % (32 * STRETCH) == 31 * STRETCH && inventory_out_of_budget(c, q->out)) return false;
    }
    assert_costly(q->failed != NO_INDEX || q->waiting.n || all_removes_took_effect(q));
    return q->failed == NO_INDEX && q->waiting.n == 0;
}

/* ---- verdicts ---- */

/* The operation that has no gap, and values of a higher priority that cover its time. */
static void violation(pqueue_pass *q) {
    inventory *c = q->c;
    bad_pattern s = {0};
    uint32_t v = q->failed_value, position = q->failed, from = c->call[position];
    cover_rule rule = {.left_until = q->left_until};
    if (v == NO_INDEX) {
        bad_pattern_add(&s, position);
    } else {
        bad_pattern_add_value(&s, c, v);
        if (add_call(c, v) > from) from = add_call(c, v);
        rule.priority = q->priority;
        rule.above = q->priority[v];
    }
    bad_pattern_add_cover(&s, c, from, c->ret[position], &rule);
    inventory_violation(c, &s, NO_INDEX, q->out);
}

static void accept(pqueue_pass *q) {
    if (q->to == q->c->event) q->c->event = NULL;
    inventory_witness(q->c, q->to, q->n, q->out);
    q->to = NULL;
}

static bool fits(token_trial *t) { return sweep(t->context); }

/* The best of the values left inside that are better than what failed first. */
static uint32_t guess(token_trial *t) {
    const pqueue_pass *q = t->context;
    uint32_t best = NO_INDEX;
    for (uint32_t i = 0; q->failed != NO_INDEX && i < t->candidates; i++) {
        uint32_t v = t->candidate[i];
        if (is_removed(t->c, v) || (int64_t)q->priority[v] <= q->failed_above || add_return(t->c, v) >= q->failed_until)
            continue;
        if (best == NO_INDEX || q->priority[v] > q->priority[best]) best = v;
    }
    return best;
}

/* A value may have to be taken by a token if it stood in the way of a failure: it is better than the failed one (so are
 * those that stand in its own way) and was added before that returned. */
static void try_tokens(pqueue_pass *q) {
    inventory *c = q->c;
    uint32_t count, kept = 0, *left = inventory_left_inside(c, &count);
    for (uint32_t i = 0; i < count; i++)
        if ((int64_t)q->priority[left[i]] > q->failed_above && add_return(c, left[i]) < q->failed_until)
            left[kept++] = left[i];
    token_trial t = {
        .c = c, .candidate = left, .candidates = kept, .fits = fits, .guess = guess, .context = q, .out = q->out};
    q->collect = false;
    token_answer answer = tokens_try(&t);
    if (answer == TOKENS_FIT) accept(q);
    else if (answer == TOKENS_DO_NOT_FIT) q->out->verdict = VERDICT_VIOLATION;
    free(left);
}

static void decide_with_tokens(pqueue_pass *q) {
    inventory *c = q->c;
    q->to = MEM_ARRAY(uint32_t, c->p->n);
    q->collect = true;
    if (sweep(q)) { /* no token is needed */
        accept(q);
        return;
    }
    int64_t above = q->failed_above;
    uint32_t until = q->failed_until, *to = q->to;
    q->left_until = c->call[c->token[0]]; /* as if each value left inside were taken by the first token */
    q->collect = false;
    q->to = NULL;
    sweep(q);
    if (q->failed != NO_INDEX) {
        violation(q);
    } else {
        q->failed_above = above;
        q->failed_until = until;
        q->left_until = RANK_NEVER;
        q->to = to;
        to = NULL;
        try_tokens(q);
        to = q->to;
    }
    free(to);
}

static void decide(const problem *p, outcome *out) {
    inventory c;
    if (inventory_init(&c, p, out) == INVENTORY_READY) {
        uint32_t *priority = priorities_of(&c);
        pqueue_pass q = {
            .c = &c, .out = out, .priority = priority, .left_until = RANK_NEVER, .gone = MEM_ARRAY(uint32_t, c.values)};
        if (c.tokens) {
            decide_with_tokens(&q);
        } else {
            q.to = c.event; /* written over events that were passed: never more operations than calls */
            if (sweep(&q)) accept(&q);
            else if (q.failed != NO_INDEX) violation(&q);
        }
        free(priority);
        free(q.gone);
        best_free(&q.inside);
        best_free(&q.waiting);
        free(q.idle);
        free(q.pair);
    }
    inventory_free(&c);
}

ENGINE_RECORD(engine_pqueue_linear, "pqueue-linear",
              "one sweep over the events: every removal has a moment in which nothing better must be inside",
              .growth = "n log n", .objects = "pqueue-max pqueue-min", .needs = NEEDS_DISTINCT,
              .promises = PROMISES_SOUND | PROMISES_WITNESS | PROMISES_PATTERN, .cost = COST_NEAR_LINEAR,
              .accepts = inventory_accepts, .decide = decide);
