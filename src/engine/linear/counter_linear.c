/* A counter to which every change adds the same amount. Then the k-th change leads from k-1 to k, whichever
 * operation it is, and an operation that knows the count knows its place: an observer of k stands between change k
 * and change k+1, a change with a result is the one of its number. So a place k has a latest call L(k) among those
 * that stand before it, and an earliest return U(k) among those behind it; both ascend. A change without a result
 * can take place k iff it is called before U(k) and returns behind L(k). The places are filled in order, with the
 * change that returns first. */
#include "engine/linear/counted.h"
#include "engine/general/deadline_heap.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

#define AMOUNT_LIMIT (INT64_C(1) << 30) /* times 2^32 operations: the count does not wrap around */

typedef struct count_place {
    uint32_t latest_call;     /* L: of what must come before it, or is it */
    uint32_t earliest_return; /* U: of what must come behind it, or is it */
    uint32_t change;          /* position; NO_NUMBER: not filled yet */
    uint32_t observers;       /* of the count it leads to */
} count_place;

typedef struct counter_order {
    const problem *p;
    int64_t amount;
    count_place *place; /* 1 .. changes + 1; place[0] has the observers of the initial value */
    uint32_t changes;   /* that there are, pending ones included */
    uint32_t known;     /* the largest place that must be filled */
    uint32_t filled;
    uint32_t *where; /* by position: of observers and of changes with a result; NO_NUMBER otherwise */
} counter_order;

static uint32_t call_of(const counter_order *c, uint32_t i) { return c->p->h->call[c->p->op[i]]; }
static uint32_t return_of(const counter_order *c, uint32_t i) { return c->p->h->ret[c->p->op[i]]; }

static void later_than(count_place *k, uint32_t call) {
    if (call > k->latest_call) k->latest_call = call;
}

static void earlier_than(count_place *k, uint32_t ret) {
    if (ret < k->earliest_return) k->earliest_return = ret;
}

/* The operation knows the count. False when there is no such place, or another change has it. */
static bool pin(counter_order *c, uint32_t i, const counter_effect *view) {
    int64_t k = view->before / c->amount + !view->observes;
    if (view->before % c->amount || k < 0 || k > c->changes) return false;
    assert(view->known && k <= c->changes);
    count_place *at = &c->place[k];
    c->where[i] = (uint32_t)k;
    if (k > c->known) c->known = (uint32_t)k;
    earlier_than(at, return_of(c, i));
    later_than(view->observes ? at + 1 : at, call_of(c, i));
    if (view->observes) {
        at->observers++;
        return true;
    }
    if (k == 0 || at->change != NO_NUMBER) return false;
    at->change = i;
    return true;
}

static bool pin_all(counter_order *c, uint32_t *wrong) {
    for (uint32_t i = 0; i < c->p->n; i++) {
        counter_effect view;
        text unused = {0};
        *wrong = i;
        if (problem_stopped(c->p, i)) return false;
        c->where[i] = NO_NUMBER;
        counted_of(c->p, i, &view, &unused);
        if (view.known && !pin(c, i, &view)) return false;
    }
    return true;
}

SELF_CHECK static bool bounds_ascend(const counter_order *c) {
    for (uint32_t k = 1; k <= c->changes + 1; k++) {
        const count_place *at = &c->place[k];
        if (at[-1].latest_call > at->latest_call || at[-1].earliest_return > at->earliest_return) return false;
    }
    return true;
}

static void spread_bounds(counter_order *c) {
    for (uint32_t k = 1; k <= c->changes + 1; k++) later_than(&c->place[k], c->place[k - 1].latest_call);
    for (uint32_t k = c->changes + 1; k-- > 0;) earlier_than(&c->place[k], c->place[k + 1].earliest_return);
    assert_costly(bounds_ascend(c));
}

static bool is_free_change(const counter_order *c, uint32_t i) {
    counter_effect view;
    text unused = {0};
    counted_of(c->p, i, &view, &unused);
    return !view.observes && !view.known;
}

