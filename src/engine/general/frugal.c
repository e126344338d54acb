/* Event by event as the frontier (frontier.c), but pending operations are used as a last resort: at the return of an
 * operation the ways are kept on which it has taken effect with the fewest pending ones. So thousands of them do not
 * multiply the ways things can stand, and are taken where the results of others cannot be explained without them.
 *
 * What is dropped may have been right: when no way is left, the run goes back, a little at first, and keeps ways that
 * use more. An order that is found is a linearization; when none is, nothing is known, and the engine gives up. */
#include "engine/general/reserve.h"
#include "engine/general/state_table.h"
#include "engine/general/sweep.h"
#include "engine/self_check.h"

#include "base/slots.h"
#include "base/table.h"

#include <stdio.h>

enum { SLOTS = 64, STRIDE = 64, MARKS = 128, MOST_TRIES = 4, MOST_AT_ONCE = 6, MOST_WAYS = 1 << 13 };
enum { STEPS_PER_EVENT = 512, STEPS_ANYWAY = 1 << 18, WORTH_IT = 8, MOST_WANTED = 128 };

typedef struct frugal_way {
    uint64_t done;  /* slots of open operations that have taken effect */
    uint32_t state; /* number in the state table */
    uint32_t trail; /* how it came about */
    uint32_t spent; /* pending operations that took effect: in the reserve */
    uint32_t cost;  /* their number */
} frugal_way;

typedef struct frugal_ways {
    frugal_way *at;
    uint32_t n, room;
} frugal_ways;

typedef struct frugal_slots { /* the open operations */
    operation op[SLOTS];
    uint64_t open;
    uint64_t observers; /* of them: change nothing */
} frugal_slots;

typedef struct frugal_mark { /* how things stood before an event */
    uint32_t event;
    frugal_slots slots;
    frugal_ways now;
} frugal_mark;

typedef struct frugal_event {
    uint32_t at : 31, is_return : 1; /* position in p->op */
} frugal_event;

typedef struct frugal {
    const problem *p;
    uint8_t *slot_of; /* by position, of operations that were called and return */
    frugal_event *event;
    uint32_t events, next, furthest;
    frugal_slots slots;
    frugal_ways now, work; /* before the event; everything reached at it, in the order of their costs */
    table seen;            /* of work */
    reserve pending;
    state_table states;
    trail trail;
    state state; /* scratch, for steps */
    frugal_mark *mark;
    uint32_t marks;
    uint32_t slack;           /* ways that cost so much more than the cheapest are kept */
    uint32_t stuck_at, tries; /* the last event that left no way, and how often the run went back from there */
    uint64_t steps;
    unsigned ticks;
    size_t charged;
} frugal;

static void ways_add(frugal_ways *c, frugal_way w) {
    if (c->n == c->room) c->at = MEM_GROW(c->at, frugal_way, c->room = c->room ? 2 * c->room : 64);
    c->at[c->n++] = w;
}

/* ---- which pending operations may matter ---- */

static void sort_pending(frugal *f) {
    const problem *p = f->p;
    uint8_t *needed = mem_alloc((size_t)p->n + 1);
    uint32_t *position = MEM_ARRAY(uint32_t, (size_t)p->n + 1), n = 0;
    object_needed(p->o, p->h, p->op, p->n, needed);
    for (uint32_t i = 0; i < p->n; i++)
        if (history_pending(p->h, p->op[i]) && needed[i]) position[n++] = i;
    reserve_init(&f->pending, p, position, n);
    free(needed);
    free(position);
}

/* ---- steps ---- */

/* Others may be faster when it does not come on. */
static bool is_spent(frugal *f) {
    if ((f->ticks & 1023) == 0) {
        size_t size = state_table_memory(&f->states) + trail_memory(&f->trail) + table_memory(&f->seen) +
                      (f->now.room + f->work.room) * sizeof(frugal_way);
        if (size > f->charged) budget_charge(f->p->budget, size - f->charged);
        else budget_refund(f->p->budget, f->charged - size);
        f->charged = size;
    }
    return budget_tick(f->p->budget, &f->ticks) ||
           f->steps > (uint64_t)STEPS_PER_EVENT * f->furthest + (uint64_t)STEPS_ANYWAY;
}

