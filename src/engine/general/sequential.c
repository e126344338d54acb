/* Sequential consistency: is there an order of all operations that keeps each client's own and is a run of the
 * object? (Lamport 1979.) Clients are chains of operations that returned; what is pending may come anywhere behind
 * what its client had finished when it called it, or not at all.
 *
 * Depth first over how far each chain has come and the state; where it has been in vain is remembered. An operation
 * that changes nothing and fits now is taken at once: whatever order exists, it can as well come here. Of the
 * others, the one that returned first is tried first. */
#include "base/mem.h"
#include "base/word_table.h"
#include "engine/engine.h"

#include <string.h>

typedef struct chain {
    uint32_t *op; /* by call */
    uint32_t n;
} chain;

typedef struct loose {         /* a pending operation */
    uint32_t op, chain, after; /* so many of the chain come before it */
} loose;

typedef struct sequencing {
    const problem *p;
    chain *chain;
    uint32_t chains;
    loose *loose;
    uint32_t looses;
    uint32_t *at;    /* by chain: how far; then by pending operation: 1 when it is taken */
    uint32_t left;   /* operations of chains that are to come */
    uint32_t *order; /* so far */
    value *res;
    uint32_t n;
    word_table seen;
    uint32_t *key; /* to ask it */
    uint32_t key_room;
    outcome *out;
    bool spent;
} sequencing;

/* ---- where it has been ---- */

/* How far chains came, which pending ones are taken, and the state. False: it was there before. */
static bool visit(sequencing *q, const state *s) {
    uint32_t places = q->chains + q->looses, n = places + s->n, known = q->seen.count;
    if (n > q->key_room) q->key = MEM_GROW(q->key, uint32_t, q->key_room = 2 * n);
    memcpy(q->key, q->at, places * sizeof *q->key);
    if (s->n) memcpy(q->key + places, s->w, s->n * sizeof *q->key);
    return word_table_number(&q->seen, q->key, n) == known;
}

/* ---- the search ---- */

typedef struct candidate {
    uint32_t place; /* a chain, or behind them a pending operation */
    uint32_t op, ret;
} candidate;

/* What may come next, soonest return first. */
static uint32_t find_candidates(const sequencing *q, candidate *c) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->chains + q->looses; i++) {
        candidate next = {.place = i};
        if (i < q->chains) {
            if (q->at[i] == q->chain[i].n) continue;
            next.op = q->chain[i].op[q->at[i]];
        } else {
            const loose *l = &q->loose[i - q->chains];
            if (q->at[i] || q->at[l->chain] < l->after) continue;
            next.op = l->op;
        }
        next.ret = q->p->h->ret[next.op];
        uint32_t k = n++;
        for (; k && c[k - 1].ret > next.ret; k--) c[k] = c[k - 1];
        c[k] = next;
    }
    return n;
}

static void take(sequencing *q, const candidate *c, value res) {
    q->at[c->place]++;
    q->left -= c->place < q->chains;
    q->order[q->n] = c->op;
    q->res[q->n++] = res;
    if (q->n > q->out->prefix.n) q->out->prefix.n = q->n;
}

static void give_back(sequencing *q, const candidate *c) {
    q->at[c->place]--;
    q->left += c->place < q->chains;
    q->n--;
}

static step_result step(sequencing *q, const state *from, state *to, uint32_t i, uint32_t choice, value *res) {
    operation op;
    history_operation(q->p->h, i, &op);
    state_copy(to, from);
    q->out->steps++;
    return q->p->o->type->step(q->p->o, to, &op, choice, res);
}

/* Whatever changes nothing and fits: taken at once. Returns how many were. */
static uint32_t take_observers(sequencing *q, const state *s, candidate *taken, uint32_t room) {
    candidate *c = MEM_ARRAY(candidate, q->chains + q->looses + 1);
    state scratch = {0};
    uint32_t count = 0;
    for (bool more = true; more;) {
        more = false;
        uint32_t n = find_candidates(q, c);
        for (uint32_t k = 0; k < n && count < room; k++) {
            operation op;
            value res;
            history_operation(q->p->h, c[k].op, &op);
            if (op.ret == RANK_NEVER || !object_changes_nothing(q->p->o, &op)) continue;
            if (step(q, s, &scratch, c[k].op, 0, &res) == STEP_ILLEGAL) continue;
            take(q, &c[k], res);
            taken[count++] = c[k];
            more = true;
        }
    }
    state_free(&scratch);
    free(c);
    return count;
}

static bool extend(sequencing *q, const state *s);

static bool extend_with(sequencing *q, const state *s, const candidate *c) {
    state next = {0};
    bool found = false;
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE && !found && !q->spent; choice++) {
        value res;
        r = step(q, s, &next, c->op, choice, &res);
        if (r == STEP_ILLEGAL) break;
        take(q, c, res);
        found = extend(q, &next);
        if (!found) give_back(q, c);
    }
    state_free(&next);
    return found;
}

