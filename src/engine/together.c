/* Just-in-time frontier for operations that take effect together: as frontier.c, but what leads from one way things can stand
 * to the next is a step of several open operations (object/set_spec.h).
 *
 * Nothing is lost by taking steps only when an operation returns that has not ended yet, and only until it has: in an
 * interval-linearization, put off every step to the first return of an operation that ends in it or later. All that begin in it
 * were called by then, because otherwise that operation returned before one of them was called and would have had to end
 * earlier; and nobody who takes part has returned. Cost: n * 3^(operations open at once) steps at most, 2^ for sets. */
#include "engine/state_table.h"
#include "engine/sweep.h"
#include "engine/trail.h"
#include "object/leave_out.h"
#include "object/set_spec.h"

#include <stdio.h>

#define STEP_ENDS_HERE UINT32_MAX /* in the trail: between two steps. Operations stand in it twice: as they begin, as they end. */

typedef struct config {
    uint64_t done;  /* slots of open operations that have ended */
    uint64_t begun; /* that have begun and not ended */
    uint32_t state; /* number in the state table */
    uint32_t trail;
} config;

typedef struct configs {
    config *at;
    uint32_t n, room;
} configs;

typedef enum run_end { RUN_REACHED_END, RUN_NO_WAY, RUN_STOPPED, RUN_TOO_MANY_OPEN } run_end;

typedef struct frontier {
    const problem *p;
    const set_spec *spec;
    bool intervals;
    bool *needless;     /* by position: pending, and it makes no difference whether it is there */
    operation slot[TOGETHER_MAX];
    uint64_t open;
    uint64_t pending;   /* of these: will never return */
    uint64_t returning; /* the slot of the one that returns now */
    uint64_t ahead[TOGETHER_MAX]; /* pending ones that do the same and were called earlier: they begin first */
    uint8_t *slot_of;  /* by position */
    configs now, work; /* before the event; everything reached at the event */
    uint32_t *seen;    /* index into work + 1, by content */
    uint32_t seen_slots;
    state_table states;
    trail trail;
    state after;
    uint32_t rank, returned;
    uint64_t steps;
    unsigned ticks;
    size_t charged;
} frontier;

static uint64_t bit(unsigned slot) { return UINT64_C(1) << slot; }
static unsigned lowest(uint64_t set) { return (unsigned)__builtin_ctzll(set); }

static void configs_add(configs *c, config item) {
    if (c->n == c->room) c->at = MEM_GROW(c->at, config, c->room = c->room ? 2 * c->room : 64);
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

static uint32_t *seen_slot(const frontier *f, const config *c) {
    uint32_t at = (uint32_t)hash_pair(hash_pair(c->done, c->begun), c->state) & (f->seen_slots - 1);
    for (; f->seen[at]; at = (at + 1) & (f->seen_slots - 1)) {
        const config *other = &f->work.at[f->seen[at] - 1];
        if (other->done == c->done && other->begun == c->begun && other->state == c->state) break;
    }
    return &f->seen[at];
}

static void seen_grow(frontier *f) {
    f->seen_slots = f->seen_slots ? 2 * f->seen_slots : 128;
    free(f->seen);
    f->seen = mem_zero(f->seen_slots, sizeof *f->seen);
    for (uint32_t i = 0; i < f->work.n; i++) *seen_slot(f, &f->work.at[i]) = i + 1;
}

static void work_clear(frontier *f) {
    f->work.n = 0;
    if (f->seen) memset(f->seen, 0, f->seen_slots * sizeof *f->seen);
}

/* False: it is there already. */
static bool reach(frontier *f, config c) {
    if (2 * (f->work.n + 1) > f->seen_slots) seen_grow(f);
    uint32_t *slot = seen_slot(f, &c);
    if (*slot) return false;
    configs_add(&f->work, c);
    *slot = f->work.n;
    return true;
}

static uint32_t follow(frontier *f, uint32_t at, const together *t, const value *res) {
    for (uint32_t i = 0; i < t->n; i++)
        if (together_begins(t, i)) at = trail_add(&f->trail, at, t->op[i]->index, VALUE_UNKNOWN);
    for (uint32_t i = 0; i < t->n; i++)
        if (together_ends(t, i)) at = trail_add(&f->trail, at, t->op[i]->index, res[i]);
    return trail_add(&f->trail, at, STEP_ENDS_HERE, VALUE_NONE);
}

/* Every outcome of one step. False when the budget is spent. */
static bool take_step(frontier *f, uint32_t from, uint64_t begins, uint64_t ends) {
    config c = f->work.at[from];
    together t = {.n = 0};
    value res[TOGETHER_MAX];
    for (uint64_t rest = c.begun | begins; rest; rest &= rest - 1) {
        unsigned s = lowest(rest);
        together_add(&t, &f->slot[s], begins & bit(s), ends & bit(s));
    }
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        if (spent(f)) return false;
        f->steps++;
        state_table_get(&f->states, c.state, &f->after);
        r = f->spec->step(f->p->o, &f->after, &t, choice, res);
        if (r == STEP_ILLEGAL) break;
        config next = {c.done | ends, (c.begun | begins) & ~ends, state_table_number(&f->states, &f->after), c.trail};
        if (reach(f, next)) f->work.at[f->work.n - 1].trail = follow(f, c.trail, &t, res);
    }
    return true;
}

