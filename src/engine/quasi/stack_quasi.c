/* quasi for the stack: a frontier over pops only; pushes are ordered lazily (docs/proofs/quasi.md).
 *
 * As for the queue, each element has the window of its push. But here it also matters whether an element was pushed yet
 * when another is popped. A pop of z at time t, with z pushed at a moment `cut`, decides for each other element x
 * whether it is below z (pushed before cut), above (pushed between cut and t: it is overtaken), or not pushed yet. */
#include "engine/quasi/overtakers.h"
#include "engine/quasi/quasi_stage.h"
#include "engine/quasi/quasi_windows.h"
#include "engine/quasi/turns.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

typedef enum stack_side { BELOW, ABOVE, NOT_YET } stack_side;

typedef struct other { /* an element that is not surely below z */
    touched t;
    bool pushed;     /* surely, by now */
    bool may_choose; /* something else than the standard side may pay */
    stack_side side;
} other;

#define MARK_BELOW UINT32_C(0x80000000) /* in the trail: the element was put below, not above */

typedef struct stack_run {
    uint32_t *open, opens; /* pushes that are open, by call */
    overtakers overtakers;
    touched *sure; /* surely above z */
    uint32_t sure_n, sure_room;
    other *other;
    uint32_t n, room;
    uint32_t tried;

    uint32_t z, slot, path;
    touched zs;
    moment time;
    uint64_t done;
    const draft *d;
} stack_run;

/* ---- the elements inside, as a configuration sees them ---- */

static bool has_left(const stage *s, uint64_t done, const draft *d, uint32_t v) {
    if (is_gone(s, done, v)) return true;
    const touched *t = config_find(d->at, d->n, v);
    return t && t->count == COUNT_TAKEN;
}

typedef struct stack_walk {
    const stage *s;
    const draft *d;
    uint64_t done;
    uint32_t v, next_open; /* first the pushes that returned, newest first; then the open ones */
    touched t;
} stack_walk;

static stack_walk walk_begin(const stage *s, uint64_t done, const draft *d) {
    return (stack_walk){s, d, done, s->last_in, 0, {0}};
}

/* Those that returned only as far back as they returned after `from`. */
static bool walk_next(stack_walk *w, moment from) {
    const stack_run *q = w->s->own;
    for (;;) {
        uint32_t v = w->v;
        if (v != NO_INDEX && w->s->hi[v] > from) w->v = w->s->prev_in[v];
        else if (w->next_open < q->opens) {
            v = q->open[w->next_open++];
            w->v = NO_INDEX;
        } else return false;
        if (has_left(w->s, w->done, w->d, v)) continue;
        w->t = element_of(w->s, w->d->at, w->d->n, v);
        return true;
    }
}

/* ---- popping an element ---- */

static bool add_sure(stage *s, stack_run *q, touched t) {
    if (q->sure_n >= s->ahead || t.count >= s->overtaken) return false;
    if (q->sure_n == q->sure_room) q->sure = MEM_GROW(q->sure, touched, q->sure_room = 2 * q->sure_room + 16);
    q->sure[q->sure_n++] = t;
    return true;
}

static void add_other(stack_run *q, touched t, bool pushed) {
    if (q->n == q->room) q->other = MEM_GROW(q->other, other, q->room = 2 * q->room + 16);
    q->other[q->n++] = (other){.t = t, .pushed = pushed, .side = pushed ? BELOW : NOT_YET};
}

static moment sooner(moment a, moment b) { return a < b ? a : b; }
static moment later(moment a, moment b) { return a > b ? a : b; }

/* False: too many are surely above. */
static bool sort_elements(stage *s, stack_run *q) {
    moment z_end = sooner(q->zs.hi, q->time);
    q->sure_n = q->n = 0;
    stack_walk w = walk_begin(s, q->done, q->d);
    while (walk_next(&w, q->zs.lo)) {
        if (w.t.element == q->z || w.t.lo >= q->time || w.t.hi <= q->zs.lo) continue;
        bool pushed = w.t.hi <= q->time;
        if (pushed && w.t.lo >= z_end) {
            if (!add_sure(s, q, w.t)) return false;
        } else {
            add_other(q, w.t, pushed);
        }
    }
    return true;
}

