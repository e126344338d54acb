/* Just-in-time frontier (after Lowe, "Testing for linearizability", 2017): the events are taken in order, and the
 * frontier holds every way things can stand: which of the open operations have taken effect, and the object's state.
 * At the return of an operation, ways in which it has not taken effect are extended by open operations until it has;
 * an operation is thus never linearized before the return that needs it. No way left: a violation.
 *
 * Two configurations with the same operations done and the same state have the same future, an operation that changes
 * nothing may as well take effect as soon as it fits, and of two that do the same the one that returns first may as
 * well go first (exchange them in any linearization). Cost: n * 2^(operations open at once) steps at most. */
#include "engine/general/due.h"
#include "engine/general/front.h"
#include "engine/general/reserve.h"
#include "engine/self_check.h"

typedef struct state_frontier {
    front s;      /* first */
    uint32_t cut; /* of the history that is decided */
    bool keep_trail;
    uint64_t observers;          /* of the open operations: those that change nothing */
    uint64_t ahead[FRONT_SLOTS]; /* open operations that do the same and go first */
} state_frontier;

static uint32_t follow(state_frontier *f, uint32_t parent, const operation *op, value res) {
    return f->keep_trail ? trail_add(&f->s.trail, parent, op->index, res) : TRAIL_ROOT;
}

static step_result try_step(state_frontier *f, uint32_t state_number, const operation *op, uint32_t choice,
                            value *res) {
    f->s.steps++;
    state_table_get(&f->s.states, state_number, &f->s.state);
    return f->s.p->o->type->step(f->s.p->o, &f->s.state, op, choice, res);
}

/* The open operations that change nothing and fit the state. */
static uint64_t fitting_observers(state_frontier *f, uint64_t done, uint32_t state_number) {
    uint64_t fit = 0;
    for (uint64_t rest = f->observers & ~done; rest; rest &= rest - 1) {
        value res;
        if (try_step(f, state_number, &f->s.slot[slot_lowest(rest)], 0, &res) != STEP_ILLEGAL) fit |= rest & -rest;
    }
    return fit;
}

/* A way things can stand, with the observers that fit it; `step` is the operation that led here, or NULL. */
static void reach(state_frontier *f, front_way c, const operation *step, value res) {
    uint64_t fit = fitting_observers(f, c.done, c.state);
    front_way with = {c.done | fit, 0, c.state, c.trail};
    assert(!(fit & ~f->s.open) && !(fit & c.done));
    if (!front_is_new(&f->s, &with)) return;
    if (step) c.trail = follow(f, c.trail, step, res);
    for (uint64_t rest = fit; rest; rest &= rest - 1) {
        const operation *op = &f->s.slot[slot_lowest(rest)];
        c.trail = follow(f, c.trail, op, op->res);
    }
    with.trail = c.trail;
    front_ways_add(&f->s.work, with);
}

/* Every way in which one more open operation takes effect. False when the budget is spent. */
static bool extend(state_frontier *f, front_way c) {
    for (uint64_t rest = f->s.open & ~c.done & ~f->observers; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        assert(!(f->ahead[s] & slot_bit(s)) && !(f->ahead[s] & ~f->s.open));
        if (f->ahead[s] & ~c.done) continue;
        step_result r = STEP_LEGAL_MORE;
        for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
            value res;
            if (front_spent(&f->s)) return false;
            r = try_step(f, c.state, &f->s.slot[s], choice, &res);
            if (r == STEP_ILLEGAL) break;
            reach(f, (front_way){c.done | slot_bit(s), 0, state_table_number(&f->s.states, &f->s.state), c.trail},
                  &f->s.slot[s], res);
        }
    }
    return true;
}

/* ---- between events ---- */

static bool all_have(const state_frontier *f, uint64_t slot) {
    for (uint32_t i = 0; i < f->s.now.n; i++)
        if (!(f->s.now.at[i].done & slot)) return false;
    return true;
}

