/* The symbolic engine at every return. Containers whose values are told apart: one solver for all prefixes. A prefix
 * adds clauses and takes none back: what is said of operations that have been called, and of values whose remove has
 * returned, stays true. (Variables are those of the whole history: a pair overlaps in a prefix iff it overlaps in the
 * end.)
 *
 * What the solver is not told: that values not returned yet may have been taken by open removes, or by none; and
 * what holds of operations that do not overlap. So its model is only a proposal, which is run on the object, open
 * removes taking what is in the way. Only if that fails is the prefix decided by itself, from the beginning.
 * Unsatisfiable needs no second look. */
#include "engine/symbolic/symbolic.h"

#include "base/mem.h"
#include "engine/pattern.h"
#include "engine/general/weaken.h"
#include "history/value_map.h"
#include "object/pqueue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_INDEX UINT32_MAX
enum { SNAPSHOT_EVERY = 128 };

typedef enum role { IS_ADD, IS_REMOVE, IS_EMPTY } role;
typedef enum law { LAW_NONE, LAW_FIFO, LAW_LIFO, LAW_BEST } law;

typedef struct prefixes {
    const problem *p;
    law law;
    cnf cnf;
    overlap order;
    uint32_t *call, *ret; /* by position */
    role *role;
    bool *returned, *closed;
    uint32_t *mate;       /* of an add or a remove, once the remove has returned */
    uint32_t *stamp, now; /* who has been met in this round */
    value_map add_of;
    uint32_t called;
    uint32_t *recent, recents, latest_call; /* for overlap_called */
    uint32_t *open, opens;                  /* removes, by call */
    uint32_t *to_close, close_first, close_end;
    uint32_t *line, lines; /* the proposal: positions in order */
    uint32_t *last, lasts; /* the one before */
    state *snapshot;       /* after each SNAPSHOT_EVERY operations of the proposal, without open removes */
    uint32_t snapshots;
    state state, next;
    unsigned ticks;
} prefixes;

static value first_argument(const prefixes *x, uint32_t i) {
    return x->p->h->arg[0] ? x->p->h->arg[0][x->p->op[i]] : VALUE_NONE;
}

/* ---- clauses ---- */

static literal order_of(const prefixes *x, uint32_t a, uint32_t b) {
    return a == b ? LIT_FALSE : before(&x->order, a, b);
}

static bool is_better(const prefixes *x, uint32_t v, uint32_t u) {
    return pqueue_better(x->p->o, first_argument(x, v), first_argument(x, u)) > 0;
}

/* The axiom about items u and v, both taken (symbolic_container.c has them with all their choices). */
static void instance(prefixes *x, uint32_t u, uint32_t v) {
    uint32_t taken = x->mate[u], other = x->mate[v];
    if (x->law == LAW_FIFO) cnf_clause(&x->cnf, -order_of(x, u, v), order_of(x, taken, other), LIT_FALSE);
    if (x->law == LAW_LIFO) cnf_clause(&x->cnf, -order_of(x, u, v), -order_of(x, v, taken), order_of(x, other, taken));
    if (x->law == LAW_BEST && is_better(x, v, u))
        cnf_clause(&x->cnf, -order_of(x, v, taken), order_of(x, other, taken), LIT_FALSE);
}

/* The same when v has not been taken and the remove that will take it is after the remove of u. */
static void instance_closed(prefixes *x, uint32_t u, uint32_t v) {
    uint32_t taken = x->mate[u];
    if (x->law == LAW_FIFO) cnf_clause(&x->cnf, order_of(x, u, v), LIT_FALSE, LIT_FALSE);
    if (x->law == LAW_LIFO) cnf_clause(&x->cnf, -order_of(x, u, v), -order_of(x, v, taken), LIT_FALSE);
    if (x->law == LAW_BEST && is_better(x, v, u)) cnf_clause(&x->cnf, -order_of(x, v, taken), LIT_FALSE, LIT_FALSE);
}

static void empty_and_item(prefixes *x, uint32_t e, uint32_t add) {
    cnf_clause(&x->cnf, -order_of(x, add, e), order_of(x, x->mate[add], e), LIT_FALSE);
}

static bool is_new(prefixes *x, uint32_t i) {
    if (x->stamp[i] == x->now) return false;
    x->stamp[i] = x->now;
    return true;
}

