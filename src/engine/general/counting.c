/* COUNTING(k): decides A_k of the history (weaken.h) with whatever engine fits. A violation found is one; when none is
 * found, the order that was forgotten may have held it. Looking at every return instead of only at the end finds more,
 * since what is forgotten in the end was recent once. */
#include "base/mem.h"
#include "engine/portfolio.h"
#include "engine/general/weaken.h"
#include "engine/self_check.h"

#include <stdio.h>

enum { K, WHEN };
enum { AT_END, AT_RETURNS };

extern const engine engine_counting;

static void names_of_part(const problem *p, uint32_t *op, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        assert(op[i] < p->n);
        op[i] = p->op[op[i]];
    }
}

/* What was decided of the weaker history, said of the history. True: settled. */
static bool take(const problem *p, const levels *l, uint32_t cut, decision *d, outcome *out) {
    out->steps += d->steps;
    if (d->verdict == VERDICT_UNDECIDED) {
        out->stopped = d->stopped;
        snprintf(out->why, sizeof out->why, "%.150s", d->why);
        return true;
    }
    bool whole = cut == RANK_NEVER;
    if (d->verdict == VERDICT_VIOLATION) {
        out->verdict = VERDICT_VIOLATION;
        if (!whole) return true;
        out->pattern = d->pattern;
        out->pattern_n = d->pattern_n;
        d->pattern = NULL;
        names_of_part(p, out->pattern, out->pattern_n);
        return true;
    }
    if (!whole) return false;
    if (l->forgot) {
        snprintf(out->why, sizeof out->why, "no violation found with %u intervals", l->k);
        return true;
    }
    out->verdict = VERDICT_LINEARIZABLE; /* nothing was forgotten */
    out->witness = d->witness;
    d->witness = (witness){0};
    names_of_part(p, out->witness.op, out->witness.n);
    return true;
}

static bool decide_weaker(const problem *p, const levels *l, uint32_t cut, outcome *out) {
    decision d;
    history *weaker = levels_history(l, p, cut);
    decide(weaker, p->o, &(decide_options){0}, p->budget, NULL, &d);
    bool settled = take(p, l, cut, &d, out);
    decision_free(&d);
    history_free(weaker);
    return settled;
}

/* A return that nothing follows before the next return changes what is known, so each is looked at. */
static bool decide_at_returns(const problem *p, uint32_t k, outcome *out) {
    levels l;
    uint32_t count, *event = part_events(p, &count);
    bool settled = false;
    levels_init(&l, p->n, k);
    for (uint32_t e = 0; e < count && !settled; e++) {
        uint32_t position = event[e] / 2;
        if (event[e] & 1) {
            levels_return(&l, position);
            settled = decide_weaker(p, &l, p->h->ret[p->op[position]], out);
        } else {
            levels_call(&l);
        }
    }
    levels_free(&l);
    free(event);
    return settled;
}

static void decide_part(const problem *p, outcome *out) {
    levels l;
    uint32_t k = (uint32_t)engine_setting_of(&engine_counting, p, K);
    if (engine_setting_of(&engine_counting, p, WHEN) == AT_RETURNS && decide_at_returns(p, k, out)) return;
    levels_of_part(&l, p, k);
    decide_weaker(p, &l, RANK_NEVER, out);
    levels_free(&l);
}

ENGINE_RECORD(engine_counting, "counting",
              "forgets all order but that of the last k intervals, then decides; finds violations, not their absence",
              .growth = "that of the engine used; n times that at every return",
              .promises = PROMISES_SOUND | PROMISES_WITNESS, .cost = COST_EXPONENTIAL, .by_name_only = true,
              .settings = {[K] = {"k", NULL, 4, 1, 1 << 30, "intervals that are kept apart"},
                           [WHEN] = {"at", "end returns", AT_END, 0, 0,
                                     "looks at the whole history, or at every return"}},
              .decide = decide_part);