/* Being above z pays only if that keeps x from being put below something that may be popped after it. */
static bool above_may_pay(const stage *s, const stack_run *q, const touched *x) {
    for (uint32_t i = 0; i < q->sure_n; i++)
        if (q->sure[i].lo < x->hi && !surely_before(s, q->sure[i].element, x->element)) return true;
    for (uint32_t i = 0; i < q->n; i++) {
        const touched *w = &q->other[i].t;
        if (w->element != x->element && w->lo < x->hi && !surely_before(s, w->element, x->element)) return true;
    }
    return false;
}

/* Being pushed already pays only if that keeps x from being put above something that may be popped before it. */
static bool pushed_may_pay(const stage *s, const stack_run *q, const touched *x) {
    stack_walk w = walk_begin(s, q->done, q->d);
    while (walk_next(&w, x->lo)) {
        if (w.t.element == q->z || w.t.element == x->element || surely_before(s, x->element, w.t.element)) continue;
        bool open = s->hi[w.t.element] > moment_of(s->rank - 1);
        if (open ? w.t.lo < q->time : w.t.hi > x->lo) return true;
    }
    return false;
}

static void emit(stage *s, stack_run *q, moment cut) {
    draft *d = &s->scratch;
    uint32_t path = trail_add(&s->trail, q->path, NO_INDEX, s->rank);
    draft_take(d, q->d->at, q->d->n);
    draft_drop(d, q->z);
    if (s->tokens & slot_bit(q->slot)) draft_at(d, (touched){.element = q->z})->count = COUNT_TAKEN;
    for (uint32_t i = 0; i < q->sure_n; i++) {
        touched *t = draft_at(d, q->sure[i]);
        t->count++;
        t->lo = later(t->lo, cut);
    }
    for (uint32_t i = 0; i < q->n; i++) {
        const other *x = &q->other[i];
        touched *t = draft_at(d, x->t);
        uint32_t add = s->c.add[x->t.element];
        if (x->side == NOT_YET) {
            t->lo = later(t->lo, q->time);
        } else if (x->side == BELOW) {
            t->hi = sooner(t->hi, cut);
            if (!x->pushed) path = trail_add(&s->trail, path, add, x->t.element | MARK_BELOW);
        } else {
            t->lo = later(t->lo, cut);
            t->hi = sooner(t->hi, q->time);
            t->count++;
            path = trail_add(&s->trail, path, add, x->t.element);
        }
    }
    configs_add(&s->found, q->done, d->at, d->n, stage_follow(s, path, q->slot, q->z));
}

/* Sides for the others from i on; z's push is strictly between low and high. */
static void choose_sides(stage *s, stack_run *q, uint32_t i, uint32_t above, moment low, moment high) {
    if (low >= high || above > s->ahead || s->stopped) return;
    if (i == q->n) {
        moment cut = low + (high - low) / 2;
        if (cut == low) stage_give_up(s, "too many pushes in one gap to tell apart");
        else emit(s, q, cut);
        return;
    }
    other *x = &q->other[i];
    moment z_end = sooner(q->zs.hi, q->time);
    x->side = x->pushed ? BELOW : NOT_YET;
    choose_sides(s, q, i + 1, above, x->pushed ? later(low, x->t.lo) : low, high);
    if (!x->may_choose) return;
    if (s->beam && q->tried++ >= s->beam) {
        s->lossy = true;
        return;
    }
    if (stage_tick(s)) return;
    if (!x->pushed && x->t.lo < z_end) {
        x->side = BELOW;
        choose_sides(s, q, i + 1, above, later(low, x->t.lo), high);
    }
    if (x->t.count < s->overtaken) {
        x->side = ABOVE;
        choose_sides(s, q, i + 1, above + 1, low, sooner(high, x->t.hi));
    }
}

