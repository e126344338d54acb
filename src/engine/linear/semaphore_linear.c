/* A semaphore without failed tries: operations only count. Lazy and by earliest deadline, as for a set: an acquire or
 * release takes effect when it returns, and when it cannot, the waiting operation of the other kind that returns first
 * makes room. Unbounded, that is the test whether more acquires have returned than releases were called. */
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/general/sweep.h"
#include "engine/self_check.h"
#include "object/leave_out.h"

enum { ACQUIRE, RELEASE, TRYACQUIRE };
enum { PERMITS, BOUNDED };
enum { TAKES, GIVES };

typedef struct permits {
    const problem *p;
    int64_t left, most;
    deadline_heap waiting[2];
    uint8_t *done; /* by position */
    witness order;
} permits;

static unsigned kind_of(const problem *p, uint32_t i) { return p->h->method[p->op[i]] == RELEASE ? GIVES : TAKES; }

static bool possible(const permits *s, unsigned kind) { return kind == TAKES ? s->left > 0 : s->left < s->most; }

static void take(permits *s, unsigned kind) {
    uint32_t i = deadline_heap_pop(&s->waiting[kind]), op = s->p->op[i];
    assert(!s->done[i] && possible(s, kind) && kind_of(s->p, i) == kind);
    s->done[i] = 1;
    s->left += kind == TAKES ? -1 : 1;
    assert(s->left >= 0 && s->left <= s->most && s->order.n < s->p->n);
    order_log_add(&s->order, op, s->p->h->method[op] == TRYACQUIRE ? VALUE_TRUE : VALUE_NONE);
}

static bool take_return(permits *s, uint32_t i) {
    unsigned kind = kind_of(s->p, i);
    if (s->done[i]) return true;
    if (!possible(s, kind)) {
        if (!s->waiting[!kind].n || !possible(s, !kind)) return false;
        take(s, !kind);
    }
    take(s, kind); /* its own: all with earlier deadlines are done */
    assert(s->done[i]);
    return true;
}

static bool run(permits *s, const problem *p, sweep_event *e) {
    int64_t start = p->o->parameter[PERMITS];
    *s = (permits){
        .p = p, .left = start, .most = p->o->parameter[BOUNDED] ? start : INT64_MAX, .done = mem_zero(p->n, 1)};
    order_log_init(&s->order, p->n);
    sweep events;
    unsigned ticks = 0;
    bool good = true;
    sweep_init(&events, p, RANK_NEVER);
    while (good && sweep_next(&events, e) && !budget_tick(p->budget, &ticks)) {
        if (e->is_return) good = take_return(s, e->at);
        else deadline_heap_push(&s->waiting[kind_of(p, e->at)], p->h->ret[p->op[e->at]], e->at);
    }
    sweep_free(&events);
    return good;
}

static void permits_free(permits *s) {
    free(s->waiting[TAKES].at);
    free(s->waiting[GIVES].at);
    free(s->done);
    witness_free(&s->order);
}

static bool is_violation(const problem *p) {
    permits s;
    sweep_event e;
    bool good = run(&s, p, &e);
    permits_free(&s);
    return !good;
}

/* Unbounded: as many groups with a permit out at that moment as are too many; releases that are in no group stay. */
static void explain_unbounded(const problem *p, uint32_t rank, outcome *out) {
    leave_out l;
    object_leave_out(p->o, p->h, p->op, p->n, &l);
    int64_t *taken = mem_zero(l.groups + 1, sizeof *taken), free_permits = p->o->parameter[PERMITS];
    for (uint32_t i = 0; i < p->n; i++) {
        bool gives = kind_of(p, i) == GIVES, counts = gives ? p->h->call[p->op[i]] < rank : p->h->ret[p->op[i]] <= rank;
        if (!counts) continue;
        if (l.group[i] == GROUP_KEEP) free_permits += gives ? 1 : -1;
        else taken[l.group[i]] += gives ? -1 : 1;
    }
    for (uint32_t g = 0; g < l.groups; g++) {
        if (taken[g] <= 0 || free_permits < 0) taken[g] = 0;
        free_permits -= taken[g];
    }
    out->pattern = MEM_ARRAY(uint32_t, p->n);
    for (uint32_t i = 0; i < p->n; i++)
        if (l.group[i] == GROUP_KEEP || taken[l.group[i]]) out->pattern[out->pattern_n++] = p->op[i];
    assert(free_permits < 0); /* those that stay take more than there are */
    free(taken);
    leave_out_free(&l);
}

static bool accepts_no_failure(const problem *p, text *why_not) {
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->h->res[p->op[i]] != VALUE_FALSE) continue;
        text_add(why_not, "cannot judge a tryacquire that failed");
        return false;
    }
    return true;
}

static void decide_semaphore(const problem *p, outcome *out) {
    permits s;
    sweep_event e = {0};
    bool good = run(&s, p, &e);
    if (budget_spent(p->budget)) {
        outcome_stopped(p, out);
    } else if (good) {
        out->verdict = VERDICT_LINEARIZABLE;
        out->witness = s.order;
        s.order = (witness){0};
    } else {
        outcome_violation(out, e.rank);
        if (p->o->parameter[BOUNDED]) pattern_try(p, &e.at, 1, is_violation, out);
        else explain_unbounded(p, e.rank, out);
    }
    permits_free(&s);
}

ENGINE_RECORD(engine_semaphore_linear, "semaphore-linear", "semaphores without failed tries: permits are counted",
              .growth = "n log(open operations)", .objects = "semaphore",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .accepts = accepts_no_failure, .decide = decide_semaphore);
