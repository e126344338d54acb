/* Any object: every way things can stand after the events so far. A way is the set of open operations that have taken
 * effect, what each of them will have to return, and the object's state. At a return, ways in which the operation has not
 * taken effect are extended by open ones until it has; no way left: a violation, and no earlier event was one, because the
 * ways are exactly the linearizations of the history so far, open operations being pending (docs/MONITORS.md).
 *
 * One operation at a time costs one step. Otherwise the cost grows with 2^(operations open at once); when there are more
 * ways than the options allow, the verdict is undecided. */
#include "monitor/ways.h"

enum { SLOTS = 64, RECENT = 24 };

typedef struct frontier {
    monitor_part *part;
    const object *o;
    open_operation *slot[SLOTS];
    uint64_t open;
    ways now, work, next;
    state state;
    uint32_t *draft;       /* a way in the making */
    uint32_t draft_room;
    monitored recent[RECENT]; /* the first operations that returned, for evidence */
    uint64_t returned;
} frontier;

static uint64_t bit(unsigned slot) { return UINT64_C(1) << slot; }
static unsigned lowest(uint64_t set) { return (unsigned)__builtin_ctzll(set); }
static unsigned size_of(uint64_t set) { return (unsigned)__builtin_popcountll(set); }

/* ---- one way ------------------------------------------------------------------------------------------------------- */

typedef struct way {
    uint64_t done;
    const uint32_t *result; /* of those done, by slot */
    const uint32_t *state;
    uint32_t n;             /* words of the state */
} way;

static way way_at(const ways *w, uint32_t i) {
    const uint32_t *words = w->word + w->start[i];
    way c = {.done = words[0] | (uint64_t)words[1] << 32, .result = words + 2};
    c.state = c.result + size_of(c.done);
    c.n = (uint32_t)(w->word + w->start[i + 1] - c.state);
    return c;
}

static unsigned place_of(const way *c, unsigned slot) { return size_of(c->done & (bit(slot) - 1)); }

/* The way with slot s added (result known) or taken away, and with f->state as its state if that is wanted. */
static void draft_begin(frontier *f, uint64_t done, uint32_t state_words) {
    uint32_t need = 2 + size_of(done) + state_words;
    if (need > f->draft_room) {
        f->draft_room = 2 * need;
        f->draft = MEM_GROW(f->draft, uint32_t, f->draft_room);
    }
    f->draft[0] = (uint32_t)done;
    f->draft[1] = (uint32_t)(done >> 32);
}

static void add_with(frontier *f, ways *to, const way *c, unsigned s, value res) {
    uint64_t done = c->done | bit(s);
    unsigned before = place_of(c, s), all = size_of(c->done);
    draft_begin(f, done, f->state.n);
    uint32_t *p = f->draft + 2;
    for (unsigned i = 0; i < before; i++) *p++ = c->result[i];
    *p++ = res;
    for (unsigned i = before; i < all; i++) *p++ = c->result[i];
    if (f->state.n) memcpy(p, f->state.w, f->state.n * sizeof *p);
    ways_add(to, f->draft, (size_t)(p - f->draft) + f->state.n);
}

static void add_without(frontier *f, ways *to, const way *c, unsigned s) {
    unsigned before = place_of(c, s), all = size_of(c->done);
    draft_begin(f, c->done & ~bit(s), c->n);
    uint32_t *p = f->draft + 2;
    for (unsigned i = 0; i < all; i++)
        if (i != before) *p++ = c->result[i];
    if (c->n) memcpy(p, c->state, c->n * sizeof *p);
    ways_add(to, f->draft, (size_t)(p - f->draft) + c->n);
}

/* Whoever is pending for ever returns nothing, so that its result makes no difference. */
static void add_without_result(frontier *f, ways *to, const way *c, unsigned s) {
    unsigned at = place_of(c, s), all = size_of(c->done);
    draft_begin(f, c->done, c->n);
    uint32_t *p = f->draft + 2;
    for (unsigned i = 0; i < all; i++) *p++ = i == at ? VALUE_NONE : c->result[i];
    if (c->n) memcpy(p, c->state, c->n * sizeof *p);
    ways_add(to, f->draft, (size_t)(p - f->draft) + c->n);
}

/* ---- events ------------------------------------------------------------------------------------------------------------ */

