/* Just-in-time frontier for operations that take effect together: as frontier.c, but what leads from one way things can
 * stand to the next is a step of several open operations (object/set_spec.h).
 *
 * Nothing is lost by taking steps only when an operation returns that has not ended yet, and only until it has: in
 * an interval-linearization, put off every step to the first return of an operation that ends in it or later. All
 * that begin in it were called by then, because otherwise that operation returned before one of them was called and
 * would have had to end earlier; and no operation of the step has returned. Cost: n * 3^(operations open at once)
 * steps at most, 2^ for sets. */
#include "engine/general/front.h"
#include "engine/self_check.h"
#include "object/leave_out.h"
#include "object/set_spec.h"

/* in the trail: between two steps. Operations stand in it twice: as they begin, as they end. */
#define STEP_ENDS_HERE UINT32_MAX

_Static_assert((int)FRONT_SLOTS <= (int)TOGETHER_MAX, "all that are open may take effect together");

typedef struct together_front {
    front s; /* first */
    const set_spec *spec;
    bool intervals;
    bool *needless;              /* by position: pending, and it makes no difference whether it is there */
    uint64_t pending;            /* of the open operations: will never return */
    uint64_t returning;          /* the slot of the one that returns now */
    uint64_t ahead[FRONT_SLOTS]; /* pending ones that do the same and were called earlier: they begin first */
} together_front;

/* False: it is there already. */
static bool reach(together_front *f, front_way c) {
    assert(!c.begun || f->intervals);
    bool is_new = front_is_new(&f->s, &c);
    if (is_new) front_ways_add(&f->s.work, c);
    return is_new;
}

static uint32_t follow(together_front *f, uint32_t at, const together *t, const value *res) {
    for (uint32_t i = 0; i < t->n; i++)
        if (together_begins(t, i)) at = trail_add(&f->s.trail, at, t->op[i]->index, VALUE_UNKNOWN);
    for (uint32_t i = 0; i < t->n; i++)
        if (together_ends(t, i)) at = trail_add(&f->s.trail, at, t->op[i]->index, res[i]);
    return trail_add(&f->s.trail, at, STEP_ENDS_HERE, VALUE_NONE);
}

/* Every outcome of one step. False when the budget is spent. */
static bool take_step(together_front *f, uint32_t from, uint64_t begins, uint64_t ends) {
    front_way c = f->s.work.at[from];
    assert(!(ends & ~(c.begun | begins)) && !(begins & (c.done | c.begun)) && !(begins & ~f->s.open));
    together t = {.n = 0};
    value res[TOGETHER_MAX];
    for (uint64_t rest = c.begun | begins; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        together_add(&t, &f->s.slot[s], begins & slot_bit(s), ends & slot_bit(s));
    }
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        if (front_spent(&f->s)) return false;
        f->s.steps++;
        state_table_get(&f->s.states, c.state, &f->s.state);
        r = f->spec->step(f->s.p->o, &f->s.state, &t, choice, res);
        if (r == STEP_ILLEGAL) break;
        front_way next = {c.done | ends, (c.begun | begins) & ~ends, state_table_number(&f->s.states, &f->s.state),
                          c.trail};
        if (reach(f, next)) f->s.work.at[f->s.work.n - 1].trail = follow(f, c.trail, &t, res);
    }
    return true;
}

/* These begin; of all that take part then, each set that may end. */
static bool begin_with(together_front *f, uint32_t from, uint64_t begins) {
    uint64_t who = f->s.work.at[from].begun | begins;
    if (!f->intervals) return take_step(f, from, begins, who);
    uint64_t may = f->spec->end_may_be_omitted ? who & ~f->pending : who;
    for (uint64_t ends = may; ends; ends = (ends - 1) & may)
        if (!take_step(f, from, begins, ends)) return false;
    return true;
}

/* Each set of at most `room` more from `rest` begins as well. */
static bool begin_more(together_front *f, uint32_t from, uint64_t begins, uint64_t rest, uint32_t room) {
    for (; rest && room; rest &= rest - 1) {
        uint64_t with = begins | (rest & -rest);
        if (!begin_with(f, from, with) || !begin_more(f, from, with, rest & (rest - 1), room - 1)) return false;
    }
    return true;
}

/* Every step from this way on: some begin, some of those that have begun end. */
static bool extend(together_front *f, uint32_t from) {
    front_way c = f->s.work.at[from];
    uint64_t fresh = f->s.open & ~c.done & ~c.begun, may = 0;
    for (uint64_t rest = fresh; rest; rest &= rest - 1)
        if (!(f->ahead[slot_lowest(rest)] & fresh)) may |= rest & -rest;
    if (f->intervals && f->spec->late) return take_step(f, from, fresh, f->returning);
    if (f->intervals && f->spec->eager) return !fresh || begin_with(f, from, fresh);
    return begin_more(f, from, 0, may, f->spec->most ? f->spec->most : TOGETHER_MAX);
}

/* ---- between events ---- */

/* A pending operation that has ended in every way needs its slot no more. */
static void free_slots(together_front *f) {
    uint64_t done = f->pending;
    for (uint32_t i = 0; i < f->s.now.n; i++) done &= f->s.now.at[i].done;
    if (!done) return;
    for (uint32_t i = 0; i < f->s.now.n; i++) f->s.now.at[i].done &= ~done;
    for (unsigned s = 0; s < TOGETHER_MAX; s++) f->ahead[s] &= ~done;
    assert(!(done & ~f->pending) && !(f->pending & ~f->s.open));
    f->s.open &= ~done;
    f->pending &= ~done;
}

