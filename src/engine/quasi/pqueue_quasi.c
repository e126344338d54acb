/* quasi for the priority queue: a frontier over the orders of removals only (docs/proofs/quasi.md).
 *
 * Presence only hurts, so an add takes effect as late as it can: when it returns, or immediately before its own
 * removal, and then the element is never observed. Closures at the returns of removals and of adds: before an element
 * appears, open removals may slip in. */
#include "engine/quasi/overtakers.h"
#include "engine/linear/priorities.h"
#include "engine/quasi/quasi_stage.h"
#include "engine/rank_order.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* ---- the elements inside, best first: a set of places, with summaries of 64 places each ---- */

enum { LEVELS = 5 };

typedef struct place_set {
    uint64_t *word[LEVELS]; /* level 0: a bit for each place; above: a bit for each word that is not zero */
} place_set;

static void places_init(place_set *p, uint32_t n) {
    for (int level = 0; level < LEVELS; level++) {
        n = n / 64 + 1;
        p->word[level] = mem_zero(n, sizeof(uint64_t));
    }
}

static void places_clear(place_set *p, uint32_t n) {
    for (int level = 0; level < LEVELS; level++) {
        n = n / 64 + 1;
        memset(p->word[level], 0, n * sizeof(uint64_t));
    }
}

static void places_free(place_set *p) {
    for (int level = 0; level < LEVELS; level++) free(p->word[level]);
}

static void places_add(place_set *p, uint32_t place) {
    for (int level = 0; level < LEVELS; level++, place /= 64) p->word[level][place / 64] |= UINT64_C(1) << place % 64;
}

static void places_remove(place_set *p, uint32_t place) {
    for (int level = 0; level < LEVELS; level++, place /= 64)
        if (p->word[level][place / 64] &= ~(UINT64_C(1) << place % 64)) return;
}

/* The first place from this one on; NO_INDEX: none. */
static uint32_t places_from(const place_set *p, uint32_t place) {
    for (int level = 0; level < LEVELS; level++) {
        uint64_t rest = p->word[level][place / 64] >> place % 64;
        if (rest) {
            place += (uint32_t)__builtin_ctzll(rest);
            while (level-- > 0) place = place * 64 + (uint32_t)__builtin_ctzll(p->word[level][place]);
            return place;
        }
        place = place / 64 + 1;
        if (level + 1 == LEVELS) break;
    }
    return NO_INDEX;
}

typedef struct rivals { /* who may overtake an element from now on */
    uint32_t rank;      /* of this event; NO_INDEX: it was never asked */
    uint32_t left;      /* how many removals; NO_INDEX: too many to count */
    uint64_t open;      /* slots of those that are open */
} rivals;

typedef struct pqueue_run {
    uint32_t *priority;    /* by value; greater is better */
    uint32_t *place;       /* by value: the better, the lower; all different */
    uint32_t *value_at;    /* by place */
    uint32_t *better;      /* by value: places below this are strictly better */
    uint32_t *left, lefts; /* values that no completed removal returned */
    place_set inside;
    overtakers overtakers;
    rivals *rivals; /* by value */
} pqueue_run;

static void pqueue_init(pqueue_run *q, const stage *s) {
    uint32_t n = s->c.values;
    ranked *all = MEM_ARRAY(ranked, 2 * (size_t)n);
    *q = (pqueue_run){
        .priority = priorities_of(&s->c), .place = MEM_ARRAY(uint32_t, n), .value_at = MEM_ARRAY(uint32_t, n)};
    q->better = MEM_ARRAY(uint32_t, n);
    q->left = MEM_ARRAY(uint32_t, n);
    for (uint32_t v = 0; v < n; v++) {
        all[v] = (ranked){UINT32_MAX - q->priority[v], v};
        if (is_left(s, v) && !is_dropped(&s->c, v)) q->left[q->lefts++] = v;
    }
    const ranked *sorted = rank_order(all, all + n, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = sorted[i].item;
        bool tie = i && sorted[i - 1].rank == sorted[i].rank;
        q->place[v] = i;
        q->value_at[i] = v;
        q->better[v] = tie ? q->better[sorted[i - 1].item] : i;
    }
    places_init(&q->inside, n);
    overtakers_init(&q->overtakers, s, q->priority);
    q->rivals = MEM_ARRAY(rivals, n);
    for (uint32_t v = 0; v < n; v++) q->rivals[v].rank = NO_INDEX;
    free(all);
}

static void pqueue_free(pqueue_run *q) {
    FREE_ALL(q->priority, q->place, q->value_at, q->better, q->left);
    places_free(&q->inside);
    overtakers_free(&q->overtakers);
    free(q->rivals);
}

/* ---- removing an element ---- */

static bool has_left(const stage *s, uint64_t done, const draft *d, uint32_t v) {
    if (is_gone(s, done, v)) return true;
    if (!s->tokens) return false;
    const touched *t = config_find(d->at, d->n, v);
    return t && t->count == COUNT_TAKEN;
}