static step_result try_step(frugal *f, uint32_t state_number, const operation *op, uint32_t choice, value *res) {
    f->steps++;
    state_table_get(&f->states, state_number, &f->state);
    return f->p->o->type->step(f->p->o, &f->state, op, choice, res);
}

static uint32_t way_hash(const frugal_way *c) { return (uint32_t)hash_pair(c->done, c->state); }
static uint32_t hash_of_frugal_way(const void *ways, uint32_t i) {
    return way_hash(&((const frugal_ways *)ways)->at[i]);
}

static bool is_frugal_way(const void *ways, uint32_t i, const void *key) {
    const frugal_way *a = &((const frugal_ways *)ways)->at[i], *b = key;
    return a->done == b->done && a->state == b->state;
}

typedef struct frugal_step { /* that leads to a way; index NO_MEMBER: none does */
    uint32_t index, kind;    /* kind NO_MEMBER: it was open */
    value res;
} frugal_step;

static uint64_t fitting_observers(frugal *f, const frugal_way *c) {
    uint64_t fit = 0;
    for (uint64_t rest = f->slots.observers & ~c->done; rest; rest &= rest - 1) {
        value res;
        if (try_step(f, c->state, &f->slots.op[slot_lowest(rest)], 0, &res) != STEP_ILLEGAL) fit |= rest & -rest;
    }
    return fit;
}

/* A way, with all open operations that change nothing and fit it; of two that differ in what they cost the cheaper one
 * comes first. */
static void reach(frugal *f, frugal_way c, frugal_step by) {
    uint64_t fit = fitting_observers(f, &c);
    c.done |= fit;
    if (table_find(&f->seen, way_hash(&c), is_frugal_way, &f->work, &c) != TABLE_NONE) return;
    assert(!f->work.n || f->work.at[f->work.n - 1].cost <= c.cost);
    if (by.index != NO_MEMBER) c.trail = trail_add(&f->trail, c.trail, by.index, by.res);
    if (by.index != NO_MEMBER && by.kind != NO_MEMBER)
        c.spent = trail_add(&f->pending.spent, c.spent, by.kind, VALUE_NONE);
    for (; fit; fit &= fit - 1) {
        const operation *op = &f->slots.op[slot_lowest(fit)];
        c.trail = trail_add(&f->trail, c.trail, op->index, op->res);
    }
    table_add(&f->seen, way_hash(&c), hash_of_frugal_way, &f->work, f->work.n);
    ways_add(&f->work, c);
}

/* Every way in which this operation takes effect next. */
static void take_effect(frugal *f, frugal_way c, const operation *op, uint64_t slot, frugal_step by) {
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        r = try_step(f, c.state, op, choice, &by.res);
        if (r == STEP_ILLEGAL) return;
        uint32_t after = state_table_number(&f->states, &f->state);
        if (slot || after != c.state)
            reach(f, (frugal_way){c.done | slot, after, c.trail, c.spent, c.cost + !slot}, by);
    }
}

static void extend(frugal *f, frugal_way c) {
    for (uint64_t rest = f->slots.open & ~c.done & ~f->slots.observers; rest; rest &= rest - 1) {
        const operation *op = &f->slots.op[slot_lowest(rest)];
        take_effect(f, c, op, rest & -rest, (frugal_step){.index = op->index, .kind = NO_MEMBER});
    }
}

static bool extend_by_kind(frugal *f, frugal_way c, uint32_t k, uint32_t rank) {
    uint32_t index = reserve_next(&f->pending, c.spent, k, rank);
    if (index == NO_MEMBER) return false;
    operation op = f->pending.kind[k].op;
    op.index = index;
    take_effect(f, c, &op, 0, (frugal_step){.index = index, .kind = k});
    return true;
}

typedef struct frugal_wants { /* values that operations look for which have yet to take effect */
    value v[MOST_WANTED];
    int n;
    bool any; /* others may matter as well */
} frugal_wants;

