/* A reader-writer lock without failed tries. Holding the lock for a shorter time never hinders another client, so each
 * acquires as late as possible, at the return, and releases as early as possible, at the call. That is a linearization,
 * or else two holds that exclude each other certainly overlap. */
#include "engine/client_order.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/general/sweep.h"
#include "engine/self_check.h"

enum { RLOCK, RUNLOCK, WLOCK, WUNLOCK, TRYRLOCK, TRYWLOCK };

typedef struct client_locks {
    uint32_t reads; /* read locks of this client */
    uint32_t since; /* position of the first of them */
} client_locks;

typedef struct rwlock_order {
    const problem *p;
    client_locks *client;
    uint32_t readers;       /* read locks of all */
    uint32_t writer, wrote; /* client + 1, and the position of its wlock */
    bool *unmatched;        /* by position: an unlock of what the client does not hold */
    witness order;
} rwlock_order;

static bool is_unlock(unsigned m) { return m == RUNLOCK || m == WUNLOCK; }
static bool is_read(unsigned m) { return m == RLOCK || m == RUNLOCK || m == TRYRLOCK; }

static void log_at(rwlock_order *l, uint32_t i) {
    uint32_t op = l->p->op[i];
    order_log_add(&l->order, op, l->p->h->method[op] >= TRYRLOCK ? VALUE_TRUE : VALUE_NONE);
}

static void release(rwlock_order *l, uint32_t i) {
    uint32_t op = l->p->op[i], c = history_client(l->p->h, op);
    bool read = is_read(l->p->h->method[op]);
    bool holds = read ? l->client[c].reads > 0 : l->writer == c + 1;
    if (!holds) {
        l->unmatched[i] = true;
        return;
    }
    assert(!read || (l->readers >= l->client[c].reads && !l->writer));
    if (read) {
        l->client[c].reads--;
        l->readers--;
    } else {
        l->writer = 0;
    }
    log_at(l, i);
}

static bool acquire(rwlock_order *l, uint32_t i) {
    uint32_t op = l->p->op[i], c = history_client(l->p->h, op);
    bool read = is_read(l->p->h->method[op]);
    if (l->writer || (!read && l->readers)) return false;
    if (read) {
        if (!l->client[c].reads++) l->client[c].since = i;
        l->readers++;
    } else {
        assert(!l->client[c].reads);
        l->writer = c + 1;
        l->wrote = i;
    }
    assert(!l->writer || !l->readers);
    log_at(l, i);
    return true;
}

/* False at the first event that shows a violation. */
static bool run(rwlock_order *l, sweep_event *e) {
    sweep events;
    unsigned ticks = 0;
    bool good = true;
    sweep_init(&events, l->p, RANK_NEVER);
    while (good && sweep_next(&events, e) && !budget_tick(l->p->budget, &ticks)) {
        bool unlock = is_unlock(l->p->h->method[l->p->op[e->at]]);
        if (unlock && !e->is_return) release(l, e->at);
        else if (unlock) good = !l->unmatched[e->at];
        else if (e->is_return) good = acquire(l, e->at);
    }
    sweep_free(&events);
    return good;
}

/* The acquire that failed and a hold in its way; of a reader with several read locks, all it took since it had none. */
static void explain(const rwlock_order *l, const sweep_event *e, outcome *out) {
    const problem *p = l->p;
    uint32_t *wrong = MEM_ARRAY(uint32_t, p->n), n = 0, c = 0;
    wrong[n++] = e->at;
    outcome_violation(out, e->rank);
    if (!is_unlock(p->h->method[p->op[e->at]])) {
        if (l->writer) wrong[n++] = l->wrote;
        else
            while (!l->client[c].reads) c++;
        for (uint32_t i = l->writer ? p->n : l->client[c].since; i < p->n && p->h->call[p->op[i]] < e->rank; i++)
            if (history_client(p->h, p->op[i]) == c && i != e->at && is_read(p->h->method[p->op[i]])) wrong[n++] = i;
    }
    assert(n <= p->n && c < p->h->clients);
    pattern_from(p, wrong, n, out);
    free(wrong);
}

static bool accepts_no_failure(const problem *p, text *why_not) {
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->h->res[p->op[i]] != VALUE_FALSE) continue;
        text_add(why_not, "cannot judge a try that failed");
        return false;
    }
    return accepts_clients_in_order(p, why_not);
}

static void decide_rwlock(const problem *p, outcome *out) {
    rwlock_order l = {
        .p = p, .client = mem_zero(p->h->clients, sizeof(client_locks)), .unmatched = mem_zero(p->n, sizeof(bool))};
    order_log_init(&l.order, p->n);
    sweep_event e = {0};
    bool good = run(&l, &e);
    if (budget_spent(p->budget)) {
        outcome_stopped(p, out);
    } else if (good) {
        out->verdict = VERDICT_LINEARIZABLE;
        out->witness = l.order;
        l.order = (witness){0};
    } else {
        explain(&l, &e, out);
    }
    witness_free(&l.order);
    free(l.client);
    free(l.unmatched);
}

ENGINE_RECORD(engine_rwlock_linear, "rwlock-linear",
              "reader-writer locks without failed tries: no two holds that exclude each other",
              .growth = "n log(open operations)", .objects = "rwlock",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN,
              .cost = COST_NEAR_LINEAR, .accepts = accepts_no_failure, .decide = decide_rwlock);
