/* A lock. The order of the holds is forced: the client that returned from locking first held it first. With that
 * order fixed, an operation fits at a place iff nothing before it is called after its return and nothing behind it
 * returns before its call, which is how a failed trylock finds a hold to fail in. */
#include "engine/client_order.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/general/sweep.h"
#include "engine/value_index.h"
#include "engine/self_check.h"

enum { LOCK, UNLOCK, TRYLOCK };

typedef struct lock_hold {
    uint32_t acquire, release; /* positions; NO_NUMBER: never released */
    uint32_t latest_call;      /* of everything up to the acquire */
    uint32_t earliest_return;  /* of everything from the release on */
    uint32_t failures;         /* trylocks that failed during it */
} lock_hold;

typedef struct lock_order {
    const problem *p;
    lock_hold *hold;
    uint32_t holds;
    uint32_t *current; /* by client: its hold + 1 */
    bool *unmatched;   /* by position: an unlock by a client that does not hold the lock */
    uint32_t *failure; /* positions of trylocks that failed, by call; later: the holds they failed in */
    uint32_t failures;
    uint32_t hopeful; /* an acquire that is open in the end and may come last */
    uint32_t end;     /* what returns at this rank or later is open in the end */
} lock_order;

static uint32_t call_of(const lock_order *l, uint32_t i) { return l->p->h->call[l->p->op[i]]; }
static uint32_t return_of(const lock_order *l, uint32_t i) { return l->p->h->ret[l->p->op[i]]; }

static void take_call(lock_order *l, uint32_t i) {
    uint32_t op = l->p->op[i], client = history_client(l->p->h, op), current = l->current[client];
    if (l->p->h->method[op] == UNLOCK) {
        assert(current <= l->holds && (!current || l->hold[current - 1].release == NO_NUMBER));
        if (current) l->hold[current - 1].release = i;
        else l->unmatched[i] = true;
        l->current[client] = 0;
    } else if (l->p->h->res[op] == VALUE_FALSE) {
        l->failure[l->failures++] = i;
    }
}

static bool take_return(lock_order *l, uint32_t i) {
    uint32_t op = l->p->op[i];
    if (l->p->h->method[op] == UNLOCK) return !l->unmatched[i];
    if (l->p->h->res[op] == VALUE_FALSE) return true;
    if (l->holds && l->hold[l->holds - 1].release == NO_NUMBER) return false;
    assert(l->holds < l->p->n && !l->current[history_client(l->p->h, op)]);
    l->hold[l->holds++] = (lock_hold){.acquire = i, .release = NO_NUMBER};
    l->current[history_client(l->p->h, op)] = l->holds;
    return true;
}

/* The holds in their order; false at the first event that shows two at once, or an unlock by a client that does not
 * hold it. */
static bool find_holds(lock_order *l, sweep_event *e) {
    sweep events;
    unsigned ticks = 0;
    bool good = true;
    sweep_init(&events, l->p, RANK_NEVER);
    while (good && sweep_next(&events, e) && !budget_tick(l->p->budget, &ticks)) {
        if (e->is_return) good = take_return(l, e->at);
        else take_call(l, e->at);
    }
    sweep_free(&events);
    return good;
}

/* The first acquire that is open in the end, of a client that does not hold the lock. */
static uint32_t find_hopeful(const lock_order *l) {
    for (uint32_t i = 0; i < l->p->n && call_of(l, i) < l->end; i++) {
        uint32_t op = l->p->op[i];
        bool failed = l->p->h->res[op] == VALUE_FALSE && l->end == RANK_NEVER;
        if (return_of(l, i) < l->end || l->p->h->method[op] == UNLOCK || failed) continue;
        if (!l->current[history_client(l->p->h, op)]) return i;
    }
    return NO_NUMBER;
}

/* An open acquire can come behind a last hold that ended. */
static void end_holds(lock_order *l) {
    const lock_hold *last = l->holds ? &l->hold[l->holds - 1] : NULL;
    l->hopeful = last && last->release == NO_NUMBER ? NO_NUMBER : find_hopeful(l);
    if (l->hopeful != NO_NUMBER) l->hold[l->holds++] = (lock_hold){.acquire = l->hopeful, .release = NO_NUMBER};
}