/* The operation in this slot returns: keep the ways in which it has taken effect. False when the budget is spent. */
static bool close_under(state_frontier *f, uint64_t slot) {
    front_clear_work(&f->s);
    assert(f->s.open & slot);
    for (uint32_t i = 0; i < f->s.now.n; i++) reach(f, f->s.now.at[i], NULL, VALUE_NONE);
    f->s.now.n = 0;
    for (uint32_t i = 0; i < f->s.work.n; i++) {
        front_way c = f->s.work.at[i];
        if (c.done & slot) front_ways_add(&f->s.now, c);
        else if (!extend(f, c)) return false;
    }
    assert_costly(all_have(f, slot));
    return true;
}

/* What is said of slots is said of open ones, and no two operations wait for each other. */
SELF_CHECK static bool slots_are_sound(const state_frontier *f) {
    if (f->observers & ~f->s.open) return false;
    for (uint64_t rest = f->s.open & ~f->observers; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        if (f->ahead[s] & (f->observers | ~f->s.open)) return false;
        for (uint64_t ahead = f->ahead[s]; ahead; ahead &= ahead - 1)
            if (f->ahead[slot_lowest(ahead)] & slot_bit(s)) return false;
    }
    return true;
}

static bool take_return(front *at, unsigned s) {
    state_frontier *f = (state_frontier *)at;
    if (!all_have(f, slot_bit(s)) && !close_under(f, slot_bit(s))) return false;
    for (uint32_t i = 0; i < f->s.now.n; i++) f->s.now.at[i].done &= ~slot_bit(s);
    if (!f->s.now.n) return true; /* the slots still say what was open */
    f->s.open &= ~slot_bit(s);
    f->observers &= ~slot_bit(s);
    for (uint64_t rest = f->s.open; rest; rest &= rest - 1) f->ahead[slot_lowest(rest)] &= ~slot_bit(s);
    front_returned(&f->s);
    assert_costly(slots_are_sound(f));
    return true;
}

/* Who goes first among those that do the same as the new operation in slot s; pending ones by their calls. */
static void line_up(state_frontier *f, unsigned s) {
    const operation *op = &f->s.slot[s];
    f->ahead[s] = 0;
    for (uint64_t rest = f->s.open & ~f->observers & ~slot_bit(s); rest; rest &= rest - 1) {
        unsigned other = slot_lowest(rest);
        if (!operations_do_the_same(f->s.p->o, op, &f->s.slot[other])) continue;
        if (op->ret < f->s.slot[other].ret) f->ahead[other] |= slot_bit(s);
        else f->ahead[s] |= slot_bit(other);
    }
}

/* False when there is no slot left. */
static bool take_call(front *at, uint32_t position) {
    state_frontier *f = (state_frontier *)at;
    operation op;
    unsigned s;
    history_operation(f->s.p->h, f->s.p->op[position], &op);
    if (op.ret > f->cut) {
        op.ret = RANK_NEVER;
        op.res = VALUE_UNKNOWN;
    }
    if (object_negligible(f->s.p->o, &op)) return true;
    if (!front_open(at, position, &op, &s)) return false;
    if (op.res != VALUE_UNKNOWN && object_changes_nothing(f->s.p->o, &op)) f->observers |= slot_bit(s);
    else line_up(f, s);
    return true;
}

/* May the history end here, or after some pending operations have taken effect? Leaves one such way in now[0]. */
static run_end reach_end(state_frontier *f) {
    front_clear_work(&f->s);
    for (uint32_t i = 0; i < f->s.now.n; i++) reach(f, f->s.now.at[i], NULL, VALUE_NONE);
    for (uint32_t i = 0; i < f->s.work.n; i++) {
        front_way c = f->s.work.at[i];
        state_table_get(&f->s.states, c.state, &f->s.state);
        if (object_may_end(f->s.p->o, &f->s.state)) {
            f->s.now.n = 0;
            front_ways_add(&f->s.now, c);
            return RUN_REACHED_END;
        }
        if (!extend(f, c)) return RUN_STOPPED;
    }
    return RUN_NO_WAY;
}