/* What the operation at q and item v imply, which has just become known to be taken. */
static void beside_item(prefixes *x, uint32_t v, uint32_t q) {
    if (x->role[q] == IS_EMPTY) {
        if (x->returned[q] && is_new(x, q)) empty_and_item(x, q, v);
        return;
    }
    uint32_t add = x->role[q] == IS_ADD ? q : x->mate[q];
    if (add == NO_INDEX || add == v || x->mate[add] == NO_INDEX || !is_new(x, add)) return;
    instance(x, add, v);
    instance(x, v, add);
}

static void beside_empty(prefixes *x, uint32_t e, uint32_t q) {
    uint32_t add = x->role[q] == IS_ADD ? q : x->role[q] == IS_REMOVE ? x->mate[q] : NO_INDEX;
    if (add != NO_INDEX && x->mate[add] != NO_INDEX && is_new(x, add)) empty_and_item(x, e, add);
}

static bool is_left_inside(const prefixes *x, uint32_t q) {
    return x->role[q] == IS_ADD && x->returned[q] && x->mate[q] == NO_INDEX;
}

static void beside_closed(prefixes *x, uint32_t r, uint32_t q) {
    if (!is_left_inside(x, q) || !is_new(x, q)) return;
    if (x->role[r] == IS_EMPTY) cnf_clause(&x->cnf, order_of(x, r, q), LIT_FALSE, LIT_FALSE);
    else instance_closed(x, x->mate[r], q);
}

static void beside_left(prefixes *x, uint32_t u, uint32_t q) {
    uint32_t r = x->role[q] == IS_ADD ? x->mate[q] : q;
    if (r == NO_INDEX || !x->closed[r] || !is_new(x, r)) return;
    if (x->role[r] == IS_EMPTY) cnf_clause(&x->cnf, order_of(x, r, u), LIT_FALSE, LIT_FALSE);
    else instance_closed(x, x->mate[r], u);
}

/* All operations called so far that overlap the one at `i`. */
static void each_beside(prefixes *x, uint32_t i, uint32_t about, void (*look)(prefixes *, uint32_t about, uint32_t q)) {
    const overlap *o = &x->order;
    for (size_t k = o->start[i]; k < o->start[i + 1]; k++) look(x, about, o->earlier[k]);
    for (size_t k = o->later_start[i]; k < o->later_start[i + 1] && o->later[k] < x->called; k++)
        look(x, about, o->later[k]);
}

/* ---- events ---- */

static void close_what_can_be(prefixes *x) {
    uint32_t since = x->opens ? x->call[x->open[0]] : RANK_NEVER;
    for (; x->close_first < x->close_end && x->ret[x->to_close[x->close_first]] < since; x->close_first++) {
        uint32_t r = x->to_close[x->close_first];
        x->closed[r] = true;
        x->now++;
        if (x->role[r] == IS_REMOVE) each_beside(x, x->mate[r], r, beside_closed);
        each_beside(x, r, r, beside_closed);
    }
}

static void call(prefixes *x, uint32_t i) {
    x->called = i + 1;
    overlap_called(&x->order, &x->cnf, i, x->recent, x->recents);
    if (x->role[i] != IS_ADD) x->open[x->opens++] = i;
}

static void remember_return(prefixes *x, uint32_t i) {
    if (x->call[i] > x->latest_call) x->latest_call = x->call[i];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < x->recents; k++)
        if (x->ret[x->recent[k]] > x->latest_call) x->recent[kept++] = x->recent[k];
    x->recent[kept++] = i;
    x->recents = kept;
    x->returned[i] = true;
}

static void leave_open(prefixes *x, uint32_t i) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < x->opens; k++)
        if (x->open[k] != i) x->open[kept++] = x->open[k];
    x->opens = kept;
}

/* False: a value came out that is not known, which the full question explains. */
static bool removed(prefixes *x, uint32_t r) {
    uint32_t a = value_map_find(&x->add_of, x->p->h->res[x->p->op[r]]);
    if (a == VALUE_MAP_ABSENT || a >= x->called || x->mate[a] != NO_INDEX) return false;
    x->mate[a] = r;
    x->mate[r] = a;
    cnf_clause(&x->cnf, order_of(x, a, r), LIT_FALSE, LIT_FALSE);
    x->now++;
    each_beside(x, a, a, beside_item);
    each_beside(x, r, a, beside_item);
    return true;
}

static bool ret(prefixes *x, uint32_t i) {
    bool good = true;
    remember_return(x, i);
    x->now++;
    if (x->role[i] == IS_ADD) {
        if (x->mate[i] == NO_INDEX) each_beside(x, i, i, beside_left);
        return true;
    }
    leave_open(x, i);
    x->to_close[x->close_end++] = i;
    if (x->role[i] == IS_EMPTY) each_beside(x, i, i, beside_empty);
    else good = removed(x, i);
    if (good) close_what_can_be(x);
    return good;
}