/* All ways in which z can be popped at this time go to s->found, without its slot. */
static void pop_element(stage *s, uint64_t done, const draft *d, uint32_t path, uint32_t slot, uint32_t z,
                        moment time) {
    stack_run *q = s->own;
    q->z = z;
    q->slot = slot;
    q->path = path;
    q->zs = element_of(s, d->at, d->n, z);
    q->time = time;
    q->done = done;
    q->d = d;
    q->tried = 0;
    s->steps++;
    if (q->zs.lo >= time || !sort_elements(s, q)) return;
    moment high = sooner(q->zs.hi, time);
    for (uint32_t i = 0; i < q->sure_n; i++) high = sooner(high, q->sure[i].hi);
    for (uint32_t i = 0; i < q->n; i++) {
        other *x = &q->other[i];
        x->may_choose = x->pushed ? above_may_pay(s, q, &x->t) : pushed_may_pay(s, q, &x->t);
    }
    choose_sides(s, q, 0, q->sure_n, q->zs.lo, high);
}

/* A pending pop takes any element that no completed one returned. */
static void pop_by_token(stage *s, uint64_t done, const draft *d, uint32_t path, uint32_t slot, moment time) {
    const stack_run *q = s->own;
    for (uint32_t v = s->last_in; v != NO_INDEX; v = s->prev_in[v])
        if (is_left(s, v) && !has_left(s, done, d, v)) pop_element(s, done, d, path, slot, v, time);
    for (uint32_t i = 0; i < q->opens; i++)
        if (is_left(s, q->open[i]) && !has_left(s, done, d, q->open[i]))
            pop_element(s, done, d, path, slot, q->open[i], time);
}

/* ---- closures ---- */

static bool is_empty(const stage *s, uint64_t done, const draft *d, moment time) {
    stack_walk w = walk_begin(s, done, d);
    while (walk_next(&w, 0))
        if (w.t.hi <= time) return false;
    return true;
}

/* All open pops that found nothing may as well do so at one moment; what is being pushed comes later. */
static void find_empty(stage *s, config *c, draft *d, moment time) {
    const stack_run *q = s->own;
    c->trail = trail_add(&s->trail, c->trail, NO_INDEX, s->rank);
    c->trail = stage_follow_empties(s, c->trail, s->empties & ~c->done);
    for (uint32_t i = 0; i < q->opens; i++) {
        uint32_t v = q->open[i];
        if (has_left(s, c->done, d, v)) continue;
        touched t = element_of(s, d->at, d->n, v);
        if (t.lo < time) draft_at(d, t)->lo = time;
    }
    c->done |= s->empties;
}

static void take_found(stage *s, uint32_t i, uint32_t slot, uint32_t depth, moment time) {
    for (uint32_t k = 0; k < s->found.n; k++) {
        const config *c = &s->found.at[k];
        const touched *entry = config_entries(&s->found, c);
        uint64_t done = c->done | slot_bit(slot);
        bool is_goal = slot == s->goal;
        if (is_goal || s->goal == NO_SLOT) configs_add(&s->next, done, entry, c->n, c->trail);
        if (is_goal) continue;
        draft_take(&s->scratch, entry, c->n);
        stage_reach(s, done, &s->scratch, c->trail, depth, (origin){.parent = i, .last = NO_INDEX, .time = time});
    }
    configs_clear(&s->found);
}

/* Popping o before z is no use when z is surely inside already, and above o. */
static bool may_precede(const stage *s, const draft *d, uint32_t o, moment before) {
    touched t = element_of(s, d->at, d->n, o), goal = element_of(s, d->at, d->n, s->value);
    return t.hi > goal.lo || goal.hi > before;
}

static uint32_t depth_of(const stage *s, uint32_t i) { return s->work.tag[i] == NO_INDEX ? 0 : s->work.tag[i]; }

