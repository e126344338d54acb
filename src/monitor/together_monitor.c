/* Objects whose operations take effect together (object/set_spec.h): every way things can stand after the events so
 * far. A way is which of the open operations have begun, which have ended and what these will have to return, and the
 * object's state. At a return, ways in which the operation has not ended are extended by steps of open ones until it
 * has; no way left: a violation. Steps can be put off until then (engine/general/together.c has the argument), so the
 * ways are exactly the beginnings of interval-linearizations of the history so far, open operations being pending.
 *
 * The cost grows with 3^(operations open at once), 2^ for sets; beyond the limits of the options the verdict is
 * undecided. */
#include "monitor/standing.h"

#include "object/set_spec.h"

enum {
    SLOTS = STANDING_SLOTS,
    HEAD = 4 /* words of a way before the results: ended and begun */,
    MOST_STEPS = 1 << 20
};
_Static_assert((int)SLOTS <= (int)TOGETHER_MAX, "all that are open may take part in one step");

typedef struct together_frontier {
    standing all;
    const set_spec *spec;
    bool intervals;
    uint32_t steps;     /* tried at this event */
    uint64_t returning; /* the slot of the one that returns now */
} together_frontier;

typedef struct together_way {
    uint64_t ended, begun;  /* `begun` and not ended */
    const uint32_t *result; /* of those that ended, by slot */
    const uint32_t *state;
    uint32_t n; /* words of the state */
} together_way;

static together_way way_at(const ways *w, uint32_t i) {
    const uint32_t *words = w->word + w->start[i];
    together_way c = {.ended = words[0] | (uint64_t)words[1] << 32,
                      .begun = words[2] | (uint64_t)words[3] << 32,
                      .result = words + HEAD};
    c.state = c.result + slots_in(c.ended);
    assert(i < w->n && c.state <= w->word + w->start[i + 1] && !(c.ended & c.begun));
    c.n = (uint32_t)(w->word + w->start[i + 1] - c.state);
    return c;
}

static value result_of(const together_way *c, unsigned slot) {
    assert(c->ended & slot_bit(slot));
    return c->result[slots_in(c->ended & (slot_bit(slot) - 1))];
}

/* Results by slot: `res` has those of all that ended. */
static void add_way(together_frontier *g, ways *to, uint64_t ended, uint64_t begun, const value *res,
                    const uint32_t *words, uint32_t n) {
    uint32_t need = HEAD + slots_in(ended) + n;
    assert(!(ended & begun) && !((ended | begun) & ~g->all.open));
    uint32_t *p = standing_draft(&g->all, need);
    *p++ = (uint32_t)ended;
    *p++ = (uint32_t)(ended >> 32);
    *p++ = (uint32_t)begun;
    *p++ = (uint32_t)(begun >> 32);
    for (uint64_t rest = ended; rest; rest &= rest - 1) *p++ = res[slot_lowest(rest)];
    if (n) memcpy(p, words, n * sizeof *p);
    ways_add(to, g->all.draft, need);
}

static void results_by_slot(const together_way *c, value res[SLOTS]) {
    for (uint64_t rest = c->ended; rest; rest &= rest - 1) res[slot_lowest(rest)] = result_of(c, slot_lowest(rest));
}

/* The way without slot s. */
static void add_without(together_frontier *g, ways *to, const together_way *c, unsigned s) {
    value res[SLOTS];
    results_by_slot(c, res);
    add_way(g, to, c->ended & ~slot_bit(s), c->begun & ~slot_bit(s), res, c->state, c->n);
}

/* ---- steps ---- */

static bool too_many(together_frontier *g) {
    if (standing_too_many(&g->all)) return true;
    if (g->steps <= MOST_STEPS) return false;
    part_undecided(g->all.part, "more than %d steps that may have been taken, with %u operations open at once",
                   MOST_STEPS, slots_in(g->all.open));
    return true;
}

/* Every outcome of one step from way i. An operation that is pending for ever returns nothing, so that its result makes
 * no difference. */
