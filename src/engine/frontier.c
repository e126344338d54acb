/* Just-in-time frontier (after Lowe, "Testing for linearizability", 2017): the events are taken in order, and the
 * frontier holds every way things can stand: which of the open operations have taken effect, and the object's state.
 * At the return of an operation, ways in which it has not taken effect are extended by open operations until it has;
 * an operation is thus never linearized before somebody needs it. No way left: a violation.
 *
 * Two configurations with the same operations done and the same state have the same future, an operation that changes
 * nothing may as well take effect as soon as it fits, and of two that do the same the one that returns first may as well
 * go first (exchange them in any linearization). Cost: n * 2^(operations open at once) steps at most. */
#include "engine/state_table.h"
#include "engine/sweep.h"
#include "engine/trail.h"

#include <stdio.h>

enum { SLOTS = 64 };

typedef struct config {
    uint64_t done;  /* slots of open operations that have taken effect */
    uint32_t state; /* number in the state table */
    uint32_t trail; /* how it came about */
} config;

typedef struct configs {
    config *at;
    uint32_t n, room;
} configs;

typedef struct seen_slot {
    uint32_t generation, index;
} seen_slot;

typedef enum run_end { RUN_REACHED_END, RUN_NO_WAY, RUN_STOPPED, RUN_TOO_MANY_OPEN } run_end;

typedef struct frontier {
    const problem *p;
    uint32_t cut;         /* of the history that is decided */
    bool keep_trail;
    operation slot[SLOTS];
    uint64_t open;        /* slots in use */
    uint64_t observers;   /* of these, operations that change nothing */
    uint64_t ahead[SLOTS]; /* open operations that do the same and go first */
    uint8_t *slot_of;     /* by position */
    configs now, work;    /* before the event; everything reached at the event */
    seen_slot *seen;      /* index into work by content */
    uint32_t seen_slots, generation;
    state_table states;
    trail trail;
    state before, after;
    uint32_t rank, returned;
    uint64_t steps;
    unsigned ticks;
    size_t charged;
} frontier;

static uint64_t bit(unsigned slot) { return UINT64_C(1) << slot; }
static unsigned lowest(uint64_t set) { return (unsigned)__builtin_ctzll(set); }

static void configs_add(configs *c, config item) {
    if (c->n == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->at = MEM_GROW(c->at, config, c->room);
    }
    c->at[c->n++] = item;
}

static void charge(frontier *f) {
    size_t size = state_table_memory(&f->states) + trail_memory(&f->trail) + f->seen_slots * sizeof *f->seen +
                  (f->now.room + f->work.room) * sizeof(config) + f->p->n;
    if (size > f->charged) budget_charge(f->p->budget, size - f->charged);
    else budget_refund(f->p->budget, f->charged - size);
    f->charged = size;
}

static bool spent(frontier *f) {
    if ((f->ticks & 1023) == 0) charge(f);
    return budget_tick(f->p->budget, &f->ticks);
}

/* ---- what was reached at this event ---- */

static void seen_grow(frontier *f) {
    f->seen_slots = f->seen_slots ? 2 * f->seen_slots : 128;
    free(f->seen);
    f->seen = mem_zero(f->seen_slots, sizeof *f->seen);
    f->generation = 1;
    for (uint32_t i = 0; i < f->work.n; i++) {
        uint32_t at = (uint32_t)hash_pair(f->work.at[i].done, f->work.at[i].state) & (f->seen_slots - 1);
        while (f->seen[at].generation) at = (at + 1) & (f->seen_slots - 1);
        f->seen[at] = (seen_slot){1, i};
    }
}

static void seen_clear(frontier *f) {
    f->work.n = 0;
    if (++f->generation) return;
    memset(f->seen, 0, f->seen_slots * sizeof *f->seen);
    f->generation = 1;
}