static void extend_by(frontier *f, uint32_t i, unsigned s) {
    operation op = monitored_view(&f->slot[s]->op);
    bool forever = f->slot[s]->pending;
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        value res;
        way c = way_at(&f->work, i); /* the words move when something is added */
        state_set(&f->state, c.state, c.n);
        r = f->o->type->step(f->o, &f->state, &op, choice, &res);
        if (r == STEP_ILLEGAL) return;
        add_with(f, &f->work, &c, s, forever ? VALUE_NONE : res);
    }
}

static void say_violation(frontier *f, const monitored *op) {
    text what = {0};
    operation view = monitored_view(op);
    operation_print(f->o, &view, &what);
    if (f->now.n == 1) {
        way c = way_at(&f->now, 0);
        state_set(&f->state, c.state, c.n);
        text_add(&what, " cannot take effect: ");
        object_why_not(f->o, &f->state, &view, &what);
    } else {
        text_add(&what, " fits no order of the operations");
    }
    part_violation(f->part, "%s", text_str(&what));
    text_free(&what);
    if (f->returned >= RECENT) return; /* what came before is forgotten */
    for (uint32_t i = 0; i < f->returned; i++) part_pattern(f->part, &f->recent[i]);
    for (uint64_t rest = f->open; rest; rest &= rest - 1) part_pattern(f->part, &f->slot[lowest(rest)]->op);
    part_pattern(f->part, op);
}

/* Nothing else is open: one step from each way. */
static void return_alone(frontier *f, unsigned s) {
    operation op = monitored_view(&f->slot[s]->op);
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++) {
        step_result r = STEP_LEGAL_MORE;
        for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
            value res;
            way c = way_at(&f->now, i);
            state_set(&f->state, c.state, c.n);
            r = f->o->type->step(f->o, &f->state, &op, choice, &res);
            if (r == STEP_ILLEGAL) break;
            draft_begin(f, 0, f->state.n);
            if (f->state.n) memcpy(f->draft + 2, f->state.w, f->state.n * sizeof *f->draft);
            ways_add(&f->next, f->draft, 2 + f->state.n);
        }
    }
}

static bool nobody_is_done(const frontier *f) {
    for (uint32_t i = 0; i < f->now.n; i++)
        if (way_at(&f->now, i).done) return false;
    return true;
}

static bool return_among_others(frontier *f, unsigned s) {
    ways_clear(&f->work);
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++) {
        way c = way_at(&f->now, i);
        if (!(c.done & bit(s)) || monitored_says(f->o, &f->slot[s]->op, c.result[place_of(&c, s)]))
            ways_add(&f->work, f->now.word + f->now.start[i], f->now.start[i + 1] - f->now.start[i]);
    }
    for (uint32_t i = 0; i < f->work.n; i++) {
        way c = way_at(&f->work, i);
        if (c.done & bit(s)) {
            add_without(f, &f->next, &c, s);
            continue;
        }
        for (uint64_t rest = f->open & ~c.done; rest; rest &= rest - 1) extend_by(f, i, lowest(rest));
        if (f->work.n <= part_options(f->part)->max_ways) continue;
        part_undecided(f->part, "more than %u ways things can stand, with %u operations open at once", part_options(f->part)->max_ways,
                       size_of(f->open));
        return false;
    }
    return true;
}

static void call_frontier(void *self, open_operation *op) {
    frontier *f = self;
    if (~f->open == 0) {
        part_undecided(f->part, "more than %d operations are open at once", SLOTS);
        return;
    }
    op->mine = lowest(~f->open);
    f->slot[op->mine] = op;
    f->open |= bit((unsigned)op->mine);
}

static void return_frontier(void *self, open_operation *op) {
    frontier *f = self;
    unsigned s = (unsigned)op->mine;
    if (f->open == bit(s) && nobody_is_done(f)) return_alone(f, s);
    else if (!return_among_others(f, s)) return;
    if (!f->next.n) {
        say_violation(f, &op->op);
        return;
    }
    ways_swap(&f->now, &f->next);
    f->open &= ~bit(s);
    if (f->returned < RECENT) f->recent[f->returned] = op->op;
    f->returned++;
}

static bool all_have(const frontier *f, unsigned s) {
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!(way_at(&f->now, i).done & bit(s))) return false;
    return true;
}

/* Operations that are pending for ever and have taken effect in every way need a slot no more. */
static void forget_pending(frontier *f, unsigned s) {
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++) {
        way c = way_at(&f->now, i);
        add_without(f, &f->next, &c, s);
    }
    ways_swap(&f->now, &f->next);
    f->open &= ~bit(s);
    f->returned += RECENT; /* evidence would need it */
    open_operation_free(f->part, f->slot[s]);
}