static void add_wants(const frugal *f, const operation *op, frugal_wants *w) {
    value v[2];
    const int n = f->p->o->type->looks_for(f->p->o, op, v);
    w->any |= n == LOOKS_FOR_ANY;
    for (int i = 0; i < n; i++) {
        int at = 0;
        while (at < w->n && w->v[at] != v[i]) at++;
        if (at == w->n && w->n < MOST_WANTED) w->v[w->n++] = v[i];
    }
}

/* What is looked for, and what pending operations look for that bring it about. Where any value will do, that of the
 * first write will whose value nothing looks for. */
static void extend_by_wanted(frugal *f, frugal_way c, uint32_t rank) {
    frugal_wants w = {0};
    for (uint64_t rest = f->slots.open & ~c.done; rest; rest &= rest - 1)
        add_wants(f, &f->slots.op[slot_lowest(rest)], &w);
    for (int i = 0; i < w.n; i++)
        for (uint32_t k = reserve_bringing(&f->pending, w.v[i]); k != NO_MEMBER; k = f->pending.kind[k].next) {
            add_wants(f, &f->pending.kind[k].op, &w);
            extend_by_kind(f, c, k, rank);
        }
    const reserve *r = &f->pending;
    bool taken = !w.any;
    for (uint32_t i = r->idle_from; i < r->idle_n && !taken; i++) {
        const uint32_t member = r->member[r->kind[r->idle[i]].first];
        if (f->p->h->call[member] > rank) break; /* they are in the order of their calls */
        taken = extend_by_kind(f, c, r->idle[i], rank);
    }
    for (uint32_t k = 0; k < r->kinds && !taken; k++) extend_by_kind(f, c, k, rank);
}

static void extend_by_pending(frugal *f, frugal_way c, uint32_t rank) {
    if (f->pending.waits) {
        extend_by_wanted(f, c, rank);
        return;
    }
    for (uint32_t k = 0; k < f->pending.kinds; k++) extend_by_kind(f, c, k, rank);
}

/* ---- events ---- */

static uint32_t least_cost(const frugal_ways *c) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->at[i].cost < least) least = c->at[i].cost;
    return least;
}

static void begin_level(frugal *f, const frugal_ways *from, uint32_t cost) {
    for (uint32_t i = 0; i < from->n; i++)
        if (from->at[i].cost == cost) reach(f, from->at[i], (frugal_step){.index = NO_MEMBER});
}

/* The operation in this slot returns: level by level of cost, until ways are found on which it has taken effect, and
 * then as far as the slack goes. False when the budget is spent. */
static bool close_under(frugal *f, uint64_t slot, uint32_t rank) {
    frugal_ways before = f->now;
    uint32_t least = least_cost(&before), last = least + MOST_AT_ONCE, at = 0, level_before = 0;
    bool found = false, go_on = true;
    f->now = (frugal_ways){0};
    f->work.n = 0;
    table_clear(&f->seen);
    for (uint32_t cost = least; cost <= last && go_on && f->work.n < MOST_WAYS; cost++) {
        uint32_t level = f->work.n;
        begin_level(f, &before, cost);
        for (uint32_t i = level_before; i < level && go_on && f->work.n < MOST_WAYS; i++) {
            if (!(f->work.at[i].done & slot)) extend_by_pending(f, f->work.at[i], rank);
            go_on = !is_spent(f);
        }
        for (; at < f->work.n && go_on; at++) {
            frugal_way c = f->work.at[at];
            go_on = !is_spent(f);
            if (c.done & slot) ways_add(&f->now, c);
            else if (f->work.n < MOST_WAYS) extend(f, c);
        }
        if (!found && f->now.n) last = cost + f->slack;
        found = f->now.n > 0;
        level_before = level;
    }
    free(before.at);
    return go_on;
}

static bool all_have(const frugal *f, uint64_t slot) {
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!(f->now.at[i].done & slot)) return false;
    return true;
}

static void free_slot(frugal *f, uint64_t slot) {
    for (uint32_t i = 0; i < f->now.n; i++) f->now.at[i].done &= ~slot;
    f->slots.open &= ~slot;
    f->slots.observers &= ~slot;
}