/* Pending changes have no deadline: they are used only where a place would stay empty. */
static bool fill_places(counter_order *c, deadline_heap *waiting, uint32_t *wrong) {
    uint32_t next = 0;
    for (uint32_t k = 1; k <= c->changes; k++) {
        count_place *at = &c->place[k];
        if (problem_stopped(c->p, k)) return false;
        for (; next < c->p->n && call_of(c, next) < at->earliest_return; next++)
            if (is_free_change(c, next)) deadline_heap_push(waiting, return_of(c, next), next);
        *wrong = at->change;
        if (at->latest_call > at->earliest_return) return false;
        if (at->change != NO_NUMBER) continue;
        bool enough = k > c->known && (!waiting->n || deadline_heap_deadline(waiting) == RANK_NEVER);
        if (enough) break;
        if (!waiting->n) return false;
        at->change = *wrong = deadline_heap_pop(waiting);
        if (return_of(c, at->change) < at->latest_call) return false;
        assert(call_of(c, at->change) < at->earliest_return);
        c->filled = k;
    }
    if (c->filled < c->known) c->filled = c->known;
    return true;
}

static value result_of(const counter_order *c, uint32_t i, uint32_t k) {
    const problem *p = c->p;
    uint32_t op = p->op[i];
    if (!history_pending(p->h, op)) return p->h->res[op];
    int64_t start = p->o->init == VALUE_NONE ? 0 : value_as_int(p->h->values, p->o->init);
    bool after = p->o->type->methods[0].result == RESULT_MAYBE_INT; /* counter; fetch-add returns the count before */
    return value_int(p->h->values, start + c->amount * (after ? k : k - 1));
}

static void write_witness(counter_order *c, witness *w) {
    const problem *p = c->p;
    order_log_init(w, p->n);
    uint32_t n = c->place[0].observers;
    c->place[0].latest_call = 0;
    for (uint32_t k = 1; k <= c->filled; k++) { /* the bounds have served: latest_call is where its observers go */
        count_place *at = &c->place[k];
        assert(at->change != NO_NUMBER && n < p->n);
        w->op[n] = p->op[at->change];
        w->res[n] = result_of(c, at->change, k);
        at->latest_call = n + 1;
        n += 1 + at->observers;
    }
    w->n = n;
    for (uint32_t i = 0; i < p->n; i++) {
        if (c->where[i] == NO_NUMBER || c->place[c->where[i]].change == i) continue;
        uint32_t at = c->place[c->where[i]].latest_call++;
        assert(at < n);
        w->op[at] = p->op[i];
        w->res[at] = p->h->res[p->op[i]];
    }
}

static bool accepts_one_amount(const problem *p, text *why_not) {
    int64_t amount = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        counter_effect view;
        if (!counted_of(p, i, &view, why_not)) return false;
        if (view.observes) continue;
        if (amount && view.change != amount) {
            text_add(why_not, "needs changes that are all the same");
            return false;
        }
        amount = view.change;
        if (amount < -AMOUNT_LIMIT || amount > AMOUNT_LIMIT) {
            text_add(why_not, "cannot count with amounts that large");
            return false;
        }
    }
    return true;
}

static void count_changes(counter_order *c) {
    for (uint32_t i = 0; i < c->p->n; i++) {
        counter_effect view;
        text unused = {0};
        counted_of(c->p, i, &view, &unused);
        if (view.observes) continue;
        c->amount = view.change;
        c->changes++;
    }
    if (!c->amount) c->amount = 1;
    c->place = MEM_ARRAY(count_place, c->changes + 2);
    for (uint32_t k = 0; k < c->changes + 2; k++) c->place[k] = (count_place){0, RANK_NEVER, NO_NUMBER, 0};
}

static void decide_counter(const problem *p, outcome *out) {
    counter_order c = {.p = p, .where = MEM_ARRAY(uint32_t, p->n)};
    deadline_heap waiting = {0};
    uint32_t wrong = NO_NUMBER;
    count_changes(&c);
    bool good = pin_all(&c, &wrong);
    if (good) {
        spread_bounds(&c);
        good = c.place[0].earliest_return > c.place[0].latest_call && fill_places(&c, &waiting, &wrong);
    }
    if (budget_spent(p->budget)) {
        outcome_stopped(p, out);
    } else if (good) {
        out->verdict = VERDICT_LINEARIZABLE;
        write_witness(&c, &out->witness);
    } else {
        outcome_violation(out, RANK_NEVER);
    }
    free(waiting.at);
    free(c.place);
    free(c.where);
}

ENGINE_RECORD(engine_counter_linear, "counter-linear",
              "counters whose changes are all the same: the k-th change leads to k", .growth = "n log(open operations)",
              .objects = "counter fetch-add", .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS,
              .cost = COST_NEAR_LINEAR, .accepts = accepts_one_amount, .decide = decide_counter);