static void pend_frontier(void *self, open_operation *op) {
    frontier *f = self;
    unsigned s = (unsigned)op->mine;
    if (object_method(f->o, &(operation){.method = op->op.method})->role & ROLE_OBSERVES) {
        ways_clear(&f->next); /* it changes nothing, whatever it saw */
        for (uint32_t i = 0; i < f->now.n; i++) {
            way c = way_at(&f->now, i);
            if (c.done & bit(s)) add_without(f, &f->next, &c, s);
            else ways_add(&f->next, f->now.word + f->now.start[i], f->now.start[i + 1] - f->now.start[i]);
        }
        ways_swap(&f->now, &f->next);
        f->open &= ~bit(s);
        open_operation_free(f->part, op);
        return;
    }
    if (all_have(f, s)) {
        forget_pending(f, s);
        return;
    }
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++) {
        way c = way_at(&f->now, i);
        if (c.done & bit(s)) add_without_result(f, &f->next, &c, s);
        else ways_add(&f->next, f->now.word + f->now.start[i], f->now.start[i + 1] - f->now.start[i]);
    }
    ways_swap(&f->now, &f->next);
}

static void drop_frontier(void *self, open_operation *op) {
    frontier *f = self;
    unsigned s = (unsigned)op->mine;
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!(way_at(&f->now, i).done & bit(s)))
            ways_add(&f->next, f->now.word + f->now.start[i], f->now.start[i + 1] - f->now.start[i]);
    f->open &= ~bit(s);
    if (f->next.n) {
        ways_swap(&f->now, &f->next);
        return;
    }
    part_violation(f->part, "without an operation that did not happen, the results that others returned fit no order");
    if (f->returned >= RECENT) return;
    for (uint32_t i = 0; i < f->returned; i++) part_pattern(f->part, &f->recent[i]);
    for (uint64_t rest = f->open; rest; rest &= rest - 1) part_pattern(f->part, &f->slot[lowest(rest)]->op);
}

/* ---- making ---------------------------------------------------------------------------------------------------------------- */

static void *create(monitor_part *p) {
    frontier *f = MEM_NEW(frontier);
    f->part = p;
    f->o = part_object(p);
    ways_init(&f->now);
    ways_init(&f->work);
    ways_init(&f->next);
    state_copy(&f->state, &p->rest);
    draft_begin(f, 0, f->state.n);
    if (f->state.n) memcpy(f->draft + 2, f->state.w, f->state.n * sizeof *f->draft);
    ways_add(&f->now, f->draft, 2 + f->state.n);
    state first = {0};
    f->o->type->init(f->o, &first);
    if (!state_equal(&first, &p->rest)) f->returned = RECENT; /* does not begin at the beginning: no evidence */
    state_free(&first);
    return f;
}

static void destroy(void *self) {
    frontier *f = self;
    ways_free(&f->now);
    ways_free(&f->work);
    ways_free(&f->next);
    state_free(&f->state);
    free(f->draft);
    free(f);
}

static bool rest(void *self, state *s) {
    frontier *f = self;
    if (f->open || f->now.n != 1) return false;
    way c = way_at(&f->now, 0);
    state_set(s, c.state, c.n);
    return true;
}

static void store_frontier(void *self, store *s) {
    frontier *f = self;
    STORE(s, f->open);
    STORE(s, f->recent);
    STORE(s, f->returned);
    ways_store(s, &f->now);
    for (uint64_t rest = f->open; rest && !s->bad; rest &= rest - 1) store_open(s, f->part, &f->slot[lowest(rest)]);
}

static uint64_t live(const void *self) { return ((const frontier *)self)->now.n; }

static size_t memory(const void *self) {
    const frontier *f = self;
    return sizeof *f + ways_memory(&f->now) + ways_memory(&f->work) + ways_memory(&f->next) + f->draft_room * sizeof *f->draft;
}

/* Two operations that take effect at one moment are beyond it. */
static bool accepts(const object *o) { return !o->type->may_end && !criterion_is_together(&o->criterion); }

const monitor_type monitor_frontier = {
    .name = "frontier",
    .summary = "any object: every way things can stand; costs 2^(open operations)",
    .accepts = accepts,
    .create = create,
    .destroy = destroy,
    .call = call_frontier,
    .ret = return_frontier,
    .pend = pend_frontier,
    .drop = drop_frontier,
    .rest = rest,
    .store = store_frontier,
    .live = live,
    .memory = memory,
};
