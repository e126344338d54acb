/* quasi for the queue: a frontier over removals only; the order of adds is decided lazily (docs/proofs/quasi.md).
 *
 * Adds are never linearized. Each element has the window of its add; a removal of z takes effect by deciding which
 * elements are ahead of z: those surely ahead (A), and perhaps some of those that may be (X). Their windows are
 * narrowed accordingly. */
#include "engine/quasi/overtakings.h"
#include "engine/quasi/quasi_stage.h"
#include "engine/quasi/quasi_windows.h"
#include "engine/quasi/turns.h"

#include "base/mem.h"

#include <string.h>

typedef struct elements {
    touched *at;
    uint32_t n, room;
} elements;

typedef struct queue_run {
    elements ahead;                          /* surely ahead of what is removed */
    elements rivals;                         /* may be ahead or behind */
    uint32_t *chosen, chosen_n, chosen_room; /* rivals put ahead, ascending */
    uint32_t tried;                          /* choices of these, for one removal */
    uint32_t z;                              /* what is removed */
    touched zs;
    uint64_t done;
    const touched *entry;
    uint32_t n, path, slot;
} queue_run;

static void elements_add(elements *e, touched t) {
    if (e->n == e->room) e->at = MEM_GROW(e->at, touched, e->room = e->room ? 2 * e->room : 32);
    e->at[e->n++] = t;
}

/* ---- the elements inside, oldest call first, as a configuration sees them ---- */

typedef struct queue_walk {
    const stage *s;
    uint64_t done;
    const touched *entry, *end;
    uint32_t v;
    touched t;
} queue_walk;

static queue_walk walk_begin(const stage *s, uint64_t done, const touched *entry, uint32_t n) {
    return (queue_walk){.s = s, .done = done, .entry = entry, .end = n ? entry + n : entry, .v = s->first_in};
}

/* The next one called before `until`; its entries are in the same order. */
static bool walk_next(queue_walk *w, moment until) {
    while (w->v != NO_INDEX && w->s->lo[w->v] < until) {
        uint32_t v = w->v;
        w->v = w->s->next_in[v];
        while (w->entry < w->end && w->entry->element < v) w->entry++;
        bool known = w->entry < w->end && w->entry->element == v;
        if (is_gone(w->s, w->done, v) || (known && w->entry->count == COUNT_TAKEN)) continue;
        w->t = known ? *w->entry : untouched(w->s, v);
        return true;
    }
    return false;
}

/* ---- removing an element ---- */

/* False: too many are surely ahead, or one of them was overtaken too often already. */
static bool sort_elements(stage *s, queue_run *q) {
    q->ahead.n = q->rivals.n = 0;
    queue_walk w = walk_begin(s, q->done, q->entry, q->n);
    while (walk_next(&w, q->zs.hi)) {
        if (w.t.element == q->z) continue;
        if (w.t.hi <= q->zs.lo) {
            if (q->ahead.n >= s->ahead || w.t.count >= s->overtaken) return false;
            elements_add(&q->ahead, w.t);
        } else if (w.t.lo < q->zs.hi) {
            elements_add(&q->rivals, w.t);
        }
    }
    return true;
}

/* Could it ever pay to put a rival ahead of z? Only if it then gets ahead of one of A that may leave after it. */
static bool alternatives_help(const stage *s, const queue_run *q) {
    for (uint32_t i = 0; i < q->rivals.n; i++)
        for (uint32_t k = 0; k < q->ahead.n; k++)
            if (q->ahead.at[k].hi > q->rivals.at[i].lo &&
                !surely_before(s, q->ahead.at[k].element, q->rivals.at[i].element))
                return true;
    return false;
}

static bool overlaps_ahead(const queue_run *q, const touched *x) {
    for (uint32_t k = 0; k < q->ahead.n; k++)
        if (q->ahead.at[k].hi > x->lo) return true;
    return false;
}

