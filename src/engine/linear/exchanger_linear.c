/* An exchanger whose offers are all different: the operation that got y met the one that offered y. The two must
 * overlap, and the other one must have got x, or be pending and have no other partner. Pairs do not get in each
 * other's way: each meets when the later of the two has been called. */
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

#include <stdio.h>

typedef struct exchanger {
    const problem *p;
    uint32_t *partner; /* by position; NO_NUMBER: none */
} exchanger;

static bool timed_out(const problem *p, uint32_t i) {
    value r = p->h->res[p->op[i]];
    return r == VALUE_EMPTY || r == VALUE_FALSE;
}

static bool index_offers(const problem *p, value_index *x, outcome *out) {
    value_range range = {0};
    for (uint32_t i = 0; i < p->n; i++)
        if (!timed_out(p, i)) value_range_add(&range, p->h->arg[0][p->op[i]]);
    value_index_init(x, &range);
    for (uint32_t i = 0; i < p->n; i++) {
        if (timed_out(p, i)) continue;
        uint32_t *number = value_index_at(x, p->h->arg[0][p->op[i]]);
        if (*number != NO_NUMBER) {
            snprintf(out->why, sizeof out->why, "needs offers that are all different");
            return false;
        }
        *number = i;
    }
    return true;
}

static bool overlap(const history *h, uint32_t a, uint32_t b) {
    return !history_before(h, a, b) && !history_before(h, b, a);
}

/* Finds the partner of a completed exchange; false when it cannot have met it. */
static bool meet(exchanger *e, const value_index *x, uint32_t i) {
    const problem *p = e->p;
    uint32_t op = p->op[i], k = value_index_find(x, p->h->res[op]);
    if (k == NO_NUMBER || k == i || !overlap(p->h, op, p->op[k])) return false;
    if (e->partner[k] != NO_NUMBER && e->partner[k] != i) return false;
    if (!history_pending(p->h, p->op[k]) && p->h->res[p->op[k]] != p->h->arg[0][op]) return false;
    assert(e->partner[i] == NO_NUMBER || e->partner[i] == k);
    e->partner[i] = k;
    e->partner[k] = i;
    return true;
}

/* Position of an exchange that cannot have been, or NO_NUMBER. */
static uint32_t meet_all(exchanger *e, const value_index *x) {
    for (uint32_t i = 0; i < e->p->n; i++) {
        if (problem_stopped(e->p, i)) return i;
        if (timed_out(e->p, i) || history_pending(e->p->h, e->p->op[i])) continue;
        if (!meet(e, x, i)) return i;
    }
    return NO_NUMBER;
}

/* The partner called last names the moment, so it comes first there unless it is pending (its result is its partner's
 * offer). */
static void write_witness(const exchanger *e, witness *w) {
    const problem *p = e->p;
    order_log_init(w, p->n);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i], k = e->partner[i];
        if (timed_out(p, i)) order_log_add(w, op, p->h->res[op]);
        if (k == NO_NUMBER || k > i) continue;
        assert(e->partner[k] == i && k != i);
        bool pending = history_pending(p->h, op);
        uint32_t first = pending ? p->op[k] : op, second = pending ? op : p->op[k];
        order_log_add(w, first, p->h->arg[0][second]);
        order_log_add(w, second, p->h->arg[0][first]);
    }
}

static void decide_exchanger(const problem *p, outcome *out) {
    exchanger e = {.p = p, .partner = MEM_ARRAY(uint32_t, p->n)};
    value_index x;
    for (uint32_t i = 0; i < p->n; i++) e.partner[i] = NO_NUMBER;
    if (index_offers(p, &x, out)) {
        uint32_t wrong = meet_all(&e, &x);
        if (budget_spent(p->budget)) {
            outcome_stopped(p, out);
        } else if (wrong == NO_NUMBER) {
            out->verdict = VERDICT_LINEARIZABLE;
            write_witness(&e, &out->witness);
        } else {
            outcome_violation(out, RANK_NEVER);
            pattern_from(p, &wrong, 1, out);
        }
    }
    value_index_free(&x);
    free(e.partner);
}

ENGINE_RECORD(engine_exchanger_linear, "exchanger-linear",
              "exchangers with different offers: partners overlap and got each other's value", .growth = "n",
              .objects = "exchanger", .needs = NEEDS_DISTINCT,
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .decide = decide_exchanger);
