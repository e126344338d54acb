/* The engine around saturation.h: the events of a part, one after the other. Objects without rules of their own have
 * their theory grounded, the whole history at once, and unit propagation run on the clauses. */
#include "engine/pattern.h"
#include "engine/saturate/saturation.h"
#include "engine/symbolic/symbolic.h"
#include "engine/general/weaken.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

enum { REMOVAL, CAP, BATCH };
enum { LOOK_EVERY = 256 };

extern const engine engine_saturate;

static saturation_settings settings_of(const problem *p) {
    return (saturation_settings){.removal = (removal_rule)engine_setting_of(&engine_saturate, p, REMOVAL),
                                 .cap = (uint32_t)engine_setting_of(&engine_saturate, p, CAP),
                                 .batch = (uint32_t)engine_setting_of(&engine_saturate, p, BATCH)};
}

static bool accepts(const problem *p, text *why_not) {
    bool refutes;
    removal_rule removal = settings_of(p).removal;
    if (!saturation_understands(p->o)) {
        if (removal > REMOVAL_NONE) text_printf(why_not, "has no rule to remove operations of %s", p->o->type->name);
        return !(removal > REMOVAL_NONE) &&
               theory_propagation_refutes(&(problem){.h = p->h, .o = p->o, .budget = p->budget}, &refutes, why_not);
    }
    if (removal == REMOVAL_STANDARD || saturation_removes(p->o, removal)) return true;
    text_printf(why_not, "cannot remove operations of %s by this rule: it would find violations where there are none",
                p->o->type->name);
    return false;
}

/* ---- objects with rules of their own ---- */

typedef struct saturate_run {
    const problem *p;
    saturation *s;
    uint32_t *handle; /* by position */
    size_t charged;
    unsigned ticks;
} saturate_run;

static bool may_go_on(saturate_run *r, uint32_t e) {
    if (e % LOOK_EVERY == 0) {
        size_t memory = saturation_memory(r->s);
        if (memory > r->charged) {
            budget_charge(r->p->budget, memory - r->charged);
            r->charged = memory;
        }
    }
    return saturation_now(r->s) == SATURATION_GOES_ON && !budget_tick(r->p->budget, &r->ticks);
}

/* The rank of the event that ended it, or RANK_NEVER. */
static uint32_t feed(saturate_run *r) {
    const problem *p = r->p;
    uint32_t count, *event = part_events(p, &count), last = RANK_NEVER;
    for (uint32_t e = 0; e < count && may_go_on(r, e); e++) {
        uint32_t position = event[e] / 2;
        operation op;
        history_operation(p->h, p->op[position], &op);
        if (event[e] & 1) {
            saturation_return(r->s, r->handle[position], op.res);
            if (p->furthest) atomic_fetch_add_explicit(p->furthest, 1, memory_order_relaxed);
        } else {
            r->handle[position] = saturation_call(r->s, &op, position);
        }
        last = event[e] & 1 ? op.ret : op.call;
    }
    free(event);
    return saturation_now(r->s) == SATURATION_GOES_ON ? RANK_NEVER : last;
}

static bool still_violates(const problem *part) {
    saturation_settings all = {.removal = REMOVAL_NONE};
    saturate_run r = {
        .p = part, .s = saturation_new(part->o, &all), .handle = MEM_ARRAY(uint32_t, (size_t)part->n + 1)};
    feed(&r);
    bool violates = saturation_now(r.s) == SATURATION_VIOLATION;
    budget_refund(part->budget, r.charged);
    saturation_free(r.s);
    free(r.handle);
    return violates;
}

/* What is left when the violation shows is most often enough to see it. */
static void pattern_of_live(const saturate_run *r, outcome *out) {
    uint32_t n;
    uint64_t *number = saturation_numbers(r->s, &n);
    uint32_t *position = MEM_ARRAY(uint32_t, (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) position[i] = (uint32_t)number[i];
    outcome found;
    outcome_init(&found);
    if (n < r->p->n) pattern_from(r->p, position, n, &found);
    problem part = *r->p;
    part.op = found.pattern;
    part.n = found.pattern_n;
    if (found.pattern_n && still_violates(&part)) {
        out->pattern = found.pattern;
        out->pattern_n = found.pattern_n;
        found.pattern = NULL;
    }
    outcome_free(&found);
    free(position);
    free(number);
}

static void conclude(const saturate_run *r, uint32_t cut, outcome *out) {
    const char *doubt = saturation_doubt(r->s);
    switch (saturation_now(r->s)) {
    case SATURATION_VIOLATION:
        outcome_violation(out, cut);
        pattern_of_live(r, out);
        break;
    case SATURATION_GAVE_UP: snprintf(out->why, sizeof out->why, "saturation: %s", saturation_why(r->s)); break;
    case SATURATION_GOES_ON:
        if (budget_spent(r->p->budget)) outcome_stopped(r->p, out);
        else if (doubt) snprintf(out->why, sizeof out->why, "no violation found; %s", doubt);
        else out->verdict = VERDICT_LINEARIZABLE;
        break;
    }
}

static void decide_online(const problem *p, outcome *out) {
    saturation_settings settings = settings_of(p);
    saturate_run r = {.p = p, .s = saturation_new(p->o, &settings), .handle = MEM_ARRAY(uint32_t, (size_t)p->n + 1)};
    uint32_t cut = feed(&r);
    out->steps = p->n;
    conclude(&r, cut, out);
    budget_refund(p->budget, r.charged);
    saturation_free(r.s);
    free(r.handle);
}

/* ---- theories ---- */

static void decide_theory(const problem *p, outcome *out) {
    bool refutes = false;
    text why_not = {0};
    if (!theory_propagation_refutes(p, &refutes, &why_not))
        snprintf(out->why, sizeof out->why, "engine saturate %.120s", text_str(&why_not));
    else if (refutes) outcome_violation(out, RANK_NEVER);
    else if (budget_spent(p->budget)) outcome_stopped(p, out);
    else
        snprintf(out->why, sizeof out->why, "no violation found; saturation is incomplete for %.60s", p->o->type->name);
    text_free(&why_not);
}

static void decide(const problem *p, outcome *out) {
    if (saturation_understands(p->o)) decide_online(p, out);
    else decide_theory(p, out);
}

ENGINE_RECORD(engine_saturate, "saturate",
              "what follows for the order by unit propagation alone, event by event; forgets what can matter no more",
              .growth = "n * live operations", .promises = PROMISES_SOUND | PROMISES_ONLINE, .cost = COST_EXPONENTIAL,
              .by_name_only = true,
              .settings = {[REMOVAL] = {"removal", REMOVAL_WORDS, REMOVAL_STANDARD, 0, 0,
                                        "what is forgotten: the standard rule of the object, or this one"},
                           [CAP] = {"cap", NULL, SATURATION_CAP, 1, 1 << 20,
                                    "operations that may wait for one that does not return"},
                           [BATCH] = {"batch", NULL, 0, 0, 1 << 20,
                                      "operations removed at a time, at least; 0: what is fast"}},
              .accepts = accepts, .decide = decide);