enum { OBSERVERS = 4096 };

static bool extend(sequencing *q, const state *s) {
    if ((q->out->steps & 255) == 0 && budget_spent(q->p->budget)) q->spent = true;
    if (q->spent) return false;
    uint32_t room = q->left < OBSERVERS ? q->left : OBSERVERS;
    candidate *taken = MEM_ARRAY(candidate, room + 1);
    uint32_t count = take_observers(q, s, taken, room);
    bool found = q->left == 0 && object_may_end(q->p->o, s);
    if (!found && visit(q, s)) {
        candidate *c = MEM_ARRAY(candidate, q->chains + q->looses + 1);
        uint32_t n = find_candidates(q, c);
        for (uint32_t k = 0; k < n && !found && !q->spent; k++) found = extend_with(q, s, &c[k]);
        free(c);
    }
    while (!found && count) give_back(q, &taken[--count]);
    free(taken);
    return found;
}

/* ---- chains ---- */

static uint32_t chain_of(uint32_t *number, uint32_t client, uint32_t *chains) {
    if (number[client] == UINT32_MAX) number[client] = (*chains)++;
    return number[client];
}

static void make_chains(sequencing *q) {
    const problem *p = q->p;
    uint32_t clients = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (history_client(p->h, p->op[i]) >= clients) clients = history_client(p->h, p->op[i]) + 1;
    uint32_t *number = MEM_ARRAY(uint32_t, (size_t)clients + 1);
    memset(number, 0xff, clients * sizeof *number);
    q->chain = mem_zero((size_t)clients + 1, sizeof *q->chain);
    q->loose = mem_zero((size_t)p->n + 1, sizeof *q->loose);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t k = chain_of(number, history_client(p->h, p->op[i]), &q->chains);
        chain *c = &q->chain[k];
        operation op;
        history_operation(p->h, p->op[i], &op);
        if (object_negligible(p->o, &op)) continue;
        if (op.ret == RANK_NEVER) {
            q->loose[q->looses++] = (loose){.op = p->op[i], .chain = k, .after = c->n};
            continue;
        }
        c->op = MEM_GROW(c->op, uint32_t, c->n + 1);
        c->op[c->n++] = p->op[i];
        q->left++;
    }
    free(number);
}

static void decide(const problem *p, outcome *out) {
    sequencing q = {.p = p, .out = out};
    make_chains(&q);
    word_table_init(&q.seen, p->budget);
    q.at = mem_zero((size_t)q.chains + q.looses + 1, sizeof *q.at);
    q.order = MEM_ARRAY(uint32_t, (size_t)p->n + 1);
    q.res = MEM_ARRAY(value, (size_t)p->n + 1);
    state first = {0};
    p->o->type->init(p->o, &first);
    bool found = extend(&q, &first);
    out->prefix.n = 0;
    state_free(&first);
    if (found) {
        out->verdict = VERDICT_LINEARIZABLE;
        out->witness = (witness){.op = q.order, .res = q.res, .n = q.n};
    } else {
        out->verdict = q.spent ? VERDICT_UNDECIDED : VERDICT_VIOLATION;
        if (q.spent) out->stopped = budget_why(p->budget);
        free(q.order);
        free(q.res);
    }
    for (uint32_t i = 0; i < q.chains; i++) free(q.chain[i].op);
    free(q.chain);
    free(q.loose);
    free(q.at);
    free(q.key);
    word_table_free(&q.seen);
}

/* Depth is length, and every level has a frame. */
static bool accepts(const problem *p, text *why_not) {
    enum { MOST = 20000 };
    uint32_t clients = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (history_client(p->h, p->op[i]) >= clients) clients = history_client(p->h, p->op[i]) + 1;
    uint32_t *last = mem_zero((size_t)clients + 1, sizeof *last);
    bool in_order = true;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t op = p->op[i], c = history_client(p->h, op);
        if (history_pending(p->h, op)) continue;
        in_order &= last[c] <= p->h->call[op];
        last[c] = p->h->ret[op];
    }
    free(last);
    if (!in_order) text_add(why_not, "needs clients that do one operation after the other");
    else if (p->n > MOST) text_printf(why_not, "takes at most %d operations", MOST);
    return in_order && p->n <= MOST;
}

const engine engine_sequential = {
    .name = "sequential",
    .summary = "orders that keep each client's own, depth first, with memory",
    .growth = "exponential in the number of clients",
    .criteria = CRITERION_BIT(CRITERION_SEQUENTIAL),
    .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS,
    .cost = COST_EXPONENTIAL,
    .accepts = accepts,
    .decide = decide,
};