static void expand(stage *s, uint32_t i) {
    config c = s->work.configs.at[i];
    uint32_t depth = depth_of(s, i) + 1;
    moment before = s->origin[i].time, now = moment_of(s->rank), time = before + (now - before) / 2;
    draft *d = &s->draft;
    draft_take(d, config_entries(&s->work.configs, &c), c.n);
    if (s->empties & ~c.done && is_empty(s, c.done, d, time)) {
        find_empty(s, &c, d, time);
        before = time;
        time = before + (now - before) / 2;
        depth++;
        if (s->kind != REMOVE_RETURN) configs_add(&s->next, c.done, d->at, d->n, c.trail);
        if (s->kind == EMPTY_RETURN) return;
    }
    if (time == before) stage_give_up(s, "too many pops in one gap to tell apart");
    bool empties_wait = s->empties & ~c.done;
    for (uint64_t rest = s->removals & ~c.done; rest && !s->stopped; rest &= rest - 1) {
        uint32_t slot = slot_lowest(rest), o = s->what[slot];
        if (s->kind == REMOVE_RETURN && slot != s->goal && !empties_wait && !may_precede(s, d, o, before)) continue;
        pop_element(s, c.done, d, c.trail, slot, o, time);
        take_found(s, i, slot, depth, time);
    }
    uint64_t token = first_token(s, c.done);
    if (token && !s->stopped) {
        uint32_t slot = slot_lowest(token);
        pop_by_token(s, c.done, d, c.trail, slot, time);
        take_found(s, i, slot, depth, time);
    }
}

/* ---- what no longer matters ---- */

static bool count_matters(const stage *s, const draft *d, uint64_t done, const touched *x) {
    stack_run *q = s->own;
    const uint32_t *rival;
    uint32_t n, count = x->count + s->c.tokens;
    if (!overtakers_of(&q->overtakers, x->element, &rival, &n)) return true;
    for (uint32_t i = 0; i < n && count <= s->overtaken; i++)
        count += s->closes[rival[i]] > s->rank && !has_left(s, done, d, rival[i]);
    return count > s->overtaken;
}

/* The earliest beginning of x's window that still has behind it every element that x must not get below: those that end
 * before it now and may be popped before x. */
static moment earliest_lo(const stage *s, const draft *d, uint64_t done, const touched *x) {
    moment lo = s->lo[x->element];
    stack_walk w = walk_begin(s, done, d);
    while (walk_next(&w, s->lo[x->element]))
        if (w.t.element != x->element && w.t.hi > lo && w.t.hi <= x->lo && !surely_before(s, x->element, w.t.element))
            lo = w.t.hi;
    return lo;
}

static moment latest_hi(const stage *s, const draft *d, uint64_t done, const touched *x) {
    moment hi = sooner(s->hi[x->element], moment_of(s->rank));
    stack_walk w = walk_begin(s, done, d);
    while (walk_next(&w, x->hi))
        if (w.t.element != x->element && w.t.lo >= x->hi && w.t.lo < hi && !surely_before(s, w.t.element, x->element))
            hi = w.t.lo;
    return hi;
}

static const window_rules rules = {count_matters, earliest_lo, latest_hi};

static void normalize(stage *s, draft *d, uint64_t done) { windows_normalize(s, d, done, &rules); }

/* ---- events ---- */

static void begin(stage *s) {
    stack_run *q = s->own;
    q->opens = 0;
}

static void add_called(stage *s, uint32_t v) {
    stack_run *q = s->own;
    q->open[q->opens++] = v;
}

static bool closes_at_add(const stage *s, uint32_t v) {
    (void)v;
    return s->used != 0;
}

static void push_ends(stack_run *q, uint32_t v) {
    uint32_t i = 0;
    while (q->open[i] != v) i++;
    memmove(q->open + i, q->open + i + 1, (--q->opens - i) * sizeof *q->open);
}

static void add_returned(stage *s, uint32_t v) {
    push_ends(s->own, v);
    list_append(s, v);
}

