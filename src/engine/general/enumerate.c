/* The classical baseline, straight from Herlihy and Wing's definition: every order of every completion (the operations
 * that returned and some of the pending ones) that respects happens-before is written down in full and then replayed on
 * the sequential object. No state is remembered and no beginning is cut short, so that this is what the other engines
 * are to be compared with. (The oracle of evidence/ prunes, and shares nothing with this file.) */
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/self_check.h"

typedef struct order_enumeration {
    const problem *p;
    uint32_t *order;      /* positions, in the order tried now */
    uint32_t *next;       /* by depth: the position to try next */
    bool *placed;         /* by position */
    uint32_t depth, left; /* completed operations not placed */
    outcome *out;
    unsigned ticks;
    bool found;
} order_enumeration;

/* What has not been placed and returned first: nothing called later may come before it. */
static uint32_t first_return(const order_enumeration *x) {
    uint32_t first = RANK_NEVER;
    for (uint32_t i = 0; i < x->p->n; i++) {
        uint32_t ret = x->p->h->ret[x->p->op[i]];
        if (!x->placed[i] && ret < first) first = ret;
    }
    return first;
}

/* Can the rest of the order follow? Tries every outcome of nondeterministic steps. */
static bool replay(order_enumeration *x, uint32_t at, const state *now, value *res) {
    const object *o = x->p->o;
    if (at == x->depth) return object_may_end(o, now);
    operation op;
    history_operation(x->p->h, x->p->op[x->order[at]], &op);
    step_result r = STEP_LEGAL_MORE;
    state after = {0};
    bool good = false;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !good; choice++) {
        state_copy(&after, now);
        x->out->steps++;
        r = o->type->step(o, &after, &op, choice, &res[at]);
        if (r != STEP_ILLEGAL) good = replay(x, at + 1, &after, res);
    }
    state_free(&after);
    return good;
}

static bool order_is_legal(order_enumeration *x) {
    state first = {0};
    value *res = MEM_ARRAY(value, x->depth + 1);
    x->p->o->type->init(x->p->o, &first);
    bool good = replay(x, 0, &first, res);
    if (good) {
        order_log_init(&x->out->witness, x->depth);
        for (uint32_t i = 0; i < x->depth; i++) order_log_add(&x->out->witness, x->p->op[x->order[i]], res[i]);
    }
    state_free(&first);
    free(res);
    return good;
}

static void place(order_enumeration *x, uint32_t i) {
    assert(!x->placed[i] && x->depth < x->p->n);
    x->placed[i] = true;
    x->left -= !history_pending(x->p->h, x->p->op[i]);
    x->order[x->depth++] = i;
    x->next[x->depth] = 0;
    if (x->left == 0) x->found = order_is_legal(x);
}

static void take_back(order_enumeration *x) {
    uint32_t i = x->order[--x->depth];
    assert(x->placed[i]);
    x->placed[i] = false;
    x->left += !history_pending(x->p->h, x->p->op[i]);
}

/* The next operation that may stand here; p->n: none is left. */
static uint32_t next_candidate(order_enumeration *x) {
    uint32_t before = first_return(x), i = x->next[x->depth];
    while (i < x->p->n && (x->placed[i] || x->p->h->call[x->p->op[i]] > before)) i++;
    x->next[x->depth] = i + 1;
    return i;
}

static void run(order_enumeration *x) {
    x->next[0] = 0;
    if (x->left == 0) x->found = order_is_legal(x);
    while (!x->found && !budget_tick(x->p->budget, &x->ticks)) {
        uint32_t i = next_candidate(x);
        if (i < x->p->n) place(x, i);
        else if (x->depth) take_back(x);
        else break;
    }
}

static bool accepts_enumerate(const problem *p, text *why_not) {
    enum { MOST = 4096 }; /* the replay is as deep as the order is long */
    if (p->n <= MOST) return true;
    text_printf(why_not, "takes at most %d operations", MOST);
    return false;
}

static void decide_enumerate(const problem *p, outcome *out) {
    order_enumeration x = {
        .p = p, .order = MEM_ARRAY(uint32_t, p->n + 1), .next = MEM_ARRAY(uint32_t, p->n + 2), .out = out};
    x.placed = mem_zero(p->n + 1, sizeof *x.placed);
    for (uint32_t i = 0; i < p->n; i++) x.left += !history_pending(p->h, p->op[i]);
    run(&x);
    if (x.found) out->verdict = VERDICT_LINEARIZABLE;
    else if (budget_spent(p->budget)) outcome_stopped(p, out);
    else outcome_violation(out, RANK_NEVER);
    free(x.order);
    free(x.next);
    free(x.placed);
}

ENGINE_RECORD(engine_enumerate, "enumerate",
              "every order of every completion, replayed on the object: the classical baseline", .growth = "n!",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .criteria = CRITERIA_STEPWISE,
              .cost = COST_EXPONENTIAL, .by_name_only = true, .accepts = accepts_enumerate, .decide = decide_enumerate);
