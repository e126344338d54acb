/* The symbolic engine at every return, starting anew at each: for objects without an incremental form, and with
 * operations left out whose match is complete once everything open at that moment has returned. */
#include "engine/symbolic/symbolic.h"

#include "base/mem.h"
#include "engine/pattern.h"
#include "engine/general/weaken.h"
#include "history/value_map.h"

#include <stdio.h>
#include <stdlib.h>

#define NO_INDEX UINT32_MAX

verdict symbolic_decide_prefix(const problem *p, const uint32_t *op, uint32_t n, uint32_t cut,
                               const symbolic_decider *whole, outcome *out) {
    history *h = history_select(p->h, op, n, cut);
    uint32_t *all = MEM_ARRAY(uint32_t, (size_t)h->n + 1);
    for (uint32_t i = 0; i < h->n; i++) all[i] = i;
    problem part = {.h = h, .o = p->o, .op = all, .n = h->n, .budget = p->budget, .setting = p->setting};
    outcome found;
    outcome_init(&found);
    whole->decide(whole, &part, &found);
    verdict v = found.verdict;
    out->steps += found.steps;
    if (v == VERDICT_VIOLATION) outcome_violation(out, cut);
    if (v == VERDICT_UNDECIDED) {
        out->stopped = found.stopped;
        snprintf(out->why, sizeof out->why, "%s", found.why);
    }
    outcome_free(&found);
    free(all);
    history_free(h);
    return v;
}

typedef struct rest {
    const problem *p;
    uint32_t *op, n;       /* operations called and not left out */
    value_map mate_of;     /* value -> position of its add, from its remove's return on: of its remove */
    uint32_t *mate;        /* by position */
    uint32_t *done, dones; /* positions of removes whose match is complete, in this order */
    uint32_t *done_at;     /* the rank at which it was */
    bool *gone;
} rest;

static uint32_t oldest_open(const rest *x, uint32_t now) {
    for (uint32_t i = 0; i < x->n; i++)
        if (x->p->h->ret[x->op[i]] > now) return x->p->h->call[x->op[i]];
    return RANK_NEVER;
}

static void leave_out_done(rest *x, uint32_t now) {
    uint32_t since = oldest_open(x, now), kept = 0, left = 0;
    for (uint32_t k = 0; k < x->dones; k++) {
        uint32_t r = x->done[k];
        if (x->done_at[r] > since) {
            x->done[kept++] = r;
            continue;
        }
        x->gone[r] = true;
        if (x->mate[r] != NO_INDEX) x->gone[x->mate[r]] = true;
    }
    x->dones = kept;
    for (uint32_t i = 0; i < x->n; i++)
        if (!x->gone[x->op[i]]) x->op[left++] = x->op[i];
    x->n = left;
}

static void note_return(rest *x, uint32_t op) {
    const history *h = x->p->h;
    unsigned does = x->p->o->type->methods[h->method[op]].role;
    uint32_t r = NO_INDEX;
    if (does == ROLE_ADDS) {
        r = x->mate[op];
    } else if (h->res[op] == VALUE_EMPTY) {
        r = op;
    } else {
        uint32_t a = value_map_find(&x->mate_of, h->res[op]);
        if (a == VALUE_MAP_ABSENT || x->mate[a] != NO_INDEX) return;
        x->mate[a] = op;
        x->mate[op] = a;
        if (h->ret[a] < h->ret[op]) r = op;
    }
    if (r == NO_INDEX) return;
    x->done_at[r] = h->ret[op];
    x->done[x->dones++] = r;
}

bool symbolic_ask_each(const problem *p, bool removal, const symbolic_decider *whole, outcome *out) {
    size_t n = (size_t)p->h->n + 1;
    rest x = {.p = p,
              .op = MEM_ARRAY(uint32_t, n),
              .mate = MEM_ARRAY(uint32_t, n),
              .done = MEM_ARRAY(uint32_t, n),
              .done_at = mem_zero(n, sizeof(uint32_t)),
              .gone = mem_zero(n, sizeof(bool))};
    uint32_t count, *event = part_events(p, &count);
    bool settled = false;
    for (uint32_t i = 0; i < p->h->n; i++) x.mate[i] = NO_INDEX;
    for (uint32_t e = 0; e < count && !settled && !budget_spent(p->budget); e++) {
        uint32_t op = p->op[event[e] / 2];
        if (!(event[e] & 1)) {
            x.op[x.n++] = op;
            if (removal && p->o->type->methods[p->h->method[op]].role == ROLE_ADDS)
                value_map_add(&x.mate_of, p->h->arg[0][op], op);
            continue;
        }
        settled = symbolic_decide_prefix(p, x.op, x.n, p->h->ret[op], whole, out) != VERDICT_LINEARIZABLE;
        if (p->furthest) atomic_fetch_add(p->furthest, 1);
        if (removal) note_return(&x, op);
        if (removal) leave_out_done(&x, p->h->ret[op]);
    }
    void *all[] = {x.op, x.mate, x.done, x.done_at, x.gone, x.mate_of.slot, event};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return settled;
}