/* The configuration after z has left, with the chosen rivals ahead of it and the others behind: z's add is at `cut`. */
static void emit(stage *s, queue_run *q, moment cut) {
    draft *d = &s->scratch;
    uint32_t path = q->path;
    draft_take(d, q->entry, q->n);
    draft_drop(d, q->z);
    if (s->tokens & slot_bit(q->slot)) draft_at(d, (touched){.element = q->z})->count = COUNT_TAKEN;
    for (uint32_t k = 0; k < q->ahead.n; k++) draft_at(d, q->ahead.at[k])->count++;
    for (uint32_t i = 0, next = 0; i < q->rivals.n; i++) {
        const touched *x = &q->rivals.at[i];
        bool chosen = next < q->chosen_n && q->chosen[next] == i;
        if (chosen) {
            touched *t = draft_at(d, *x);
            next++;
            t->count++;
            if (cut < t->hi) t->hi = cut;
            path = trail_add(&s->trail, path, s->c.add[x->element], x->element);
        } else if (x->lo < cut && (q->chosen_n || overlaps_ahead(q, x))) {
            draft_at(d, *x)->lo = cut;
        }
    }
    configs_add(&s->found, q->done, d->at, d->n, stage_follow(s, path, q->slot, q->z));
}

/* Would x lose anything if it were put behind z after all? Not unless that puts it behind something that may leave
 * later. */
static bool gains_ahead(const stage *s, const queue_run *q, const touched *x) {
    for (uint32_t k = 0; k < q->ahead.n; k++)
        if (q->ahead.at[k].hi > x->lo && !surely_before(s, q->ahead.at[k].element, x->element)) return true;
    for (uint32_t k = 0; k < q->chosen_n; k++) {
        const touched *y = &q->rivals.at[q->chosen[k]];
        if (y->element != x->element && y->hi > x->lo && !surely_before(s, y->element, x->element)) return true;
    }
    return false;
}

/* Is one of the chosen needlessly so: it could as well be behind z, and gains nothing? */
static bool chosen_needlessly(const stage *s, const queue_run *q) {
    for (uint32_t k = 0; k < q->chosen_n; k++) {
        const touched *x = &q->rivals.at[q->chosen[k]];
        moment low = q->zs.lo;
        for (uint32_t m = 0; m < q->chosen_n; m++)
            if (m != k && q->rivals.at[q->chosen[m]].lo > low) low = q->rivals.at[q->chosen[m]].lo;
        if (x->hi > low && !gains_ahead(s, q, x)) return true;
    }
    return false;
}

/* A moment between the last of what is ahead and the first of what is behind. */
static void emit_choice(stage *s, queue_run *q) {
    moment low = q->zs.lo, high = q->zs.hi;
    for (uint32_t i = 0, next = 0; i < q->rivals.n; i++) {
        const touched *x = &q->rivals.at[i];
        if (next < q->chosen_n && q->chosen[next] == i) {
            next++;
            if (x->lo > low) low = x->lo;
        } else if (x->hi < high) {
            high = x->hi;
        }
    }
    if (moment_next_event(low) < high) high = moment_next_event(low);
    if (low >= high || chosen_needlessly(s, q)) return;
    moment cut = low + (high - low) / 2;
    if (cut == low) stage_give_up(s, "too many adds in one gap to tell apart");
    else emit(s, q, cut);
}

static void choose_rivals(stage *s, queue_run *q, uint32_t from, uint32_t room) {
    if (q->chosen_n) emit_choice(s, q);
    for (uint32_t i = from; i < q->rivals.n && room && !s->stopped; i++) {
        if (q->rivals.at[i].count >= s->overtaken) continue;
        if (s->beam && q->tried++ >= s->beam) {
            s->lossy = true;
            return;
        }
        if (stage_tick(s)) return;
        q->chosen[q->chosen_n++] = i;
        choose_rivals(s, q, i + 1, room - 1);
        q->chosen_n--;
    }
}

