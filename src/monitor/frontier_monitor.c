/* Any object: every way things can stand after the events so far. A way is the set of open operations that have taken
 * effect, what each of them will have to return, and the object's state. At a return, ways in which the operation has
 * not taken effect are extended by open ones until it has; no way left: a violation, and no earlier event was one,
 * because the ways are exactly the linearizations of the history so far, open operations being pending
 * (docs/MONITORS.md).
 *
 * One operation at a time costs one step. Otherwise the cost grows with 2^(operations open at once); when there are
 * more ways than the options allow, the verdict is undecided. */
#include "monitor/standing.h"

enum { EVIDENCE_EVERY = STANDING_RECENT / 2 };

/* ---- one way ---- */

typedef struct frontier_way {
    uint64_t done;
    const uint32_t *result; /* of those done, by slot */
    const uint32_t *state;
    uint32_t n; /* words of the state */
} frontier_way;

static frontier_way way_at(const ways *w, uint32_t i) {
    const uint32_t *words = w->word + w->start[i];
    frontier_way c = {.done = words[0] | (uint64_t)words[1] << 32, .result = words + 2};
    c.state = c.result + slots_in(c.done);
    assert(i < w->n && c.state <= w->word + w->start[i + 1]);
    c.n = (uint32_t)(w->word + w->start[i + 1] - c.state);
    return c;
}

static unsigned place_of(const frontier_way *c, unsigned slot) { return slots_in(c->done & (slot_bit(slot) - 1)); }

/* The way with slot s added (result known) or taken away, and with f->state as its state if that is wanted. */
static uint32_t *draft_begin(standing *f, uint64_t done, uint32_t state_words) {
    uint32_t *draft = standing_draft(f, 2 + slots_in(done) + state_words);
    draft[0] = (uint32_t)done;
    draft[1] = (uint32_t)(done >> 32);
    return draft + 2;
}

static void add_with(standing *f, ways *to, const frontier_way *c, unsigned s, value res) {
    uint64_t done = c->done | slot_bit(s);
    assert(!(c->done & slot_bit(s)) && f->open & slot_bit(s)); /* takes effect once, while it is open */
    unsigned before = place_of(c, s), all = slots_in(c->done);
    uint32_t *p = draft_begin(f, done, f->state.n);
    for (unsigned i = 0; i < before; i++) *p++ = c->result[i];
    *p++ = res;
    for (unsigned i = before; i < all; i++) *p++ = c->result[i];
    assert((size_t)(p - f->draft) == 2 + slots_in(done));
    if (f->state.n) memcpy(p, f->state.w, f->state.n * sizeof *p);
    ways_add(to, f->draft, (size_t)(p - f->draft) + f->state.n);
}

static void add_without(standing *f, ways *to, const frontier_way *c, unsigned s) {
    unsigned before = place_of(c, s), all = slots_in(c->done);
    assert(c->done & slot_bit(s));
    uint32_t *p = draft_begin(f, c->done & ~slot_bit(s), c->n);
    for (unsigned i = 0; i < all; i++)
        if (i != before) *p++ = c->result[i];
    assert((size_t)(p - f->draft) == 1 + all);
    if (c->n) memcpy(p, c->state, c->n * sizeof *p);
    ways_add(to, f->draft, (size_t)(p - f->draft) + c->n);
}

/* An operation that is pending for ever returns nothing, so that its result makes no difference. */
static void add_without_result(standing *f, ways *to, const frontier_way *c, unsigned s) {
    unsigned at = place_of(c, s), all = slots_in(c->done);
    assert(c->done & slot_bit(s) && f->slot[s]->pending);
    uint32_t *p = draft_begin(f, c->done, c->n);
    for (unsigned i = 0; i < all; i++) *p++ = i == at ? VALUE_NONE : c->result[i];
    if (c->n) memcpy(p, c->state, c->n * sizeof *p);
    ways_add(to, f->draft, (size_t)(p - f->draft) + c->n);
}

/* ---- events ---- */

static void extend_by(standing *f, uint32_t i, unsigned s) {
    operation op = monitored_view(&f->slot[s]->op);
    bool forever = f->slot[s]->pending;
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        value res;
        frontier_way c = way_at(&f->work, i); /* the words move when something is added */
        state_set(&f->state, c.state, c.n);
        r = f->o->type->step(f->o, &f->state, &op, choice, &res);
        if (r == STEP_ILLEGAL) return;
        add_with(f, &f->work, &c, s, forever ? VALUE_NONE : res);
    }
}

static void say_violation(standing *f, const monitored *op) {
    text what = {0};
    operation view = monitored_view(op);
    operation_print(f->o, &view, &what);
    if (f->now.n == 1) {
        frontier_way c = way_at(&f->now, 0);
        state_set(&f->state, c.state, c.n);
        text_add(&what, " cannot take effect: ");
        object_why_not(f->o, &f->state, &view, &what);
    } else {
        text_add(&what, " fits no order of the operations");
    }
    part_violation(f->part, "%s", text_str(&what));
    text_free(&what);
    standing_show(f, op);
}

/* Nothing else is open: one step from each way. */
static void return_alone(standing *f, unsigned s) {
    operation op = monitored_view(&f->slot[s]->op);
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++) {
        step_result r = STEP_LEGAL_MORE;
        for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
            value res;
            frontier_way c = way_at(&f->now, i);
            state_set(&f->state, c.state, c.n);
            r = f->o->type->step(f->o, &f->state, &op, choice, &res);
            if (r == STEP_ILLEGAL) break;
            draft_begin(f, 0, f->state.n);
            if (f->state.n) memcpy(f->draft + 2, f->state.w, f->state.n * sizeof *f->draft);
            ways_add(&f->next, f->draft, 2 + f->state.n);
        }
    }
}