/* ---- the proposal ---- */

static bool takes_effect(const prefixes *x, uint32_t i) {
    return x->returned[i] || (x->role[i] == IS_ADD && x->mate[i] != NO_INDEX);
}

static void read_model(prefixes *x) {
    uint32_t *swap = x->last;
    x->last = x->line;
    x->lasts = x->lines;
    x->line = swap;
    x->lines = 0;
    for (uint32_t y = 0; y < x->called; y++) {
        if (!takes_effect(x, y)) continue;
        uint32_t i = x->lines++;
        for (; i && !cnf_true(&x->cnf, before(&x->order, x->line[i - 1], y)); i--) x->line[i] = x->line[i - 1];
        x->line[i] = y;
    }
}

/* From which place on may the open remove at t act? Behind everything that returned before it was called. */
static uint32_t ready_at(const prefixes *x, uint32_t t) {
    uint32_t i = x->lines;
    while (i && !(x->ret[x->line[i - 1]] < x->call[t])) i--;
    return i;
}

static bool step(prefixes *x, uint32_t i) {
    operation op;
    value res;
    history_operation(x->p->h, x->p->op[i], &op);
    if (!x->returned[i]) op.res = VALUE_UNKNOWN;
    state_copy(&x->next, &x->state);
    if (x->p->o->type->step(x->p->o, &x->next, &op, 0, &res) == STEP_ILLEGAL) return false;
    state swap = x->state;
    x->state = x->next;
    x->next = swap;
    return true;
}

static uint32_t same_beginning(const prefixes *x) {
    uint32_t n = x->lines < x->lasts ? x->lines : x->lasts, i = 0;
    while (i < n && x->line[i] == x->last[i]) i++;
    return i;
}

/* The line up to here is the one that the snapshot was made of; what is behind is made anew. */
static uint32_t resume(prefixes *x, uint32_t same) {
    uint32_t k = same / SNAPSHOT_EVERY;
    if (k > x->snapshots) k = x->snapshots;
    x->snapshots = k;
    if (k) state_copy(&x->state, &x->snapshot[k - 1]);
    else x->p->o->type->init(x->p->o, &x->state);
    return k * SNAPSHOT_EVERY;
}

/* Is the proposal a run of the object, with some open removes taking effect where something is in the way? */
static bool proposal_runs(prefixes *x) {
    uint32_t ready[64], tokens = x->opens < 64 ? x->opens : 64, used = 0, same = same_beginning(x);
    for (uint32_t k = 0; k < tokens; k++) ready[k] = ready_at(x, x->open[k]);
    for (uint32_t i = resume(x, same); i < x->lines; i++) {
        if (i && i % SNAPSHOT_EVERY == 0 && !used && i / SNAPSHOT_EVERY == x->snapshots + 1)
            state_copy(&x->snapshot[x->snapshots++], &x->state);
        while (!step(x, x->line[i])) { /* those that are open are ready in the order of their calls */
            if (used == tokens || ready[used] > i || !step(x, x->open[used])) return false;
            used++;
        }
    }
    return true;
}

/* ---- asking ---- */

/* True: settled. */
static bool ask(prefixes *x, uint32_t i, bool known, const symbolic_decider *whole, outcome *out) {
    if (x->p->furthest) atomic_fetch_add(x->p->furthest, 1);
    if (known) {
        cnf_answer answer = cnf_solve(&x->cnf);
        if (answer == CNF_UNSATISFIABLE) outcome_violation(out, x->ret[i]);
        if (answer == CNF_STOPPED) outcome_stopped(x->p, out);
        if (answer != CNF_SATISFIABLE) return true;
        read_model(x);
        if (proposal_runs(x)) return false;
    }
    return symbolic_decide_prefix(x->p, x->p->op, x->called, x->ret[i], whole, out) != VERDICT_LINEARIZABLE;
}

/* ---- making ---- */

static bool choose_law(prefixes *x) {
    const char *name = x->p->o->type->name;
    static const struct {
        const char *name;
        law law;
    } all[] = {{"queue", LAW_FIFO},
               {"stack", LAW_LIFO},
               {"multiset", LAW_NONE},
               {"pqueue-max", LAW_BEST},
               {"pqueue-min", LAW_BEST}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name)) {
            x->law = all[i].law;
            return true;
        }
    return false;
}