static bool take_return(frugal *f, unsigned slot, uint32_t rank) {
    if (!all_have(f, slot_bit(slot)) && !close_under(f, slot_bit(slot), rank)) return false;
    if (!f->now.n) return true;
    free_slot(f, slot_bit(slot));
    return true;
}

/* False when there is no slot left. */
static bool take_call(frugal *f, uint32_t position) {
    if (history_pending(f->p->h, f->p->op[position])) return true;
    if (~f->slots.open == 0) return false;
    unsigned slot = slot_lowest(~f->slots.open);
    operation *op = &f->slots.op[slot];
    history_operation(f->p->h, f->p->op[position], op);
    f->slot_of[position] = (uint8_t)slot;
    f->slots.open |= slot_bit(slot);
    if (op->res != VALUE_UNKNOWN && object_changes_nothing(f->p->o, op)) f->slots.observers |= slot_bit(slot);
    return true;
}

/* ---- going back ---- */

static void mark_free(frugal_mark *m, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) free(m[i].now.at);
}

static void copy_ways(frugal_ways *to, const frugal_ways *from) {
    to->n = 0;
    for (uint32_t i = 0; i < from->n; i++) ways_add(to, from->at[i]);
}

static void set_mark(frugal *f) {
    if (f->marks == MARKS) {
        mark_free(f->mark, MARKS / 2);
        memmove(f->mark, f->mark + MARKS / 2, MARKS / 2 * sizeof *f->mark);
        f->marks = MARKS / 2;
    }
    frugal_mark *m = &f->mark[f->marks++];
    *m = (frugal_mark){.event = f->next, .slots = f->slots};
    copy_ways(&m->now, &f->now);
}

/* Further each time, with more slack. False: it has been tried often enough. */
static bool go_back(frugal *f) {
    uint32_t strides = 1;
    if (f->next > f->stuck_at + STRIDE || f->tries == 0) f->tries = 0;
    if (f->next > f->stuck_at) f->stuck_at = f->next;
    if (f->tries++ == MOST_TRIES) return false;
    f->slack = f->tries;
    for (uint32_t t = 1; t < f->tries; t++) strides *= 4;
    assert(f->marks > 0);
    uint32_t kept = f->marks > strides ? f->marks - strides : 1;
    mark_free(f->mark + kept, f->marks - kept);
    f->marks = kept;
    const frugal_mark *m = &f->mark[kept - 1];
    f->next = m->event;
    f->slots = m->slots;
    copy_ways(&f->now, &m->now);
    return true;
}

/* What neither the ways nor the marks need. */
static void forget(frugal *f) {
    bool states = state_table_is_long(&f->states), trails = trail_is_long(&f->trail);
    if (!states && !trails && !trail_is_long(&f->pending.spent)) return;
    uint32_t n = f->now.n, at = 0;
    for (uint32_t i = 0; i < f->marks; i++) n += f->mark[i].now.n;
    frugal_way **way = MEM_ARRAY(frugal_way *, n);
    uint32_t **needed = MEM_ARRAY(uint32_t *, n);
    for (uint32_t i = 0; i < f->now.n; i++) way[at++] = &f->now.at[i];
    for (uint32_t i = 0; i < f->marks; i++)
        for (uint32_t k = 0; k < f->mark[i].now.n; k++) way[at++] = &f->mark[i].now.at[k];
    for (uint32_t i = 0; i < n; i++) needed[i] = &way[i]->state;
    state_table_retain(&f->states, needed, n);
    for (uint32_t i = 0; i < n; i++) needed[i] = &way[i]->trail;
    trail_retain(&f->trail, needed, n);
    for (uint32_t i = 0; i < n; i++) needed[i] = &way[i]->spent;
    reserve_retain(&f->pending, needed, n);
    free(way);
    free(needed);
}

/* ---- the run ---- */

typedef enum frugal_end { FRUGAL_FOUND, FRUGAL_STOPPED, FRUGAL_STUCK, FRUGAL_NO_SLOT } frugal_end;