/* The operation in this slot returns: keep the ways in which it has ended. False when the budget is spent. */
static bool take_return(front *at, unsigned s) {
    together_front *f = (together_front *)at;
    f->returning = slot_bit(s);
    front_clear_work(&f->s);
    for (uint32_t i = 0; i < f->s.now.n; i++) reach(f, f->s.now.at[i]);
    f->s.now.n = 0;
    for (uint32_t i = 0; i < f->s.work.n; i++) {
        front_way c = f->s.work.at[i];
        if (c.done & slot_bit(s))
            front_ways_add(&f->s.now, (front_way){c.done & ~slot_bit(s), c.begun, c.state, c.trail});
        else if (!extend(f, i)) return false;
    }
    f->s.open &= ~slot_bit(s);
    free_slots(f);
    if (f->s.now.n) front_returned(&f->s);
    return true;
}

/* Two that do the same and never return can be exchanged wherever the later one begins first. */
static bool do_the_same(const object *o, const operation *a, const operation *b) {
    return a->method == b->method && a->nargs == b->nargs && a->key == b->key &&
           !memcmp(a->arg, b->arg, sizeof a->arg) && (!o->type->sees_clients || a->client == b->client);
}

static void line_up(together_front *f, unsigned s) {
    f->ahead[s] = 0;
    for (uint64_t rest = f->pending; rest; rest &= rest - 1) /* the last of them suffices */
        if (do_the_same(f->s.p->o, &f->s.slot[s], &f->s.slot[slot_lowest(rest)]))
            f->ahead[s] = slot_bit(slot_lowest(rest));
    f->pending |= slot_bit(s);
}

/* False when there is no slot left. */
static bool take_call(front *at, uint32_t position) {
    together_front *f = (together_front *)at;
    operation op;
    unsigned s;
    history_operation(f->s.p->h, f->s.p->op[position], &op);
    if (f->needless[position]) return true;
    if (!front_open(at, position, &op, &s)) return false;
    if (op.ret == RANK_NEVER) line_up(f, s);
    return true;
}

/* What may leave a right history may as well never have been there, if it is pending (object/leave_out.h). */
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
        bool by_itself =
            rule.flags[i] & LEAVE_ALONE || (!fragile && rule.group[i] != GROUP_KEEP && size[rule.group[i]] == 1);
        needless[i] = by_itself && history_pending(p->h, p->op[i]);
    }
    free(size);
    leave_out_free(&rule);
    return needless;
}

/* Pending operations that never began are left out, and those that began never end. */
static run_end run(together_front *f, const problem *p) {
    *f = (together_front){
        .spec = p->o->type->together, .intervals = object_has_intervals(p->o), .needless = find_needless(p)};
    front_init(&f->s, p);
    return front_run(&f->s, RANK_NEVER, take_call, take_return);
}

/* ---- the witness ---- */

static uint32_t position_of(const problem *p, uint32_t op) {
    uint32_t low = 0, high = p->n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (p->op[middle] <= op) low = middle;
        else high = middle;
    }
    assert(p->op[low] == op);
    return low;
}

/* From the trail, in which every operation stands twice, to one line for each: in which steps it begins and ends. A
 * step in which none begins (set_spec.late) is part of the one before. */
static void write_steps(const problem *p, const witness *log, witness *w) {
    uint32_t *place = MEM_ARRAY(uint32_t, p->n), step = 0;
    bool begins = false;
    for (uint32_t i = 0; i < p->n; i++) place[i] = UINT32_MAX;
    *w = (witness){.op = MEM_ARRAY(uint32_t, log->n),
                   .res = MEM_ARRAY(value, log->n),
                   .begins = MEM_ARRAY(uint32_t, log->n),
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
            assert(w->ends[*at] == STEP_NEVER && w->op[*at] == log->op[k]);
            w->res[*at] = log->res[k];
            w->ends[*at] = begins ? step : step - 1;
        }
    }
    free(place);
}

static void write_witness(const together_front *f, const front_way *c, witness *out) {
    witness log;
    trail_witness(&f->s.trail, c->trail, &log);
    write_steps(f->s.p, &log, out);
    witness_free(&log);
}

static bool accepts_together(const problem *p, text *why_not) {
    if (p->o->type->together) return true;
    text_printf(why_not, "does not know object %s: its operations take effect one by one", p->o->type->name);
    return false;
}

static void decide_together(const problem *p, outcome *out) {
    together_front f;
    run_end end = run(&f, p);
    out->steps = f.s.steps;
    if (end == RUN_REACHED_END) {
        out->verdict = VERDICT_LINEARIZABLE;
        write_witness(&f, &f.s.now.at[0], &out->witness);
    } else if (end == RUN_NO_WAY) {
        out->verdict = VERDICT_VIOLATION;
        out->cut = f.s.rank;
    } else {
        const front_way *c = front_gave_up(&f.s, end, out);
        if (c) write_witness(&f, c, &out->prefix);
    }
    free(f.needless);
    front_free(&f.s);
}

ENGINE_RECORD(engine_together, "together",
              "event by event, every way operations can take effect together: at most 64 open operations",
              .growth = "n * 3^(open operations); sets: 2^",
              .criteria = CRITERION_BIT(CRITERION_SET) | CRITERION_BIT(CRITERION_INTERVAL),
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_FRONTIER,
              .accepts = accepts_together, .decide = decide_together);