/* All ways in which z can leave now go to s->found, without its slot. */
static void remove_element(stage *s, uint64_t done, const draft *d, uint32_t path, uint32_t slot, uint32_t z) {
    queue_run *q = s->own;
    q->z = z;
    q->zs = element_of(s, d->at, d->n, z);
    q->done = done;
    q->entry = d->at;
    q->n = d->n;
    q->path = path;
    q->slot = slot;
    q->chosen_n = q->tried = 0;
    s->steps++;
    if (!sort_elements(s, q)) return;
    emit(s, q, q->zs.lo);
    if (q->ahead.n >= s->ahead || !alternatives_help(s, q)) return;
    if (q->rivals.n > q->chosen_room) q->chosen = MEM_GROW(q->chosen, uint32_t, q->chosen_room = 2 * q->rivals.n);
    choose_rivals(s, q, 0, s->ahead - q->ahead.n);
}

/* A pending removal takes any element that no completed one returned. */
static void remove_by_token(stage *s, uint64_t done, const draft *d, uint32_t path, uint32_t slot) {
    for (uint32_t y = s->first_in; y != NO_INDEX && !s->stopped; y = s->next_in[y]) {
        const touched *known = config_find(d->at, d->n, y);
        if (!is_left(s, y) || (known && known->count == COUNT_TAKEN)) continue;
        remove_element(s, done, d, path, slot, y);
    }
}

/* ---- closures ---- */

/* Was it right that `last` left directly before p? Not when p, leaving first, would have cost no more (swap rule). */
static bool may_follow(const stage *s, const origin *from, uint32_t p, bool is_goal) {
    if (from->last == NO_INDEX) return true;
    const config *before = &s->work.configs.at[from->parent];
    const touched *entry = config_entries(&s->work.configs, before);
    touched t = element_of(s, entry, before->n, p);
    if (t.hi <= from->lo) return false;
    if (from->hi <= t.lo) return true;
    queue_walk w = walk_begin(s, before->done, entry, before->n);
    while (walk_next(&w, t.lo))
        if (w.t.element != from->last && w.t.element != p && w.t.hi <= t.lo && w.t.hi > from->lo) return true;
    return !is_goal && from->last < p; /* either order will do: one is enough */
}

/* Would it help that o leaves before what the closure is for? */
static bool may_precede(const stage *s, const draft *d, uint32_t o, bool empties_wait) {
    touched t = element_of(s, d->at, d->n, o);
    if (s->kind != REMOVE_RETURN) return t.hi <= moment_of(s->rank);
    touched goal = element_of(s, d->at, d->n, s->value);
    return empties_wait || goal.hi > t.lo;
}

static bool can_be_empty(const stage *s, uint64_t done, const draft *d) {
    queue_walk w = walk_begin(s, done, d->at, d->n);
    while (walk_next(&w, MOMENT_NEVER))
        if (w.t.hi < moment_of(s->rank)) return false;
    return true;
}

/* All open removals that found nothing may as well do so at one moment. True: they did. */
static bool find_empty(stage *s, uint64_t done, const draft *d, uint32_t path) {
    uint64_t waiting = s->empties & ~done;
    if (!waiting || !can_be_empty(s, done, d)) return false;
    done |= waiting;
    path = stage_follow_empties(s, path, waiting);
    bool ends = s->goal == NO_SLOT || done & slot_bit(s->goal);
    if (ends) configs_add(&s->next, done, d->at, d->n, path);
    else stage_reach(s, done, d, path, NO_INDEX, (origin){.parent = NO_ORIGIN, .last = NO_INDEX});
    return true;
}

static void normalize(stage *s, draft *d, uint64_t done);

