/* One element of a set with boolean results: it is in (1) or out (0). Successful adds and removes flip that; everything
 * else observes it. Lazy and by earliest deadline: nothing flips before a return needs it, and then the
 * waiting flip that has to be done first does it; an observer takes effect as soon as it fits. Why that is never a
 * mistake: docs/proofs/others.md. */
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/linear/set_roles.h"
#include "engine/general/sweep.h"
#include "engine/self_check.h"

typedef struct element {
    const problem *p;
    unsigned in;           /* 0 or 1 */
    deadline_heap flip[2]; /* waiting flips, by the state they start from */
    uint32_t *observer[2]; /* waiting observers, by the state they need */
    uint32_t observers[2], room[2];
    uint8_t *done; /* by position */
    witness order;
    uint32_t failed; /* position of the operation that cannot be linearized */
} element;

static void done(element *e, uint32_t i) {
    uint32_t op = e->p->op[i];
    assert(!e->done[i] && e->order.n < e->p->n);
    e->done[i] = 1;
    order_log_add(&e->order, op, history_pending(e->p->h, op) ? VALUE_TRUE : e->p->h->res[op]);
}

static void wait_observer(element *e, uint32_t i, unsigned needs) {
    if (e->observers[needs] == e->room[needs]) {
        e->room[needs] = e->room[needs] ? 2 * e->room[needs] : 16;
        e->observer[needs] = MEM_GROW(e->observer[needs], uint32_t, e->room[needs]);
    }
    e->observer[needs][e->observers[needs]++] = i;
}

/* False when no operation can. */
static bool flip(element *e) {
    if (!e->flip[e->in].n) return false;
    done(e, deadline_heap_pop(&e->flip[e->in]));
    e->in ^= 1;
    for (uint32_t k = 0; k < e->observers[e->in]; k++) done(e, e->observer[e->in][k]);
    e->observers[e->in] = 0;
    assert(e->in <= 1);
    return true;
}

static void take_call(element *e, uint32_t i) {
    set_role r = set_role_of(e->p->h, e->p->op[i]);
    uint32_t op = e->p->op[i];
    if (r.flips) deadline_heap_push(&e->flip[r.state], e->p->h->ret[op], i);
    else if (r.state == e->in) done(e, i);
    else wait_observer(e, i, r.state);
}

/* A flip that returns is the first of those that wait: all with earlier deadlines are done. */
static bool take_return(element *e, uint32_t i) {
    set_role r = set_role_of(e->p->h, e->p->op[i]);
    if (e->done[i]) return true;
    if (r.state != e->in && !flip(e)) return false;
    return !r.flips || flip(e);
}

static bool take_event(element *e, const sweep_event *event) {
    uint32_t op = e->p->op[event->at];
    if (event->is_return) return take_return(e, event->at);
    if (e->p->h->method[op] != SET_CONTAINS || !history_pending(e->p->h, op)) take_call(e, event->at);
    return true;
}

/* Most operations meet no other one. Such an operation goes through call and return at once; one that finds the element
 * in the other state needs a pending flip before it. */
static bool take_alone(element *e, uint32_t i) {
    set_role r = set_role_of(e->p->h, e->p->op[i]);
    if (r.state != e->in && !flip(e)) return false;
    assert(e->in == r.state && !e->observers[e->in]); /* who observes what holds now is done */
    done(e, i);
    e->in ^= r.flips;
    return true;
}

static bool run(element *e, const problem *p, uint32_t *failed_at) {
    *e = (element){.p = p, .done = mem_zero(p->n, 1)};
    order_log_init(&e->order, p->n);
    sweep events;
    sweep_event event = {0};
    unsigned ticks = 0;
    bool good = true;
    sweep_init(&events, p, RANK_NEVER);
    while (good && !budget_tick(p->budget, &ticks)) {
        if (sweep_alone(&events, &e->failed)) good = take_alone(e, e->failed);
        else if (sweep_next(&events, &event)) {
            good = take_event(e, &event);
            e->failed = event.at;
        } else break;
    }
    *failed_at = p->n ? p->h->ret[p->op[e->failed]] : 0;
    sweep_free(&events);
    return good;
}

static void element_free(element *e) {
    for (unsigned s = 0; s < 2; s++) {
        free(e->flip[s].at);
        free(e->observer[s]);
    }
    free(e->done);
    witness_free(&e->order);
}

static bool is_violation(const problem *p) {
    element e;
    uint32_t rank;
    bool good = run(&e, p, &rank);
    element_free(&e);
    return !good;
}

static bool accepts_results(const problem *p, text *why_not) {
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->h->res[p->op[i]] != VALUE_NONE) continue;
        text_add(why_not, "needs the results of all adds and removes");
        return false;
    }
    return true;
}

static void decide_set(const problem *p, outcome *out) {
    element e;
    uint32_t rank = 0;
    bool good = run(&e, p, &rank);
    if (budget_spent(p->budget)) {
        outcome_stopped(p, out);
    } else if (good) {
        out->verdict = VERDICT_LINEARIZABLE;
        out->witness = e.order;
        e.order = (witness){0};
    } else {
        outcome_violation(out, rank);
        pattern_try(p, &e.failed, 1, is_violation, out); /* what happened since it was out and nothing was open */
    }
    element_free(&e);
}

ENGINE_RECORD(engine_set_linear, "set-linear", "sets with boolean results: each element lazily, by earliest deadline",
              .growth = "n log(open operations)", .objects = "set",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .accepts = accepts_results, .decide = decide_set, .decide_all_parts = set_decide_all_elements);