static bool nothing_is_done(const standing *f) {
    for (uint32_t i = 0; i < f->now.n; i++)
        if (way_at(&f->now, i).done) return false;
    return true;
}

static bool return_among_others(standing *f, unsigned s) {
    ways_clear(&f->work);
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++) {
        frontier_way c = way_at(&f->now, i);
        if (!(c.done & slot_bit(s)) || monitored_says(f->o, &f->slot[s]->op, c.result[place_of(&c, s)]))
            standing_keep(&f->work, &f->now, i);
    }
    for (uint32_t i = 0; i < f->work.n; i++) {
        frontier_way c = way_at(&f->work, i);
        assert(!(c.done & ~f->open));
        if (c.done & slot_bit(s)) {
            add_without(f, &f->next, &c, s);
            continue;
        }
        for (uint64_t rest = f->open & ~c.done; rest; rest &= rest - 1) extend_by(f, i, slot_lowest(rest));
        if (standing_too_many(f)) return false;
    }
    return true;
}

/* With nothing open and the object as in the beginning, what came before is no part of any later evidence. */
static void begin_evidence_again(standing *f) {
    if (f->returned % EVIDENCE_EVERY || f->open || f->now.n != 1) return;
    frontier_way c = way_at(&f->now, 0);
    state first = {0};
    f->o->type->init(f->o, &first);
    state_set(&f->state, c.state, c.n);
    if (state_equal(&first, &f->state)) f->returned = 0;
    state_free(&first);
}

static void call_frontier(void *self, open_operation *op) { standing_call(self, op); }

static void return_frontier(void *self, open_operation *op) {
    standing *f = self;
    unsigned s = (unsigned)op->mine;
    assert(f->open & slot_bit(s) && f->slot[s] == op);
    if (f->open == slot_bit(s) && nothing_is_done(f)) return_alone(f, s);
    else if (!return_among_others(f, s)) return;
    if (!f->next.n) {
        say_violation(f, &op->op);
        return;
    }
    standing_return(f, op);
    begin_evidence_again(f);
}

static bool all_have(const standing *f, unsigned s) {
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!(way_at(&f->now, i).done & slot_bit(s))) return false;
    return true;
}

/* Operations that are pending for ever and have taken effect in every way need a slot no more. */
static void forget_pending(standing *f, unsigned s) {
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++) {
        frontier_way c = way_at(&f->now, i);
        add_without(f, &f->next, &c, s);
    }
    ways_swap(&f->now, &f->next);
    f->returned += STANDING_RECENT; /* evidence would need it */
    standing_forget(f, f->slot[s]);
}

static void pend_frontier(void *self, open_operation *op) {
    standing *f = self;
    unsigned s = (unsigned)op->mine;
    if (object_method(f->o, &(operation){.method = op->op.method})->role & ROLE_OBSERVES) {
        ways_clear(&f->next); /* it changes nothing, whatever it saw */
        for (uint32_t i = 0; i < f->now.n; i++) {
            frontier_way c = way_at(&f->now, i);
            if (c.done & slot_bit(s)) add_without(f, &f->next, &c, s);
            else standing_keep(&f->next, &f->now, i);
        }
        ways_swap(&f->now, &f->next);
        standing_forget(f, op);
        return;
    }
    if (all_have(f, s)) {
        forget_pending(f, s);
        return;
    }
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++) {
        frontier_way c = way_at(&f->now, i);
        if (c.done & slot_bit(s)) add_without_result(f, &f->next, &c, s);
        else standing_keep(&f->next, &f->now, i);
    }
    ways_swap(&f->now, &f->next);
}

static void drop_frontier(void *self, open_operation *op) {
    standing *f = self;
    unsigned s = (unsigned)op->mine;
    ways_clear(&f->next);
    for (uint32_t i = 0; i < f->now.n; i++)
        if (!(way_at(&f->now, i).done & slot_bit(s))) standing_keep(&f->next, &f->now, i);
    assert(f->open & slot_bit(s));
    f->open &= ~slot_bit(s);
    if (f->next.n) {
        ways_swap(&f->now, &f->next);
        standing_check(f);
        return;
    }
    part_violation(f->part, "without an operation that did not happen, the results that others returned fit no order");
    standing_show(f, NULL);
}

/* ---- making ---- */

static void *create(monitor_part *p) {
    standing *f = MEM_NEW(standing);
    standing_init(f, p);
    uint32_t *words = draft_begin(f, 0, p->rest.n);
    if (p->rest.n) memcpy(words, p->rest.w, p->rest.n * sizeof *words);
    ways_add(&f->now, f->draft, 2 + p->rest.n);
    return f;
}

static void destroy(void *self) {
    standing_free(self);
    free(self);
}

static bool rest(void *self, state *s) {
    standing *f = self;
    if (f->open || f->now.n != 1) return false;
    frontier_way c = way_at(&f->now, 0);
    state_set(s, c.state, c.n);
    return true;
}

static void store_frontier(void *self, store *s) { standing_store(self, s); }

static uint64_t live(const void *self) { return ((const standing *)self)->now.n; }

static size_t memory(const void *self) { return sizeof(standing) + standing_memory(self); }

/* Two operations that take effect at one moment are beyond it. */
static bool accepts(const object *o) { return !o->type->may_end && !criterion_is_together(&o->criterion); }

MONITOR_RECORD(monitor_frontier, "frontier", "any object: every way things can stand; costs 2^(open operations)",
               .accepts = accepts, .create = create, .destroy = destroy, .call = call_frontier, .ret = return_frontier,
               .pend = pend_frontier, .drop = drop_frontier, .rest = rest, .store = store_frontier, .live = live,
               .memory = memory);