static void take_found(stage *s, uint32_t i, uint32_t slot, uint32_t last, const draft *before) {
    touched t = last == NO_INDEX ? (touched){0} : element_of(s, before->at, before->n, last);
    for (uint32_t k = 0; k < s->found.n; k++) {
        const config *c = &s->found.at[k];
        const touched *entry = config_entries(&s->found, c);
        uint64_t done = c->done | slot_bit(slot);
        if (slot == s->goal) {
            configs_add(&s->next, done, entry, c->n, c->trail);
        } else {
            draft_take(&s->scratch, entry, c->n);
            normalize(s, &s->scratch, done);
            stage_reach(s, done, &s->scratch, c->trail, last,
                        (origin){.parent = i, .last = last, .lo = t.lo, .hi = t.hi});
        }
    }
    configs_clear(&s->found);
}

static void expand(stage *s, uint32_t i) {
    const config c = s->work.configs.at[i];
    const origin from = s->origin[i];
    draft *d = &s->draft;
    draft_take(d, config_entries(&s->work.configs, &c), c.n);
    if (find_empty(s, c.done, d, c.trail)) return;
    bool empties_wait = s->empties & ~c.done;
    if (s->goal == NO_SLOT && !empties_wait) return;
    for (uint64_t rest = s->removals & ~c.done; rest && !s->stopped; rest &= rest - 1) {
        uint32_t slot = slot_lowest(rest), o = s->what[slot];
        bool is_goal = slot == s->goal;
        if (!may_follow(s, &from, o, is_goal) || (!is_goal && !may_precede(s, d, o, empties_wait))) continue;
        remove_element(s, c.done, d, c.trail, slot, o);
        take_found(s, i, slot, o, d);
    }
    uint64_t token = first_token(s, c.done);
    if (token) {
        uint32_t slot = slot_lowest(token);
        remove_by_token(s, c.done, d, c.trail, slot);
        take_found(s, i, slot, NO_INDEX, d);
    }
}

/* ---- what no longer matters ---- */

/* The earliest beginning of x's window that still has behind it every element that x must not get ahead of: those that
 * end before it now and may still leave after x. */
static moment earliest_lo(const stage *s, const draft *d, uint64_t done, const touched *x) {
    moment lo = s->lo[x->element];
    queue_walk w = walk_begin(s, done, d->at, d->n);
    while (walk_next(&w, x->lo))
        if (w.t.element != x->element && w.t.hi > lo && w.t.hi <= x->lo && !surely_before(s, w.t.element, x->element))
            lo = w.t.hi;
    return lo;
}

/* The latest end, likewise. What is called from now on comes after it only if it ends now. */
static moment latest_hi(const stage *s, const draft *d, uint64_t done, const touched *x) {
    moment hi = s->hi[x->element], now = moment_of(s->rank);
    if (hi > now) hi = now;
    queue_walk w = walk_begin(s, done, d->at, d->n);
    while (walk_next(&w, hi))
        if (w.t.element != x->element && w.t.lo >= x->hi && w.t.lo < hi && !surely_before(s, x->element, w.t.element))
            hi = w.t.lo;
    return hi;
}

/* Can it still be overtaken too often, by the removals that are to come before its own returns? Not by those of
 * elements that are ahead of it. */
static bool count_matters(const stage *s, const draft *d, uint64_t done, const touched *x) {
    int64_t others = (int64_t)s->opened_before[x->element] + s->c.tokens - s->returned -
                     __builtin_popcountll(done & s->removals) - !is_left(s, x->element);
    if (x->count + (others > 0 ? others : 0) <= s->overtaken) return false;
    queue_walk w = walk_begin(s, done, d->at, d->n);
    while (walk_next(&w, s->lo[x->element]))
        if (s->hi[w.t.element] <= s->lo[x->element] && s->opens[w.t.element] < s->closes[x->element]) others--;
    return x->count + (others > 0 ? others : 0) > s->overtaken;
}

static const window_rules rules = {count_matters, earliest_lo, latest_hi};

static void normalize(stage *s, draft *d, uint64_t done) { windows_normalize(s, d, done, &rules); }