/* False: values come again, or there are other operations than adds and removes. */
static bool gather(prefixes *x) {
    const history *h = x->p->h;
    bool good = choose_law(x);
    for (uint32_t i = 0; i < x->p->n && good; i++) {
        uint32_t op = x->p->op[i];
        unsigned does = x->p->o->type->methods[h->method[op]].role;
        x->call[i] = h->call[op];
        x->ret[i] = h->ret[op];
        x->mate[i] = NO_INDEX;
        x->role[i] = does == ROLE_ADDS ? IS_ADD : h->res[op] == VALUE_EMPTY ? IS_EMPTY : IS_REMOVE;
        if (does == ROLE_ADDS) {
            good = h->res[op] != VALUE_FULL && value_map_find(&x->add_of, first_argument(x, i)) == VALUE_MAP_ABSENT;
            if (good) value_map_add(&x->add_of, first_argument(x, i), i);
        } else {
            good = does == ROLE_REMOVES && h->nargs[op] == 0;
        }
    }
    return good;
}

static bool prefixes_init(prefixes *x, const problem *p) {
    size_t n = (size_t)p->n + 1;
    *x = (prefixes){.p = p,
                    .call = MEM_ARRAY(uint32_t, n),
                    .ret = MEM_ARRAY(uint32_t, n),
                    .role = mem_zero(n, sizeof(role)),
                    .returned = mem_zero(n, sizeof(bool)),
                    .closed = mem_zero(n, sizeof(bool)),
                    .mate = MEM_ARRAY(uint32_t, n),
                    .stamp = mem_zero(n, sizeof(uint32_t)),
                    .recent = MEM_ARRAY(uint32_t, n),
                    .open = MEM_ARRAY(uint32_t, n),
                    .to_close = MEM_ARRAY(uint32_t, n),
                    .line = MEM_ARRAY(uint32_t, n),
                    .last = MEM_ARRAY(uint32_t, n),
                    .snapshot = mem_zero(n / SNAPSHOT_EVERY + 1, sizeof(state))};
    cnf_init(&x->cnf, p->budget);
    cnf_ask_often(&x->cnf);
    return gather(x) && overlap_init(&x->order, &x->cnf, x->call, x->ret, p->n);
}

static void prefixes_free(prefixes *x) {
    uint32_t snapshots = x->p->n / SNAPSHOT_EVERY + 1;
    overlap_free(&x->order);
    cnf_free(&x->cnf);
    for (uint32_t i = 0; i < snapshots; i++) state_free(&x->snapshot[i]);
    state_free(&x->state);
    state_free(&x->next);
    void *all[] = {x->call,        x->ret,    x->role, x->returned, x->closed, x->mate, x->stamp,
                   x->add_of.slot, x->recent, x->open, x->to_close, x->line,   x->last, x->snapshot};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static bool ask_incrementally(const problem *p, const symbolic_decider *whole, bool *fits, outcome *out) {
    prefixes x;
    uint32_t count, *event = part_events(p, &count);
    bool settled = false;
    *fits = prefixes_init(&x, p);
    for (uint32_t e = 0; e < count && *fits && !settled && !budget_tick(p->budget, &x.ticks); e++) {
        uint32_t i = event[e] / 2;
        if (event[e] & 1) settled = ask(&x, i, ret(&x, i), whole, out);
        else call(&x, i);
    }
    prefixes_free(&x);
    free(event);
    return settled;
}

/* ---- which way ---- */

/* Values are told apart: the remove of an add is known. */
static bool can_remove(const problem *p) {
    prefixes x = {0};
    bool good = prefixes_init(&x, p);
    prefixes_free(&x);
    return good;
}

bool symbolic_at_returns(const problem *p, bool removal, const symbolic_decider *whole, outcome *out) {
    bool fits = true;
    if (removal && !can_remove(p)) {
        snprintf(out->why, sizeof out->why,
                 "symbolic has no rule to remove operations of %.60s whose values are not told apart",
                 p->o->type->name);
        return true;
    }
    if (!removal) {
        bool settled = ask_incrementally(p, whole, &fits, out);
        if (fits) return settled;
    }
    bool settled = symbolic_ask_each(p, removal, whole, out);
    if (settled || !removal) return settled;
    if (budget_spent(p->budget)) outcome_stopped(p, out);
    else
        snprintf(out->why, sizeof out->why,
                 "no violation found; operations were removed, and with them what followed from them");
    return true;
}
