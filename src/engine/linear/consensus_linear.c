/* Consensus: all operations return the same value, and one that proposes it was called before any returned. */
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

/* The completed operation that returns first, among those whose result is not `but` (VALUE_UNKNOWN: any). */
static uint32_t first_return(const problem *p, value but) {
    uint32_t first = NO_NUMBER;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i];
        if (history_pending(p->h, op) || p->h->res[op] == but) continue;
        if (first == NO_NUMBER || p->h->ret[op] < p->h->ret[p->op[first]]) first = i;
    }
    return first;
}

static uint32_t find_winner(const problem *p, value decision, uint32_t before) {
    for (uint32_t i = 0; i < p->n && p->h->call[p->op[i]] < before; i++)
        if (p->h->arg[0][p->op[i]] == decision) return i;
    return NO_NUMBER;
}

static void violation(const problem *p, uint32_t first, uint32_t other, outcome *out) {
    uint32_t wrong[2] = {first, other};
    outcome_violation(out, p->h->ret[p->op[other]]);
    pattern_from(p, wrong, 2, out);
}

static void decide_consensus(const problem *p, outcome *out) {
    uint32_t first = first_return(p, VALUE_UNKNOWN);
    if (budget_check_clock(p->budget)) {
        outcome_stopped(p, out);
        return;
    }
    if (first == NO_NUMBER) {
        out->verdict = VERDICT_LINEARIZABLE;
        return;
    }
    value decision = p->h->res[p->op[first]];
    uint32_t winner = find_winner(p, decision, p->h->ret[p->op[first]]), other = first_return(p, decision);
    if (winner == NO_NUMBER || other != NO_NUMBER) {
        violation(p, first, winner == NO_NUMBER ? first : other, out);
        return;
    }
    out->verdict = VERDICT_LINEARIZABLE;
    order_log_init(&out->witness, p->n);
    assert(p->h->arg[0][p->op[winner]] == decision && p->h->call[p->op[winner]] < p->h->ret[p->op[first]]);
    order_log_add(&out->witness, p->op[winner], decision);
    for (uint32_t i = 0; i < p->n; i++)
        if (i != winner && !history_pending(p->h, p->op[i])) order_log_add(&out->witness, p->op[i], decision);
}

ENGINE_RECORD(engine_consensus_linear, "consensus-linear",
              "consensus: one result, proposed before any operation returned", .growth = "n", .objects = "consensus",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .decide = decide_consensus);