/* True when the configuration is new; the caller adds it to `work`. */
static bool seen_first(frontier *f, uint64_t done, uint32_t state_number) {
    if (2 * (f->work.n + 1) > f->seen_slots) seen_grow(f);
    uint32_t at = (uint32_t)hash_pair(done, state_number) & (f->seen_slots - 1);
    for (; f->seen[at].generation == f->generation; at = (at + 1) & (f->seen_slots - 1)) {
        const config *c = &f->work.at[f->seen[at].index];
        if (c->done == done && c->state == state_number) return false;
    }
    f->seen[at] = (seen_slot){f->generation, f->work.n};
    return true;
}

static uint32_t follow(frontier *f, uint32_t parent, const operation *op, value res) {
    return f->keep_trail ? trail_add(&f->trail, parent, op->index, res) : TRAIL_ROOT;
}

static step_result try_step(frontier *f, uint32_t state_number, const operation *op, uint32_t choice, value *res) {
    f->steps++;
    state_table_get(&f->states, state_number, &f->after);
    return f->p->o->type->step(f->p->o, &f->after, op, choice, res);
}

/* The open operations that change nothing and fit the state. */
static uint64_t fitting_observers(frontier *f, uint64_t done, uint32_t state_number) {
    uint64_t fit = 0;
    for (uint64_t rest = f->observers & ~done; rest; rest &= rest - 1) {
        value res;
        if (try_step(f, state_number, &f->slot[lowest(rest)], 0, &res) != STEP_ILLEGAL) fit |= rest & -rest;
    }
    return fit;
}

/* A way things can stand, with the observers that fit it; `step` is the operation that led here, or NULL. */
static void reach(frontier *f, config c, const operation *step, value res) {
    uint64_t fit = fitting_observers(f, c.done, c.state);
    if (!seen_first(f, c.done | fit, c.state)) return;
    if (step) c.trail = follow(f, c.trail, step, res);
    for (uint64_t rest = fit; rest; rest &= rest - 1) {
        const operation *op = &f->slot[lowest(rest)];
        c.trail = follow(f, c.trail, op, op->res);
    }
    c.done |= fit;
    configs_add(&f->work, c);
}

/* Every way in which one more open operation takes effect. False when the budget is spent. */
static bool extend(frontier *f, config c) {
    for (uint64_t rest = f->open & ~c.done & ~f->observers; rest; rest &= rest - 1) {
        unsigned s = lowest(rest);
        if (f->ahead[s] & ~c.done) continue;
        step_result r = STEP_LEGAL_MORE;
        for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
            value res;
            if (spent(f)) return false;
            r = try_step(f, c.state, &f->slot[s], choice, &res);
            if (r == STEP_ILLEGAL) break;
            reach(f, (config){c.done | bit(s), state_table_number(&f->states, &f->after), c.trail}, &f->slot[s], res);
        }
    }
    return true;
}

/* ---- between events ---- */

static void forget(frontier *f) {
    bool states = state_table_is_long(&f->states), trails = trail_is_long(&f->trail);
    if (!states && !trails) return;
    uint32_t **needed = MEM_ARRAY(uint32_t *, f->now.n);
    for (uint32_t i = 0; i < f->now.n; i++) needed[i] = &f->now.at[i].state;
    if (states) state_table_retain(&f->states, needed, f->now.n);
    for (uint32_t i = 0; i < f->now.n; i++) needed[i] = &f->now.at[i].trail;
    if (trails) trail_retain(&f->trail, needed, f->now.n);
    free(needed);
}

static bool all_have(const frontier *f, uint64_t slot) {
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!(f->now.at[i].done & slot)) return false;
    return true;
}

/* The operation in this slot returns: keep the ways in which it has taken effect. False when the budget is spent. */
static bool close_under(frontier *f, uint64_t slot) {
    seen_clear(f);
    for (uint32_t i = 0; i < f->now.n; i++) reach(f, f->now.at[i], NULL, VALUE_NONE);
    f->now.n = 0;
    for (uint32_t i = 0; i < f->work.n; i++) {
        config c = f->work.at[i];
        if (c.done & slot) configs_add(&f->now, c);
        else if (!extend(f, c)) return false;
    }
    return true;
}