/* The configuration after z has left, in s->scratch; false: too many better ones are inside. */
static bool remove_element(stage *s, uint64_t done, const draft *d, uint32_t z) {
    const pqueue_run *q = s->own;
    uint32_t ahead = 0, limit = q->better[z];
    s->steps++;
    draft_take(&s->scratch, d->at, d->n);
    for (uint32_t at = places_from(&q->inside, 0); at < limit; at = places_from(&q->inside, at + 1)) {
        uint32_t y = q->value_at[at];
        if (has_left(s, done, d, y)) continue;
        if (++ahead > s->ahead || ++draft_at(&s->scratch, untouched(s, y))->count > s->overtaken) return false;
    }
    draft_drop(&s->scratch, z);
    return true;
}

static bool is_empty(const stage *s, uint64_t done, const draft *d) {
    const pqueue_run *q = s->own;
    for (uint32_t at = places_from(&q->inside, 0); at != NO_INDEX; at = places_from(&q->inside, at + 1))
        if (!has_left(s, done, d, q->value_at[at])) return false;
    return true;
}

/* ---- closures ---- */

static bool is_inside(const pqueue_run *q, uint32_t v) { return places_from(&q->inside, q->place[v]) == q->place[v]; }

/* Removals of a chain come best first: in any other order the better one would be overtaken for nothing. And before the
 * removal that the closure is for, only what stands in its way. */
static bool may_follow(const stage *s, uint32_t last, uint32_t p, bool is_goal, bool empties_wait) {
    const pqueue_run *q = s->own;
    if (last == NO_INDEX || empties_wait) return true;
    if (is_goal) return q->priority[last] > q->priority[p] && is_inside(q, last);
    return q->place[last] < q->place[p];
}

static bool may_precede(const stage *s, uint32_t o, bool empties_wait) {
    const pqueue_run *q = s->own;
    if (s->kind != REMOVE_RETURN || empties_wait) return true;
    return q->priority[o] > q->priority[s->value] && is_inside(q, o);
}

/* At the return of an add: does a chain that ends with this removal gain by coming first? */
static bool gains(const stage *s, uint32_t last) {
    const pqueue_run *q = s->own;
    return s->empties | s->tokens || q->priority[last] < q->priority[s->value];
}

static void reach(stage *s, uint32_t i, uint64_t done, uint32_t path, uint32_t last) {
    if (s->goal == NO_SLOT && gains(s, last)) configs_add(&s->next, done, s->scratch.at, s->scratch.n, path);
    stage_reach(s, done, &s->scratch, path, last, (origin){.parent = i, .last = last});
}

/* A pending removal takes any element that no completed one returned. */
static void remove_by_token(stage *s, uint32_t i, uint64_t done, const draft *d, uint32_t path) {
    const pqueue_run *q = s->own;
    uint64_t token = first_token(s, done);
    if (!token) return;
    uint32_t slot = slot_lowest(token);
    for (uint32_t k = 0; k < q->lefts; k++) {
        uint32_t v = q->left[k];
        if (s->lo[v] > moment_of(s->rank) || has_left(s, done, d, v) || !remove_element(s, done, d, v)) continue;
        draft_at(&s->scratch, untouched(s, v))->count = COUNT_TAKEN;
        reach(s, i, done | token, stage_follow(s, path, slot, v), NO_INDEX);
    }
}

static void expand(stage *s, uint32_t i) {
    config c = s->work.configs.at[i];
    uint32_t last = s->origin[i].last;
    draft *d = &s->draft;
    draft_take(d, config_entries(&s->work.configs, &c), c.n);
    if (s->empties & ~c.done && is_empty(s, c.done, d)) {
        c.trail = stage_follow_empties(s, c.trail, s->empties & ~c.done);
        c.done |= s->empties;
        last = NO_INDEX;
        if (s->kind != REMOVE_RETURN) configs_add(&s->next, c.done, d->at, d->n, c.trail);
        if (s->kind == EMPTY_RETURN) return;
    }
    bool empties_wait = s->empties & ~c.done;
    for (uint64_t rest = s->removals & ~c.done; rest; rest &= rest - 1) {
        uint32_t slot = slot_lowest(rest), o = s->what[slot];
        bool is_goal = slot == s->goal;
        if (!may_follow(s, last, o, is_goal, empties_wait) || (!is_goal && !may_precede(s, o, empties_wait))) continue;
        if (!remove_element(s, c.done, d, o)) continue;
        uint32_t path = stage_follow(s, c.trail, slot, o);
        if (is_goal) configs_add(&s->next, c.done | slot_bit(slot), s->scratch.at, s->scratch.n, path);
        else reach(s, i, c.done | slot_bit(slot), path, o);
    }
    remove_by_token(s, i, c.done, d, c.trail);
}

/* ---- what no longer matters ---- */