static void bound_holds(lock_order *l) {
    uint32_t latest = 0, earliest = RANK_NEVER;
    for (uint32_t k = 0; k < l->holds; k++) {
        lock_hold *h = &l->hold[k];
        if (call_of(l, h->acquire) > latest) latest = call_of(l, h->acquire);
        assert(!k || l->hold[k - 1].latest_call <= latest);
        h->latest_call = latest;
        if (h->release != NO_NUMBER && call_of(l, h->release) > latest) latest = call_of(l, h->release);
    }
    for (uint32_t k = l->holds; k-- > 0;) {
        lock_hold *h = &l->hold[k];
        if (h->release != NO_NUMBER && return_of(l, h->release) < earliest) earliest = return_of(l, h->release);
        assert(k + 1 == l->holds || earliest <= l->hold[k + 1].earliest_return);
        h->earliest_return = earliest;
        if (return_of(l, h->acquire) < earliest) earliest = return_of(l, h->acquire);
    }
}

/* Both bounds ascend with the holds, so the first hold that is not over before the trylock is called is the best one.
 * Returns the position of the failure that found none and returned first, or NO_NUMBER. */
static uint32_t place_failures(lock_order *l) {
    uint32_t k = 0, wrong = NO_NUMBER;
    for (uint32_t f = 0; f < l->failures; f++) {
        uint32_t i = l->failure[f];
        if (return_of(l, i) >= l->end) continue;
        while (k < l->holds && l->hold[k].earliest_return < call_of(l, i)) k++;
        if (k == l->holds || l->hold[k].latest_call > return_of(l, i)) {
            if (wrong == NO_NUMBER || return_of(l, i) < return_of(l, wrong)) wrong = i;
            continue;
        }
        assert(l->hold[k].latest_call < return_of(l, i) && l->hold[k].earliest_return > call_of(l, i));
        l->hold[k].failures++;
    }
    return wrong;
}

/* The trylocks failed in the order of their calls, so those of a hold are the next ones. */
static void write_witness(const lock_order *l, witness *w) {
    const problem *p = l->p;
    uint32_t f = 0;
    order_log_init(w, p->n);
    for (uint32_t k = 0; k < l->holds; k++) {
        const lock_hold *h = &l->hold[k];
        if (h->acquire == l->hopeful && !h->failures) continue;
        order_log_add(w, p->op[h->acquire], p->h->method[p->op[h->acquire]] == TRYLOCK ? VALUE_TRUE : VALUE_NONE);
        for (uint32_t end = f + h->failures; f < end; f++) order_log_add(w, p->op[l->failure[f]], VALUE_FALSE);
        if (h->release != NO_NUMBER) order_log_add(w, p->op[h->release], VALUE_NONE);
    }
    assert(w->n <= p->n && f <= l->failures);
}

static void explain_overlap(const lock_order *l, const sweep_event *e, outcome *out) {
    uint32_t wrong[2] = {e->at}, n = 1;
    outcome_violation(out, e->rank);
    if (l->p->h->method[l->p->op[e->at]] != UNLOCK) wrong[n++] = l->hold[l->holds - 1].acquire;
    pattern_from(l->p, wrong, n, out);
}

static void decide_holds(lock_order *l, outcome *out) {
    sweep_event e = {0};
    bool good = find_holds(l, &e);
    if (budget_spent(l->p->budget)) {
        outcome_stopped(l->p, out);
        return;
    }
    if (!good) {
        explain_overlap(l, &e, out);
        l->end = e.rank; /* a trylock may have been wrong before that */
    }
    end_holds(l);
    bound_holds(l);
    uint32_t wrong = place_failures(l);
    if (wrong != NO_NUMBER) {
        outcome_violation(out, return_of(l, wrong));
    } else if (good) {
        out->verdict = VERDICT_LINEARIZABLE;
        write_witness(l, &out->witness);
    }
}

static void decide_lock(const problem *p, outcome *out) {
    lock_order l = {.p = p,
                    .hold = MEM_ARRAY(lock_hold, p->n + 1),
                    .current = mem_zero(p->h->clients, sizeof(uint32_t)),
                    .unmatched = mem_zero(p->n, sizeof(bool)),
                    .failure = MEM_ARRAY(uint32_t, p->n),
                    .hopeful = NO_NUMBER,
                    .end = RANK_NEVER};
    decide_holds(&l, out);
    free(l.hold);
    free(l.current);
    free(l.unmatched);
    free(l.failure);
}

ENGINE_RECORD(engine_lock_linear, "lock-linear", "locks: no two holds at once, and a trylock fails during a hold",
              .growth = "n log(open operations)", .objects = "lock",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .accepts = accepts_clients_in_order, .decide = decide_lock);