static bool take_return(frontier *f, unsigned s) {
    if (!all_have(f, bit(s)) && !close_under(f, bit(s))) return false;
    for (uint32_t i = 0; i < f->now.n; i++) f->now.at[i].done &= ~bit(s);
    if (!f->now.n) return true; /* the slots still say what was open */
    f->open &= ~bit(s);
    f->observers &= ~bit(s);
    for (uint64_t rest = f->open; rest; rest &= rest - 1) f->ahead[lowest(rest)] &= ~bit(s);
    f->returned++;
    if (f->p->furthest && f->returned > *f->p->furthest) *f->p->furthest = f->returned;
    forget(f);
    return true;
}

/* Not of an object with half-way states (exchanger): its step looks at the times of the operation, not only at what it is. */
static bool do_the_same(const object *o, const operation *a, const operation *b) {
    if (o->type->may_end) return false;
    return a->method == b->method && a->res == b->res && a->nargs == b->nargs && a->key == b->key &&
           !memcmp(a->arg, b->arg, sizeof a->arg) && (!o->type->sees_clients || a->client == b->client);
}

/* Who goes first among those that do the same as the new operation in slot s; pending ones by their calls. */
static void line_up(frontier *f, unsigned s) {
    const operation *op = &f->slot[s];
    f->ahead[s] = 0;
    for (uint64_t rest = f->open & ~f->observers; rest; rest &= rest - 1) {
        unsigned other = lowest(rest);
        if (!do_the_same(f->p->o, op, &f->slot[other])) continue;
        if (op->ret < f->slot[other].ret) f->ahead[other] |= bit(s);
        else f->ahead[s] |= bit(other);
    }
}

/* False when there is no slot left. */
static bool take_call(frontier *f, uint32_t position) {
    operation op;
    history_operation(f->p->h, f->p->op[position], &op);
    if (op.ret > f->cut) {
        op.ret = RANK_NEVER;
        op.res = VALUE_UNKNOWN;
    }
    if (object_negligible(f->p->o, &op)) return true;
    if (~f->open == 0) return false;
    unsigned s = lowest(~f->open);
    f->slot[s] = op;
    f->slot_of[position] = (uint8_t)s;
    if (op.res != VALUE_UNKNOWN && object_changes_nothing(f->p->o, &op)) f->observers |= bit(s);
    else line_up(f, s);
    f->open |= bit(s);
    return true;
}

/* May the history end here, or after some pending operations have taken effect? Leaves one such way in now[0]. */
static run_end reach_end(frontier *f) {
    seen_clear(f);
    for (uint32_t i = 0; i < f->now.n; i++) reach(f, f->now.at[i], NULL, VALUE_NONE);
    for (uint32_t i = 0; i < f->work.n; i++) {
        config c = f->work.at[i];
        state_table_get(&f->states, c.state, &f->before);
        if (object_may_end(f->p->o, &f->before)) {
            f->now.n = 0;
            configs_add(&f->now, c);
            return RUN_REACHED_END;
        }
        if (!extend(f, c)) return RUN_STOPPED;
    }
    return RUN_NO_WAY;
}

static run_end run_events(frontier *f, sweep *events) {
    sweep_event e;
    while (sweep_next(events, &e)) {
        f->rank = e.rank;
        if (spent(f)) return RUN_STOPPED;
        if (!e.is_return) {
            if (!take_call(f, e.at)) return RUN_TOO_MANY_OPEN;
            continue;
        }
        if (!take_return(f, f->slot_of[e.at])) return RUN_STOPPED;
        if (!f->now.n) return RUN_NO_WAY;
    }
    return reach_end(f);
}