/* These begin; of all that take part then, each set that may end. */
static bool begin_with(frontier *f, uint32_t from, uint64_t begins) {
    uint64_t who = f->work.at[from].begun | begins;
    if (!f->intervals) return take_step(f, from, begins, who);
    uint64_t may = f->spec->ends_in_vain ? who & ~f->pending : who;
    for (uint64_t ends = may; ends; ends = (ends - 1) & may)
        if (!take_step(f, from, begins, ends)) return false;
    return true;
}

/* Each set of at most `room` more from `rest` begins as well. */
static bool begin_more(frontier *f, uint32_t from, uint64_t begins, uint64_t rest, uint32_t room) {
    for (; rest && room; rest &= rest - 1) {
        uint64_t with = begins | (rest & -rest);
        if (!begin_with(f, from, with) || !begin_more(f, from, with, rest & (rest - 1), room - 1)) return false;
    }
    return true;
}

/* Every step from this way on: some begin, some of those that have begun end. */
static bool extend(frontier *f, uint32_t from) {
    config c = f->work.at[from];
    uint64_t fresh = f->open & ~c.done & ~c.begun, may = 0;
    for (uint64_t rest = fresh; rest; rest &= rest - 1)
        if (!(f->ahead[lowest(rest)] & fresh)) may |= rest & -rest;
    if (f->intervals && f->spec->late) return take_step(f, from, fresh, f->returning);
    if (f->intervals && f->spec->eager) return !fresh || begin_with(f, from, fresh);
    return begin_more(f, from, 0, may, f->spec->most ? f->spec->most : TOGETHER_MAX);
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

/* A pending operation that has ended in every way needs its slot no more. */
static void free_slots(frontier *f) {
    uint64_t done = f->pending;
    for (uint32_t i = 0; i < f->now.n; i++) done &= f->now.at[i].done;
    if (!done) return;
    for (uint32_t i = 0; i < f->now.n; i++) f->now.at[i].done &= ~done;
    for (unsigned s = 0; s < TOGETHER_MAX; s++) f->ahead[s] &= ~done;
    f->open &= ~done;
    f->pending &= ~done;
}

/* The operation in this slot returns: keep the ways in which it has ended. False when the budget is spent. */
static bool take_return(frontier *f, unsigned s) {
    f->returning = bit(s);
    work_clear(f);
    for (uint32_t i = 0; i < f->now.n; i++) reach(f, f->now.at[i]);
    f->now.n = 0;
    for (uint32_t i = 0; i < f->work.n; i++) {
        config c = f->work.at[i];
        if (c.done & bit(s)) configs_add(&f->now, (config){c.done & ~bit(s), c.begun, c.state, c.trail});
        else if (!extend(f, i)) return false;
    }
    f->open &= ~bit(s);
    free_slots(f);
    f->returned++;
    if (f->p->furthest && f->now.n && f->returned > *f->p->furthest) *f->p->furthest = f->returned;
    if (f->now.n) forget(f);
    return true;
}

/* Two that do the same and never return can be exchanged wherever the later one begins first. */
static bool do_the_same(const object *o, const operation *a, const operation *b) {
    return a->method == b->method && a->nargs == b->nargs && a->key == b->key && !memcmp(a->arg, b->arg, sizeof a->arg) &&
           (!o->type->sees_clients || a->client == b->client);
}

static void line_up(frontier *f, unsigned s) {
    f->ahead[s] = 0;
    for (uint64_t rest = f->pending; rest; rest &= rest - 1)
        if (do_the_same(f->p->o, &f->slot[s], &f->slot[lowest(rest)])) f->ahead[s] = bit(lowest(rest)); /* the last of them suffices */
    f->pending |= bit(s);
}

/* False when there is no slot left. */
static bool take_call(frontier *f, uint32_t position) {
    operation op;
    history_operation(f->p->h, f->p->op[position], &op);
    if (f->needless[position]) return true;
    if (~f->open == 0) return false;
    unsigned s = lowest(~f->open);
    f->slot[s] = op;
    f->slot_of[position] = (uint8_t)s;
    if (op.ret == RANK_NEVER) line_up(f, s);
    f->open |= bit(s);
    return true;
}

/* Pending operations that never began are left out, and those that began never end. */
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
    return RUN_REACHED_END;
}