static void begin(stage *s) { (void)s; }
static void add_called(stage *s, uint32_t v) { list_append(s, v); }
static bool closes_at_add(const stage *s, uint32_t v) {
    (void)v;
    return s->empties != 0;
}

static void add_returned(stage *s, uint32_t v) {
    (void)s;
    (void)v;
}

static void removed(stage *s, uint32_t v, bool add_was_open) {
    (void)add_was_open;
    list_remove(s, v);
}

static const stage_methods methods = {begin, add_called, closes_at_add, add_returned, removed, expand, normalize};

/* ---- the witness ---- */

typedef struct queue_rerun { /* the trail once more, with all windows kept narrow */
    stage *s;
    touched *window;   /* by value; count COUNT_TAKEN: has left */
    uint8_t *marked;   /* by value: put ahead of what leaves next */
    turn_place *place; /* by value: of its add among the adds; turns are the order in which the elements left */
    uint32_t turn;
    uint32_t first; /* value: all before it have left */
} queue_rerun;

/* Values are numbered by the calls of their adds. */
static void place_removed(queue_rerun *w, uint32_t z) {
    stage *s = w->s;
    touched *zs = &w->window[z];
    moment low = zs->lo, high = zs->hi;
    bool any = false;
    while (w->first < s->c.values && (w->window[w->first].count == COUNT_TAKEN)) w->first++;
    for (uint32_t y = w->first; y < s->c.values && s->lo[y] < zs->hi; y++) {
        touched *t = &w->window[y];
        if (y == z || t->count == COUNT_TAKEN || t->hi <= zs->lo || t->lo >= zs->hi) continue;
        if (w->marked[y]) {
            any = true;
            low = t->lo > low ? t->lo : low;
        } else if (t->hi < high) {
            high = t->hi;
        }
    }
    if (moment_next_event(low) < high) high = moment_next_event(low);
    moment cut = any && low < high ? low + (high - low) / 2 : zs->lo;
    for (uint32_t y = w->first; y < s->c.values && s->lo[y] < zs->hi; y++) {
        touched *t = &w->window[y];
        bool rival = y != z && t->count != COUNT_TAKEN && t->hi > zs->lo && t->lo < zs->hi;
        if (rival && w->marked[y] && t->hi > cut && any) t->hi = cut;
        else if (rival && !w->marked[y] && t->lo < cut) t->lo = cut;
        w->marked[y] = 0;
    }
    w->place[z] = (turn_place){cut, w->turn++, z};
    zs->count = COUNT_TAKEN;
}

/* What is inside when nothing is found was added later. */
static void place_empty(queue_rerun *w, moment now) {
    for (uint32_t y = w->first; y < w->s->c.values && w->s->lo[y] < now; y++)
        if (w->window[y].count != COUNT_TAKEN && w->window[y].lo < now) w->window[y].lo = now;
}

static void rerun_trail(queue_rerun *w, const witness *steps) {
    stage *s = w->s;
    uint32_t latest = 0;
    for (uint32_t k = 0; k < steps->n; k++) {
        uint32_t position = steps->op[k], v = steps->res[k];
        if (v != NO_INDEX && s->c.add[v] == position) {
            w->marked[v] = 1;
            continue;
        }
        if (s->c.call[position] > latest) latest = s->c.call[position];
        if (v == NO_INDEX) place_empty(w, moment_of(latest));
        else place_removed(w, v);
    }
    for (uint32_t v = 0; v < s->c.values; v++)
        if (w->window[v].count != COUNT_TAKEN) w->place[v] = (turn_place){w->window[v].lo, w->turn++, v};
}

/* Removals in the order of the trail; adds in the order of their places, each as late as can be: when a removal of the
 * same or of a later element comes, or something is called after it returned. */