static run_end run(frontier *f, const problem *p, uint32_t cut, bool keep_trail) {
    *f = (frontier){.p = p, .cut = cut, .keep_trail = keep_trail, .slot_of = mem_alloc(p->n)};
    p->o->type->init(p->o, &f->before);
    configs_add(&f->now, (config){0, state_table_number(&f->states, &f->before), TRAIL_ROOT});
    sweep events;
    sweep_init(&events, p, cut);
    run_end end = run_events(f, &events);
    sweep_free(&events);
    return end;
}

static void frontier_free(frontier *f) {
    budget_refund(f->p->budget, f->charged);
    free(f->slot_of);
    free(f->now.at);
    free(f->work.at);
    free(f->seen);
    state_table_free(&f->states);
    trail_free(&f->trail);
    state_free(&f->before);
    state_free(&f->after);
}

/* ---- the earliest event ----
 * The run used the results of operations that were open when it failed, which the history cut there does not have. The
 * cut is certain once those have returned, and a history cut later is a violation if one cut earlier is: bisection. */

static uint32_t certain_cut(const frontier *f) {
    uint32_t cut = f->rank;
    for (uint64_t rest = f->open; rest; rest &= rest - 1) {
        const operation *op = &f->slot[lowest(rest)];
        bool matters = op->ret != RANK_NEVER && !(object_method(f->p->o, op)->role & ROLE_OBSERVES);
        if (matters && op->ret > cut) cut = op->ret;
    }
    return cut;
}

static int by_rank(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t *returns_between(const problem *p, uint32_t from, uint32_t to, uint32_t *n) {
    uint32_t *rank = MEM_ARRAY(uint32_t, p->n);
    *n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t ret = p->h->ret[p->op[i]];
        if (ret >= from && ret <= to) rank[(*n)++] = ret;
    }
    qsort(rank, *n, sizeof *rank, by_rank);
    return rank;
}

static uint32_t earliest_cut(const problem *p, uint32_t from, uint32_t certain, uint64_t *steps) {
    uint32_t n, *rank = returns_between(p, from, certain, &n);
    uint32_t low = 0, high = n - 1; /* high: known to be a violation */
    for (uint32_t probe = 0; low < high; probe = low + (high - low) / 2) { /* mostly it is the first */
        frontier f;
        run_end end = run(&f, p, rank[probe], false);
        *steps += f.steps;
        frontier_free(&f);
        if (end == RUN_NO_WAY) high = probe;
        else if (end == RUN_REACHED_END) low = probe + 1;
        else break;
    }
    uint32_t cut = rank[high];
    free(rank);
    return cut;
}

static void decide_frontier(const problem *p, outcome *out) {
    frontier f;
    run_end end = run(&f, p, RANK_NEVER, true);
    out->steps = f.steps;
    if (end == RUN_REACHED_END) {
        out->verdict = VERDICT_LINEARIZABLE;
        trail_witness(&f.trail, f.now.at[0].trail, &out->witness);
    } else if (end == RUN_NO_WAY) {
        uint32_t rank = f.rank, certain = certain_cut(&f);
        out->verdict = VERDICT_VIOLATION;
        if (p->o->type->may_end) out->cut = RANK_NEVER; /* half-way states hide a violation until later */
        else out->cut = certain == rank ? rank : earliest_cut(p, rank, certain, &out->steps);
    } else {
        const configs *c = f.now.n ? &f.now : &f.work;
        if (c->n) trail_witness(&f.trail, c->at[0].trail, &out->prefix);
        if (end == RUN_STOPPED) out->stopped = budget_why(p->budget);
        else snprintf(out->why, sizeof out->why, "more than %d operations are open at once", SLOTS);
    }
    frontier_free(&f);
}

const engine engine_frontier = {
    .name = "frontier",
    .summary = "event by event, every way things can stand: any object, at most 64 open operations",
    .growth = "n * 2^(open operations)",
    .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS,
    .criteria = CRITERIA_STEPWISE,
    .cost = COST_FRONTIER,
    .decide = decide_frontier,
};