static void removed(stage *s, uint32_t v, bool add_was_open) {
    stack_run *q = s->own;
    if (add_was_open) push_ends(q, v);
    else list_remove(s, v);
}

static const stage_methods methods = {begin, add_called, closes_at_add, add_returned, removed, expand, normalize};

/* ---- the witness: the trail once more, with all windows kept narrow, so that in the end everything has a moment
 * ---- */

typedef struct stack_rerun {
    stage *s;
    touched *window;   /* by value; count COUNT_TAKEN: popped, or never pushed */
    uint8_t *mark;     /* by value: 0, or the side it is put at next, + 1 */
    turn_place *place; /* of positions */
    uint32_t n, turn;
    uint32_t called; /* values whose pushes were called: those below this */
    uint32_t newest; /* of these, a list of those that are not popped, newest first; NO_INDEX: none */
    uint32_t *older, *newer;
    moment *latest; /* by value: the latest return of a push called no later */
    moment time;
} stack_rerun;

/* Values are numbered by the calls of their pushes. */
static void call_pushes(stack_rerun *w, uint32_t rank) {
    const stage *s = w->s;
    for (; w->called < s->c.values && s->lo[w->called] < moment_of(rank); w->called++) {
        uint32_t v = w->called;
        w->latest[v] = v ? later(w->latest[v - 1], s->hi[v]) : s->hi[v];
        if (w->window[v].count == COUNT_TAKEN) continue;
        w->older[v] = w->newest;
        w->newer[v] = NO_INDEX;
        if (w->newest != NO_INDEX) w->newer[w->newest] = v;
        w->newest = v;
    }
}

static void pop_listed(stack_rerun *w, uint32_t v) {
    w->window[v].count = COUNT_TAKEN;
    if (w->newer[v] != NO_INDEX) w->older[w->newer[v]] = w->older[v];
    else w->newest = w->older[v];
    if (w->older[v] != NO_INDEX) w->newer[w->older[v]] = w->newer[v];
}

static void happen(stack_rerun *w, moment at, uint32_t position) {
    w->place[w->n++] = (turn_place){at, w->turn++, position};
}

static stack_side side_of(const stack_rerun *w, const touched *zs, const touched *t, bool *sure) {
    *sure = true;
    if (t->lo >= w->time) return NOT_YET;
    if (t->hi <= zs->lo) return BELOW;
    if (t->hi <= w->time && t->lo >= sooner(zs->hi, w->time)) return ABOVE;
    *sure = false;
    if (w->mark[t->element]) return (stack_side)(w->mark[t->element] - 1);
    return t->hi <= w->time ? BELOW : NOT_YET;
}

static void place_pop(stack_rerun *w, uint32_t z, uint32_t position, uint32_t rank) {
    stage *s = w->s;
    touched zs = w->window[z];
    moment low = zs.lo, high = sooner(zs.hi, w->time);
    bool sure;
    call_pushes(w, rank);
    pop_listed(w, z);
    for (uint32_t v = w->newest; v != NO_INDEX && w->latest[v] > zs.lo; v = w->older[v]) {
        const touched *t = &w->window[v];
        stack_side at = side_of(w, &zs, t, &sure);
        if (at == BELOW && !sure) low = later(low, t->lo);
        if (at == ABOVE) high = sooner(high, t->hi);
    }
    moment cut = low < high ? low + (high - low) / 2 : low;
    for (uint32_t v = w->newest; v != NO_INDEX && w->latest[v] > zs.lo; v = w->older[v]) {
        touched *t = &w->window[v];
        stack_side at = side_of(w, &zs, t, &sure);
        if (at == BELOW) t->hi = sooner(t->hi, cut);
        if (at == ABOVE) {
            t->lo = later(t->lo, cut);
            t->hi = sooner(t->hi, w->time);
        }
        if (at == NOT_YET) t->lo = later(t->lo, w->time);
        w->mark[v] = 0;
    }
    happen(w, cut, s->c.add[z]);
    happen(w, w->time, position);
}

