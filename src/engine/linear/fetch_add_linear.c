/* A counter that only goes one way and whose changes all know the count: no count comes twice, so the order is forced.
 * The operations are sorted by the count before them, observers first; that order is a linearization or there is
 * none. */
#include "engine/linear/counted.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/self_check.h"
#include "history/rank.h"

#include <stdio.h>

typedef struct count_chain {
    const problem *p;
    uint32_t *position; /* of the operations that count, by call; then in the forced order */
    int64_t *key;       /* 2 * count before, + 1 for a change */
    int64_t *after;     /* the count behind it */
    uint32_t n;
    bool downwards;
    bool pending_change; /* another change may fill a gap */
} count_chain;

static void gather(count_chain *c) {
    const problem *p = c->p;
    for (uint32_t i = 0; i < p->n; i++) {
        counter_effect view;
        text unused = {0};
        if (problem_stopped(p, i)) return;
        counted_of(p, i, &view, &unused);
        if (!view.known) {
            c->pending_change |= !view.observes;
            continue;
        }
        int64_t before = view.before, change = view.change;
        if (c->downwards) {
            before = -before;
            change = -change;
        }
        assert(change >= 0 && (change > 0) == !view.observes);
        c->position[c->n] = i;
        c->after[c->n] = before + change;
        c->key[c->n++] = 2 * before + !view.observes;
    }
}

typedef enum chain_end { CHAIN_WHOLE, CHAIN_GAP, CHAIN_WRONG } chain_end;

/* Fills the log; operations of one count that are out of order or counts that cannot be are CHAIN_WRONG. */
static chain_end walk(const count_chain *c, const uint32_t *order, witness *w) {
    int64_t count = 0;
    uint32_t latest_call = 0;
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t i = order ? order[k] : k, op = c->p->op[c->position[i]];
        int64_t before = c->key[i] >> 1;
        assert(!k || c->key[order ? order[k - 1] : k - 1] <= c->key[i]);
        if (before < count) return CHAIN_WRONG;
        if (before > count) return CHAIN_GAP;
        if (c->p->h->call[op] > latest_call) latest_call = c->p->h->call[op];
        if (c->p->h->ret[op] < latest_call) return CHAIN_WRONG;
        assert(w->n == k);
        order_log_add(w, op, c->p->h->res[op]);
        count = c->after[i];
    }
    return CHAIN_WHOLE;
}

static bool accepts_one_way(const problem *p, text *why_not) {
    bool up = false, down = false, silent = false;
    for (uint32_t i = 0; i < p->n; i++) {
        counter_effect view;
        if (!counted_of(p, i, &view, why_not)) return false;
        up |= view.change > 0;
        down |= view.change < 0;
        silent |= !view.observes && !view.known && !history_pending(p->h, p->op[i]);
    }
    if (up && down) text_add(why_not, "needs changes that all go one way");
    else if (silent) text_add(why_not, "needs the results of all changes");
    return !(up && down) && !silent;
}

static bool goes_down(const problem *p) {
    for (uint32_t i = 0; i < p->n; i++) {
        counter_effect view;
        text unused = {0};
        counted_of(p, i, &view, &unused);
        if (view.change) return view.change < 0;
    }
    return false;
}

static void decide_chain(const problem *p, outcome *out) {
    count_chain c = {.p = p,
                     .position = MEM_ARRAY(uint32_t, p->n),
                     .key = MEM_ARRAY(int64_t, p->n),
                     .after = MEM_ARRAY(int64_t, p->n),
                     .downwards = goes_down(p)};
    gather(&c);
    witness w;
    order_log_init(&w, c.n);
    uint32_t *order = rank_sort(c.key, c.n);
    chain_end end = walk(&c, order, &w);
    if (budget_spent(p->budget)) {
        outcome_stopped(p, out);
    } else if (end == CHAIN_WHOLE) {
        out->verdict = VERDICT_LINEARIZABLE;
        out->witness = w;
        w = (witness){0};
    } else if (end == CHAIN_GAP && c.pending_change) {
        snprintf(out->why, sizeof out->why, "cannot tell which pending operations filled a gap");
    } else {
        outcome_violation(out, RANK_NEVER);
    }
    witness_free(&w);
    free(order);
    free(c.position);
    free(c.key);
    free(c.after);
}

ENGINE_RECORD(engine_fetch_add_linear, "fetch-add-linear", "counters that go one way and say so: the order is forced",
              .growth = "n", .objects = "fetch-add counter", .promises = PROMISES_SOUND | PROMISES_WITNESS,
              .cost = COST_NEAR_LINEAR, .accepts = accepts_one_way, .decide = decide_chain);