static bool take_step(together_frontier *g, uint32_t i, uint64_t begins, uint64_t ends) {
    operation op[SLOTS];
    unsigned slot[SLOTS];
    value res[SLOTS], all[SLOTS];
    together t = {.n = 0};
    together_way c = way_at(&g->all.work, i);
    assert(!(begins & (c.begun | c.ended)) && !(ends & ~(c.begun | begins)) && !(begins & ~g->all.open));
    for (uint64_t rest = c.begun | begins; rest; rest &= rest - 1) {
        unsigned s = slot[t.n] = slot_lowest(rest);
        op[t.n] = monitored_view(&g->all.slot[s]->op);
        together_add(&t, &op[t.n], begins & slot_bit(s), ends & slot_bit(s));
    }
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        g->steps++;
        if (too_many(g)) return false;
        c = way_at(&g->all.work, i); /* the words move when something is added */
        state_set(&g->all.state, c.state, c.n);
        r = g->spec->step(g->all.o, &g->all.state, &t, choice, res);
        if (r == STEP_ILLEGAL) break;
        results_by_slot(&c, all);
        for (uint32_t k = 0; k < t.n; k++)
            if (together_ends(&t, k)) all[slot[k]] = g->all.slot[slot[k]]->pending ? VALUE_NONE : res[k];
        add_way(g, &g->all.work, c.ended | ends, (c.begun | begins) & ~ends, all, g->all.state.w, g->all.state.n);
    }
    return true;
}

static uint64_t that_return(const together_frontier *g, uint64_t who) {
    uint64_t set = 0;
    for (uint64_t rest = who; rest; rest &= rest - 1)
        if (!g->all.slot[slot_lowest(rest)]->pending) set |= rest & -rest;
    return set;
}

static bool begin_with(together_frontier *g, uint32_t i, uint64_t begins) {
    uint64_t who = way_at(&g->all.work, i).begun | begins;
    if (!g->intervals) return take_step(g, i, begins, who);
    if (g->spec->late) return !(who & g->returning) || take_step(g, i, begins, g->returning);
    uint64_t may = g->spec->end_may_be_omitted ? that_return(g, who) : who;
    for (uint64_t ends = may; ends; ends = (ends - 1) & may)
        if (!take_step(g, i, begins, ends)) return false;
    return true;
}

static bool begin_more(together_frontier *g, uint32_t i, uint64_t begins, uint64_t rest, uint32_t room) {
    for (; rest && room; rest &= rest - 1) {
        uint64_t with = begins | (rest & -rest);
        if (!begin_with(g, i, with) || !begin_more(g, i, with, rest & (rest - 1), room - 1)) return false;
    }
    return true;
}

/* Eager operations could all begin, but any of them may turn out never to have happened, unless it is pending for
 * ever. */
static bool extend(together_frontier *g, uint32_t i) {
    together_way c = way_at(&g->all.work, i);
    uint64_t fresh = g->all.open & ~c.ended & ~c.begun;
    uint64_t sure = g->intervals && g->spec->eager ? fresh & ~that_return(g, fresh) : 0;
    if ((sure || g->spec->late) && !begin_with(g, i, sure)) return false;
    return begin_more(g, i, sure, fresh & ~sure, g->spec->most ? g->spec->most : SLOTS);
}

/* ---- events ---- */

static void call_together(void *self, open_operation *op) { standing_call(&((together_frontier *)self)->all, op); }

static void say_violation(together_frontier *g, const monitored *op) {
    text what = {0};
    operation view = monitored_view(op);
    operation_print(g->all.o, &view, &what);
    text_add(&what, " fits no sequence of steps of the operations");
    part_violation(g->all.part, "%s", text_str(&what));
    text_free(&what);
    standing_show(&g->all, op);
}

/* Ways in which it has ended with another result than it returned are none. False: undecided. */
static bool close_under(together_frontier *g, unsigned s) {
    ways_clear(&g->all.work);
    ways_clear(&g->all.next);
    g->steps = 0;
    g->returning = slot_bit(s);
    for (uint32_t i = 0; i < g->all.now.n; i++) {
        together_way c = way_at(&g->all.now, i);
        if (!(c.ended & slot_bit(s)) || monitored_says(g->all.o, &g->all.slot[s]->op, result_of(&c, s)))
            standing_keep(&g->all.work, &g->all.now, i);
    }
    for (uint32_t i = 0; i < g->all.work.n; i++) {
        together_way c = way_at(&g->all.work, i);
        if (c.ended & slot_bit(s)) add_without(g, &g->all.next, &c, s);
        else if (!extend(g, i)) return false;
    }
    return true;
}