/* What may leave a right history may as well never have been there, if it is pending (leave_out.h). */
static bool *find_needless(const problem *p) {
    bool *needless = mem_zero(p->n + 1, sizeof *needless), fragile = false;
    leave_out rule;
    object_leave_out(p->o, p->h, p->op, p->n, &rule);
    uint32_t *size = mem_zero(rule.groups + 1, sizeof *size);
    for (uint32_t i = 0; i < p->n; i++) {
        fragile |= rule.flags[i] & LEAVE_FRAGILE;
        if (rule.group[i] != GROUP_KEEP) size[rule.group[i]]++;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        bool by_itself = rule.flags[i] & LEAVE_ALONE || (!fragile && rule.group[i] != GROUP_KEEP && size[rule.group[i]] == 1);
        needless[i] = by_itself && history_pending(p->h, p->op[i]);
    }
    free(size);
    leave_out_free(&rule);
    return needless;
}

static run_end run(frontier *f, const problem *p) {
    *f = (frontier){.p = p, .spec = p->o->type->together, .intervals = object_has_intervals(p->o), .slot_of = mem_alloc(p->n)};
    f->needless = find_needless(p);
    p->o->type->init(p->o, &f->after);
    configs_add(&f->now, (config){0, 0, state_table_number(&f->states, &f->after), TRAIL_ROOT});
    sweep events;
    sweep_init(&events, p, RANK_NEVER);
    run_end end = run_events(f, &events);
    sweep_free(&events);
    return end;
}

static void frontier_free(frontier *f) {
    budget_refund(f->p->budget, f->charged);
    free(f->slot_of);
    free(f->needless);
    free(f->now.at);
    free(f->work.at);
    free(f->seen);
    state_table_free(&f->states);
    trail_free(&f->trail);
    state_free(&f->after);
}

/* ---- the witness ---- */

static uint32_t position_of(const problem *p, uint32_t op) {
    uint32_t low = 0, high = p->n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (p->op[middle] <= op) low = middle;
        else high = middle;
    }
    return low;
}

/* From the trail, in which every operation stands twice, to one line for each: in which steps it begins and ends. A step in which
 * none begins (set_spec.late) is part of the one before. */
static void write_steps(const problem *p, const witness *log, witness *w) {
    uint32_t *place = MEM_ARRAY(uint32_t, p->n), step = 0;
    bool begins = false;
    for (uint32_t i = 0; i < p->n; i++) place[i] = UINT32_MAX;
    *w = (witness){.op = MEM_ARRAY(uint32_t, log->n), .res = MEM_ARRAY(value, log->n), .begins = MEM_ARRAY(uint32_t, log->n),
                   .ends = MEM_ARRAY(uint32_t, log->n)};
    for (uint32_t k = 0; k < log->n; k++) {
        if (log->op[k] == STEP_ENDS_HERE) {
            step += begins;
            begins = false;
            continue;
        }
        uint32_t *at = &place[position_of(p, log->op[k])];
        if (*at == UINT32_MAX) {
            *at = w->n++;
            w->op[*at] = log->op[k];
            w->res[*at] = VALUE_UNKNOWN;
            w->begins[*at] = step;
            w->ends[*at] = STEP_NEVER;
            begins = true;
        } else {
            w->res[*at] = log->res[k];
            w->ends[*at] = begins ? step : step - 1;
        }
    }
    free(place);
}

static void write_witness(const frontier *f, const config *c, witness *out) {
    witness log;
    trail_witness(&f->trail, c->trail, &log);
    write_steps(f->p, &log, out);
    witness_free(&log);
}

static bool accepts_together(const problem *p, text *why_not) {
    if (p->o->type->together) return true;
    text_printf(why_not, "does not know object %s: its operations take effect one by one", p->o->type->name);
    return false;
}

static void decide_together(const problem *p, outcome *out) {
    frontier f;
    run_end end = run(&f, p);
    out->steps = f.steps;
    if (end == RUN_REACHED_END) {
        out->verdict = VERDICT_LINEARIZABLE;
        write_witness(&f, &f.now.at[0], &out->witness);
    } else if (end == RUN_NO_WAY) {
        out->verdict = VERDICT_VIOLATION;
        out->cut = f.rank;
    } else {
        const configs *c = f.now.n ? &f.now : &f.work;
        if (c->n) write_witness(&f, &c->at[0], &out->prefix);
        if (end == RUN_STOPPED) out->stopped = budget_why(p->budget);
        else snprintf(out->why, sizeof out->why, "more than %d operations are open at once", TOGETHER_MAX);
    }
    frontier_free(&f);
}

const engine engine_together = {
    .name = "together",
    .summary = "event by event, every way operations can take effect together: at most 64 open operations",
    .growth = "n * 3^(open operations); sets: 2^",
    .criteria = CRITERION_BIT(CRITERION_SET) | CRITERION_BIT(CRITERION_INTERVAL),
    .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS,
    .cost = COST_FRONTIER,
    .accepts = accepts_together,
    .decide = decide_together,
};