static run_end run(state_frontier *f, const problem *p, uint32_t cut, bool keep_trail) {
    *f = (state_frontier){.cut = cut, .keep_trail = keep_trail};
    front_init(&f->s, p);
    run_end end = front_run(&f->s, cut, take_call, take_return);
    return end == RUN_REACHED_END ? reach_end(f) : end;
}

/* ---- the earliest event ----
 * The run used the results of operations that were open when it failed, which the history cut there does not have. The
 * cut is certain once those have returned, and a history cut later is a violation if one cut earlier is: bisection. */

static uint32_t certain_cut(const state_frontier *f) {
    uint32_t cut = f->s.rank;
    for (uint64_t rest = f->s.open; rest; rest &= rest - 1) {
        const operation *op = &f->s.slot[slot_lowest(rest)];
        bool matters = op->ret != RANK_NEVER && !(object_method(f->s.p->o, op)->role & ROLE_OBSERVES);
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
    assert_costly(words_ascend(rank, *n));
    return rank;
}

/* Where to cut is a refinement: it may cost as much again as the verdict did, and a little. */
static void bound_refinement(budget *b, const problem *p, double spent) {
    const double floor_seconds = 0.05;
    double latest = clock_seconds() + (spent > floor_seconds ? spent : floor_seconds);
    budget_init_child(b, p->budget);
    if (b->deadline <= 0 || latest < b->deadline) b->deadline = latest;
}

static uint32_t earliest_cut(const problem *whole, uint32_t from, uint32_t certain, double spent, uint64_t *steps) {
    problem refined = *whole, *p = &refined;
    budget bounded;
    bound_refinement(&bounded, whole, spent);
    refined.budget = &bounded;
    uint32_t n, *rank = returns_between(p, from, certain, &n);
    assert(n > 0 && rank[n - 1] == certain && certain > from);
    uint32_t low = 0, high = n - 1;                                        /* high: known to be a violation */
    for (uint32_t probe = 0; low < high; probe = low + (high - low) / 2) { /* mostly it is the first */
        state_frontier f;
        run_end end = run(&f, p, rank[probe], false);
        *steps += f.s.steps;
        front_free(&f.s);
        if (end == RUN_NO_WAY) high = probe;
        else if (end == RUN_REACHED_END) low = probe + 1;
        else break;
    }
    uint32_t cut = rank[high];
    assert(low <= high && cut >= from && cut <= certain);
    free(rank);
    return cut;
}

static void decide_frontier(const problem *p, outcome *out) {
    state_frontier f;
    double began = clock_seconds();
    run_end end = run(&f, p, RANK_NEVER, true);
    double spent = clock_seconds() - began;
    out->steps = f.s.steps;
    if (end == RUN_REACHED_END) {
        assert(f.s.now.n == 1);
        out->verdict = VERDICT_LINEARIZABLE;
        trail_witness(&f.s.trail, f.s.now.at[0].trail, &out->witness);
    } else if (end == RUN_NO_WAY) {
        uint32_t rank = f.s.rank, certain = certain_cut(&f);
        out->verdict = VERDICT_VIOLATION;
        if (p->o->type->may_end) out->cut = RANK_NEVER; /* half-way states hide a violation until later */
        else out->cut = certain == rank ? rank : earliest_cut(p, rank, certain, spent, &out->steps);
    } else {
        const front_way *c = front_gave_up(&f.s, end, out);
        if (c) trail_witness(&f.s.trail, c->trail, &out->prefix);
    }
    front_free(&f.s);
}

/* Where elements stand in a line and are told apart, what comes later tells the search where they belong; every way
 * they could stand is too many of a long one. */
static bool fits(const problem *p) {
    enum { LONG = 2000 };
    return p->n < LONG || !p->o->type->ends || p->o->type->words || p->o->parameter[0] || !adds_are_distinct(p);
}

ENGINE_RECORD(engine_frontier, "frontier",
              "event by event, every way things can stand: any object, at most 64 open operations",
              .growth = "n * 2^(open operations)", .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS,
              .criteria = CRITERIA_STEPWISE, .cost = COST_FRONTIER, .fits = fits, .decide = decide_frontier);