static void return_together(void *self, open_operation *op) {
    together_frontier *g = self;
    unsigned s = (unsigned)op->mine;
    if (!close_under(g, s)) return;
    if (!g->all.next.n) {
        say_violation(g, &op->op);
        return;
    }
    standing_return(&g->all, op);
}

/* Pending for ever: its result does not matter any more; when it has ended in every way, neither does the operation. */
static void pend_together(void *self, open_operation *op) {
    together_frontier *g = self;
    unsigned s = (unsigned)op->mine;
    bool all = true;
    for (uint32_t i = 0; i < g->all.now.n && all; i++) all = way_at(&g->all.now, i).ended & slot_bit(s);
    ways_clear(&g->all.next);
    for (uint32_t i = 0; i < g->all.now.n; i++) {
        together_way c = way_at(&g->all.now, i);
        value res[SLOTS];
        results_by_slot(&c, res);
        if (c.ended & slot_bit(s)) res[s] = VALUE_NONE;
        if (all) add_without(g, &g->all.next, &c, s);
        else add_way(g, &g->all.next, c.ended, c.begun, res, c.state, c.n);
    }
    ways_swap(&g->all.now, &g->all.next);
    if (!all) return;
    g->all.returned += STANDING_RECENT; /* evidence would need it */
    standing_forget(&g->all, op);
}

static void drop_together(void *self, open_operation *op) {
    together_frontier *g = self;
    unsigned s = (unsigned)op->mine;
    ways_clear(&g->all.next);
    for (uint32_t i = 0; i < g->all.now.n; i++) {
        together_way c = way_at(&g->all.now, i);
        if (!((c.ended | c.begun) & slot_bit(s))) standing_keep(&g->all.next, &g->all.now, i);
    }
    assert(g->all.open & slot_bit(s));
    g->all.open &= ~slot_bit(s);
    if (g->all.next.n) {
        ways_swap(&g->all.now, &g->all.next);
        standing_check(&g->all);
        return;
    }
    part_violation(
        g->all.part,
        "without an operation that did not happen, the results that others returned fit no sequence of steps");
    standing_show(&g->all, NULL);
}

/* ---- making ---- */

static void *create(monitor_part *p) {
    together_frontier *g = MEM_NEW(together_frontier);
    standing_init(&g->all, p);
    g->spec = g->all.o->type->together;
    g->intervals = object_has_intervals(g->all.o);
    add_way(g, &g->all.now, 0, 0, NULL, p->rest.w, p->rest.n);
    return g;
}

static void destroy(void *self) {
    standing_free(&((together_frontier *)self)->all);
    free(self);
}

static bool rest(void *self, state *s) {
    together_frontier *g = self;
    if (g->all.open || g->all.now.n != 1) return false;
    together_way c = way_at(&g->all.now, 0);
    state_set(s, c.state, c.n);
    return true;
}

static void store_together(void *self, store *s) { standing_store(&((together_frontier *)self)->all, s); }

static uint64_t live(const void *self) { return ((const together_frontier *)self)->all.now.n; }

static size_t memory(const void *self) {
    return sizeof(together_frontier) + standing_memory(&((const together_frontier *)self)->all);
}

/* An object with half-way states is one whose operations take effect together, written down as a sequential one
 * (object/exchanger.c). */
static bool accepts(const object *o) {
    return o->type->together && (criterion_is_together(&o->criterion) || o->type->may_end);
}

MONITOR_RECORD(monitor_together, "together",
               "objects whose operations take effect together: every way things can stand; costs 3^(open operations)",
               .accepts = accepts, .create = create, .destroy = destroy, .call = call_together, .ret = return_together,
               .pend = pend_together, .drop = drop_together, .rest = rest, .store = store_together, .live = live,
               .memory = memory);