static void write_order(stage *s, const queue_rerun *w, const witness *steps) {
    uint32_t *order = MEM_ARRAY(uint32_t, s->p->n), n = 0, next = 0, adds = 0;
    turn_place *sorted = MEM_ARRAY(turn_place, s->c.values);
    uint32_t *place_of = MEM_ARRAY(uint32_t, s->c.values);
    for (uint32_t v = 0; v < s->c.values; v++)
        if (!is_dropped(&s->c, v)) sorted[adds++] = w->place[v];
    if (adds) qsort(sorted, adds, sizeof *sorted, by_place);
    for (uint32_t i = 0; i < adds; i++) place_of[sorted[i].what] = i;
    /* by rank: so many adds have to come before what is called there */
    uint32_t *must = MEM_ARRAY(uint32_t, s->c.events + 1);
    uint32_t most = 0;
    for (uint32_t r = 0; r < s->c.events; r++) {
        uint32_t e = s->c.event[r], x = event_index(e);
        if (event_kind_of(e) == ADD_RETURN && !is_dropped(&s->c, x) && place_of[x] + 1 > most) most = place_of[x] + 1;
        must[r] = most;
    }
    for (uint32_t k = 0; k < steps->n; k++) {
        uint32_t position = steps->op[k], v = steps->res[k];
        if (v != NO_INDEX && s->c.add[v] == position) continue;
        uint32_t until = must[s->c.call[position]];
        if (v != NO_INDEX && place_of[v] + 1 > until) until = place_of[v] + 1;
        while (next < until) order[n++] = s->c.add[sorted[next++].what];
        order[n++] = position;
    }
    while (next < adds) order[n++] = s->c.add[sorted[next++].what];
    FREE_ALL(must, sorted, place_of);
    stage_accept(s, order, n);
}

static void accept(stage *s) {
    witness steps;
    trail_witness(&s->trail, s->now.at[0].trail, &steps);
    stage_assume_taken(s, &steps);
    queue_rerun w = {.s = s,
                     .window = MEM_ARRAY(touched, s->c.values),
                     .marked = mem_zero(s->c.values, 1),
                     .place = MEM_ARRAY(turn_place, s->c.values)};
    for (uint32_t v = 0; v < s->c.values; v++) {
        w.window[v] = untouched(s, v);
        if (is_dropped(&s->c, v)) w.window[v].count = COUNT_TAKEN;
    }
    rerun_trail(&w, &steps);
    write_order(s, &w, &steps);
    FREE_ALL(w.window, w.marked, w.place);
    witness_free(&steps);
}

extern const engine engine_queue_quasi;

static void decide(const problem *p, outcome *out) {
    stage s;
    queue_run q = {0};
    if (stage_init(&s, p, &methods, out)) {
        s.own = &q;
        overtakings forced;
        overtakings_count(&forced, &s.c, OLDEST_AHEAD, NULL);
        uint32_t most[] = {forced.most_ahead_value, forced.most_overtaken_value};
        bool too_many = overtakings_violation(
            &forced, most, forced.most_ahead > s.ahead || forced.most_overtaken > s.overtaken ? 2 : 0, s.ahead,
            stage_overtaken_limit(&s), out);
        if (too_many) s.steps = s.c.values;
        else if (stage_run(&s, engine_setting_of(&engine_queue_quasi, p, 0))) accept(&s);
        else if (!s.stopped) stage_violation(&s, &forced);
        overtakings_free(&forced);
    }
    out->steps += s.steps;
    stage_free(&s);
    FREE_ALL(q.ahead.at, q.rivals.at, q.chosen);
}

ENGINE_RECORD(
    engine_queue_quasi, "queue-quasi",
    "event by event, every order of open removals; the order of adds is decided only as far as removals need it",
    .growth = "n * 2^(open removals) and more", .objects = "queue",
    .criteria = CRITERION_BIT(CRITERION_QUASI) | CRITERION_BIT(CRITERION_OUT_OF_ORDER), .needs = NEEDS_DISTINCT,
    .promises = PROMISES_SOUND | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR, .settings = {STAGE_SETTING},
    .accepts = inventory_accepts, .decide = decide);