static void place_empty(stack_rerun *w, uint32_t position, uint32_t rank) {
    call_pushes(w, rank);
    for (uint32_t v = w->newest; v != NO_INDEX; v = w->older[v]) w->window[v].lo = later(w->window[v].lo, w->time);
    happen(w, w->time, position);
}

static void rerun_trail(stack_rerun *w, const witness *steps) {
    stage *s = w->s;
    uint32_t rank = 0;
    for (uint32_t k = 0; k < steps->n; k++) {
        uint32_t position = steps->op[k], v = steps->res[k];
        if (position == NO_INDEX) {
            if (v > rank) w->time = moment_of(v - 1);
            rank = v;
            w->time += (moment_of(rank) - w->time) / 2;
        } else if (v == NO_INDEX) {
            place_empty(w, position, rank);
        } else if (s->c.add[v & ~MARK_BELOW] == position) {
            w->mark[v & ~MARK_BELOW] = (uint8_t)((v & MARK_BELOW ? BELOW : ABOVE) + 1);
        } else {
            place_pop(w, v, position, rank);
        }
    }
    for (uint32_t v = 0; v < s->c.values; v++)
        if (w->window[v].count != COUNT_TAKEN) happen(w, w->window[v].lo, s->c.add[v]);
}

static void accept(stage *s) {
    witness steps;
    trail_witness(&s->trail, s->now.at[0].trail, &steps);
    stage_assume_taken(s, &steps);
    stack_rerun w = {.s = s,
                     .window = MEM_ARRAY(touched, s->c.values),
                     .mark = mem_zero(s->c.values, 1),
                     .place = MEM_ARRAY(turn_place, s->p->n)};
    w.newest = NO_INDEX;
    w.older = MEM_ARRAY(uint32_t, s->c.values);
    w.newer = MEM_ARRAY(uint32_t, s->c.values);
    w.latest = MEM_ARRAY(moment, s->c.values);
    for (uint32_t v = 0; v < s->c.values; v++) {
        w.window[v] = untouched(s, v);
        if (is_dropped(&s->c, v)) w.window[v].count = COUNT_TAKEN;
    }
    rerun_trail(&w, &steps);
    if (w.n) qsort(w.place, w.n, sizeof *w.place, by_place);
    uint32_t *order = MEM_ARRAY(uint32_t, w.n);
    for (uint32_t i = 0; i < w.n; i++) order[i] = w.place[i].what;
    stage_accept(s, order, w.n);
    FREE_ALL(w.window, w.mark, w.older, w.newer, w.latest, w.place);
    witness_free(&steps);
}

extern const engine engine_stack_quasi;

static void decide(const problem *p, outcome *out) {
    stage s;
    stack_run q = {0};
    if (stage_init(&s, p, &methods, out)) {
        overtakers_init(&q.overtakers, &s, NULL);
        q.open = MEM_ARRAY(uint32_t, s.c.values);
        s.own = &q;
        if (stage_run(&s, engine_setting_of(&engine_stack_quasi, p, 0))) accept(&s);
        else if (!s.stopped) stage_violation(&s, &(overtakings){.c = &s.c, .order = NEWEST_AHEAD});
        overtakers_free(&q.overtakers);
    }
    out->steps += s.steps;
    stage_free(&s);
    FREE_ALL(q.open, q.sure, q.other);
}

ENGINE_RECORD(engine_stack_quasi, "stack-quasi",
              "event by event, every order of open pops; the order of pushes is decided only as far as pops need it",
              .growth = "n * 2^(open pops) and more", .objects = "stack",
              .criteria = CRITERION_BIT(CRITERION_QUASI) | CRITERION_BIT(CRITERION_OUT_OF_ORDER),
              .needs = NEEDS_DISTINCT, .promises = PROMISES_SOUND | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .settings = {STAGE_SETTING}, .accepts = inventory_accepts, .decide = decide);