/* Many configurations ask about the same element at the same event. */
static const rivals *rivals_now(const stage *s, uint32_t v) {
    pqueue_run *q = s->own;
    rivals *r = &q->rivals[v];
    const uint32_t *rival;
    uint32_t n;
    if (r->rank == s->rank) return r;
    *r = (rivals){.rank = s->rank, .left = NO_INDEX};
    if (!overtakers_of(&q->overtakers, v, &rival, &n)) return r;
    r->left = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s->closes[rival[i]] <= s->rank) continue;
        r->left++;
        if (s->slot[rival[i]] != NO_SLOT) r->open |= slot_bit(s->slot[rival[i]]);
    }
    return r;
}

static bool count_matters(const stage *s, uint64_t done, const touched *x) {
    const rivals *r = rivals_now(s, x->element);
    if (r->left == NO_INDEX) return true;
    uint32_t gone = slots_in(done & r->open);
    return x->count + s->c.tokens + r->left - gone > s->overtaken;
}

static void normalize(stage *s, draft *d, uint64_t done) {
    for (uint32_t i = 0; i < d->n;) {
        const touched *x = &d->at[i];
        bool taken = x->count == COUNT_TAKEN;
        if (!taken && (x->count == 0 || is_gone(s, done, x->element) || !count_matters(s, done, x)))
            draft_drop(d, x->element);
        else i++;
    }
}

static void begin(stage *s) {
    pqueue_run *q = s->own;
    places_clear(&q->inside, s->c.values);
}

static void add_called(stage *s, uint32_t v) {
    (void)s;
    (void)v;
}

/* What is no worse than v can leave after v has come as well as before. */
static bool closes_at_add(const stage *s, uint32_t v) {
    const pqueue_run *q = s->own;
    if (s->empties | s->tokens) return true;
    for (uint64_t rest = s->removals; rest; rest &= rest - 1)
        if (q->priority[s->what[slot_lowest(rest)]] < q->priority[v]) return true;
    return false;
}

static void add_returned(stage *s, uint32_t v) {
    pqueue_run *q = s->own;
    places_add(&q->inside, q->place[v]);
}

static void removed(stage *s, uint32_t v, bool add_was_open) {
    pqueue_run *q = s->own;
    if (!add_was_open) places_remove(&q->inside, q->place[v]);
}

static const stage_methods methods = {begin, add_called, closes_at_add, add_returned, removed, expand, normalize};

/* Removals in the order of the trail; adds as late as can be: before their own removal, or before something that was
 * called after they returned. */
static void accept(stage *s) {
    witness steps;
    trail_witness(&s->trail, s->now.at[0].trail, &steps);
    stage_assume_taken(s, &steps);
    uint32_t *order = MEM_ARRAY(uint32_t, s->p->n), n = 0, rank = 0;
    uint8_t *added = mem_zero(s->c.values, 1);
    for (uint32_t k = 0; k <= steps.n; k++) {
        uint32_t v = k < steps.n ? steps.res[k] : NO_INDEX, until = k < steps.n ? s->c.call[steps.op[k]] : s->c.events;
        if (v != NO_INDEX && !added[v] && add_call(&s->c, v) > until) until = add_call(&s->c, v);
        for (; rank < until; rank++) {
            uint32_t other = event_index(s->c.event[rank]);
            if (event_kind_of(s->c.event[rank]) != ADD_RETURN || added[other]) continue;
            added[other] = 1;
            order[n++] = s->c.add[other];
        }
        if (k == steps.n) break;
        if (v != NO_INDEX && !added[v]) order[n++] = s->c.add[v];
        if (v != NO_INDEX) added[v] = 1;
        order[n++] = steps.op[k];
    }
    free(added);
    witness_free(&steps);
    stage_accept(s, order, n);
}

extern const engine engine_pqueue_quasi;

static void decide(const problem *p, outcome *out) {
    stage s;
    if (stage_init(&s, p, &methods, out)) {
        pqueue_run q;
        pqueue_init(&q, &s);
        s.own = &q;
        if (stage_run(&s, engine_setting_of(&engine_pqueue_quasi, p, 0))) accept(&s);
        else if (!s.stopped)
            stage_violation(&s, &(overtakings){.c = &s.c, .order = BEST_AHEAD, .priority = q.priority});
        pqueue_free(&q);
    }
    out->steps += s.steps;
    stage_free(&s);
}

ENGINE_RECORD(engine_pqueue_quasi, "pqueue-quasi",
              "event by event, every order of open removals; adds take effect as late as they can",
              .growth = "n * 2^(open removals) and more", .objects = "pqueue-max pqueue-min",
              .criteria = CRITERION_BIT(CRITERION_QUASI) | CRITERION_BIT(CRITERION_OUT_OF_ORDER),
              .needs = NEEDS_DISTINCT, .promises = PROMISES_SOUND | PROMISES_WITNESS, .cost = COST_NEAR_LINEAR,
              .settings = {STAGE_SETTING}, .accepts = inventory_accepts, .decide = decide);