static void go_on(frugal *f) {
    if (f->next++ > f->stuck_at) f->slack = 0;
    if (f->next > f->furthest) f->furthest = f->next;
    _Atomic uint32_t *shown = f->p->furthest;
    if (shown && f->furthest / 2 > *shown) *shown = f->furthest / 2;
    forget(f);
}

static frugal_end run(frugal *f) {
    while (f->next < f->events) {
        frugal_event e = f->event[f->next];
        if (is_spent(f)) return FRUGAL_STOPPED;
        if (f->next % STRIDE == 0 && (!f->marks || f->mark[f->marks - 1].event != f->next)) set_mark(f);
        if (!e.is_return && !take_call(f, e.at)) return FRUGAL_NO_SLOT;
        if (e.is_return && !take_return(f, f->slot_of[e.at], f->p->h->ret[f->p->op[e.at]])) return FRUGAL_STOPPED;
        if (f->now.n) go_on(f);
        else if (!go_back(f)) return FRUGAL_STUCK;
    }
    return FRUGAL_FOUND;
}

static void list_events(frugal *f) {
    sweep events;
    sweep_event e;
    f->event = MEM_ARRAY(frugal_event, 2 * (size_t)f->p->n + 1);
    sweep_init(&events, f->p, RANK_NEVER);
    while (sweep_next(&events, &e)) f->event[f->events++] = (frugal_event){e.at & INT32_MAX, e.is_return};
    sweep_free(&events);
}

static void frugal_init(frugal *f, const problem *p) {
    *f = (frugal){.p = p, .slot_of = mem_alloc((size_t)p->n + 1), .mark = MEM_ARRAY(frugal_mark, MARKS)};
    sort_pending(f);
    list_events(f);
    p->o->type->init(p->o, &f->state);
    ways_add(
        &f->now,
        (frugal_way){.state = state_table_number(&f->states, &f->state), .trail = TRAIL_ROOT, .spent = TRAIL_ROOT});
}

static void frugal_free(frugal *f) {
    budget_refund(f->p->budget, f->charged);
    mark_free(f->mark, f->marks);
    FREE_ALL(f->slot_of, f->event, f->now.at, f->work.at, f->mark);
    table_free(&f->seen);
    reserve_free(&f->pending);
    state_table_free(&f->states);
    trail_free(&f->trail);
    state_free(&f->state);
}

static void decide(const problem *p, outcome *out) {
    frugal f;
    frugal_init(&f, p);
    frugal_end end = run(&f);
    out->steps = f.steps;
    if (end == FRUGAL_FOUND) {
        out->verdict = VERDICT_LINEARIZABLE;
        trail_witness(&f.trail, f.now.at[0].trail, &out->witness);
    } else if (budget_spent(p->budget)) {
        out->stopped = budget_why(p->budget);
    } else if (end == FRUGAL_NO_SLOT) {
        snprintf(out->why, sizeof out->why, "more than %d operations are open at once", SLOTS);
    } else {
        snprintf(out->why, sizeof out->why, "no order was found in which few pending operations take effect");
    }
    if (end != FRUGAL_FOUND && f.now.n) trail_witness(&f.trail, f.now.at[0].trail, &out->prefix);
    frugal_free(&f);
}

static bool accepts(const problem *p, text *why_not) {
    if (p->o->type->may_end) text_add(why_not, "does not decide objects with half-way states");
    return !p->o->type->may_end;
}

/* Where few operations are pending the others are as fast, and can tell a violation. Of elements in a line the order
 * shows so late that going back does not help. */
static bool fits(const problem *p) {
    uint32_t pending = 0;
    if (p->o->type->ends) return false;
    for (uint32_t i = 0; i < p->n && pending < WORTH_IT; i++) pending += history_pending(p->h, p->op[i]);
    return pending == WORTH_IT;
}

ENGINE_RECORD(engine_frugal, "frugal",
              "event by event, ways that use the fewest pending operations, which it may fail to find",
              .growth = "n * 2^(open operations)", .promises = PROMISES_SOUND | PROMISES_WITNESS,
              .cost = COST_NEAR_LINEAR, .fits = fits, .accepts = accepts, .decide = decide);
