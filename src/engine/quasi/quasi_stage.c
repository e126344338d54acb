#include "engine/quasi/quasi_stage.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { WORK_PER_CONFIGURATION = 16 }; /* reached in one closure, when not all are kept */

/* ---- set up and take down ---- */

static void count_opened(stage *s) {
    uint32_t *opened = mem_zero((size_t)s->c.events + 1, sizeof *opened), n = s->c.values;
    for (uint32_t v = 0; v < n; v++)
        if (!is_left(s, v)) opened[s->opens[v] + 1]++;
    for (uint32_t r = 0; r < s->c.events; r++) opened[r + 1] += opened[r];
    for (uint32_t v = 0; v < n; v++)
        s->opened_before[v] = opened[s->closes[v] == RANK_NEVER ? s->c.events : s->closes[v]];
    free(opened);
}

static void set_windows(stage *s) {
    for (uint32_t v = 0; v < s->c.values; v++) {
        uint32_t called = add_call(&s->c, v), returned = add_return(&s->c, v);
        s->opens[v] = remove_call(&s->c, v);
        s->closes[v] = remove_return(&s->c, v);
        if (s->opens[v] < called) s->opens[v] = called;
        if (s->closes[v] < returned) returned = s->closes[v];
        s->lo[v] = moment_of(called);
        s->hi[v] = moment_of(returned);
        assert(s->lo[v] < s->hi[v] && (is_left(s, v) || s->opens[v] < s->closes[v]));
        s->slot[v] = NO_SLOT;
    }
}

bool stage_init(stage *s, const problem *p, const stage_methods *methods, outcome *out) {
    *s = (stage){.methods = methods,
                 .p = p,
                 .out = out,
                 .ahead = p->o->criterion.limit[0],
                 .overtaken = p->o->criterion.limit[1]};
    s->first_in = s->last_in = NO_INDEX;
    if (inventory_init(&s->c, p, out) != INVENTORY_READY) return false;
    uint32_t n = s->c.values;
    s->own_memory = s->charged = (size_t)n * (2 * sizeof(moment) + 5 * sizeof(uint32_t) + 1);
    budget_charge(p->budget, s->charged);
    s->lo = MEM_ARRAY(moment, n);
    s->hi = MEM_ARRAY(moment, n);
    s->opens = MEM_ARRAY(uint32_t, n);
    s->closes = MEM_ARRAY(uint32_t, n);
    s->slot = MEM_ARRAY(uint8_t, n);
    s->next_in = MEM_ARRAY(uint32_t, n);
    s->prev_in = MEM_ARRAY(uint32_t, n);
    s->opened_before = MEM_ARRAY(uint32_t, n);
    set_windows(s);
    count_opened(s);
    return true;
}

void stage_free(stage *s) {
    budget_refund(s->p->budget, s->charged);
    inventory_free(&s->c);
    FREE_ALL(s->lo, s->hi, s->opens, s->closes, s->slot, s->next_in, s->prev_in, s->opened_before);
    configs_free(&s->now);
    configs_free(&s->next);
    configs_free(&s->found);
    reached_free(&s->work);
    free(s->origin);
    draft_free(&s->draft);
    draft_free(&s->scratch);
    trail_free(&s->trail);
}

void stage_give_up(stage *s, const char *why) {
    snprintf(s->out->why, sizeof s->out->why, "%s", why);
    s->stopped = true;
}

static void charge(stage *s) {
    size_t size = s->own_memory + configs_memory(&s->now) + configs_memory(&s->next) +
                  configs_memory(&s->work.configs) + trail_memory(&s->trail) + table_memory(&s->work.numbers) +
                  s->origin_room * sizeof *s->origin;
    if (size > s->charged) budget_charge(s->p->budget, size - s->charged);
    else budget_refund(s->p->budget, s->charged - size);
    s->charged = size;
}

bool stage_tick(stage *s) {
    s->steps++;
    if ((s->ticks & 1023) == 0) charge(s);
    if (budget_tick(s->p->budget, &s->ticks)) {
        s->out->stopped = budget_why(s->p->budget);
        s->stopped = true;
    }
    return s->stopped;
}

/* ---- slots and the list ---- */

static uint8_t open_slot(stage *s, uint32_t what, uint64_t *kind) {
    if (s->used == UINT64_MAX) {
        stage_give_up(s, "more than 64 removals are open at once");
        return NO_SLOT;
    }
    uint8_t slot = (uint8_t)slot_lowest(~s->used);
    assert(!(*kind & slot_bit(slot)));
    s->used |= slot_bit(slot);
    *kind |= slot_bit(slot);
    s->what[slot] = what;
    return slot;
}

static void close_slot(stage *s, uint8_t slot) {
    assert(s->used & slot_bit(slot) && (s->removals | s->empties) & slot_bit(slot));
    s->used &= ~slot_bit(slot);
    s->removals &= ~slot_bit(slot);
    s->empties &= ~slot_bit(slot);
}

void list_append(stage *s, uint32_t v) {
    assert(s->last_in != v && (s->first_in == NO_INDEX) == (s->last_in == NO_INDEX));
    s->prev_in[v] = s->last_in;
    s->next_in[v] = NO_INDEX;
    if (s->last_in != NO_INDEX) s->next_in[s->last_in] = v;
    else s->first_in = v;
    s->last_in = v;
}

void list_remove(stage *s, uint32_t v) {
    uint32_t prev = s->prev_in[v], next = s->next_in[v];
    assert(prev == NO_INDEX ? s->first_in == v : s->next_in[prev] == v); /* it is in the list */
    assert(next == NO_INDEX ? s->last_in == v : s->prev_in[next] == v);
    if (prev != NO_INDEX) s->next_in[prev] = next;
    else s->first_in = next;
    if (next != NO_INDEX) s->prev_in[next] = prev;
    else s->last_in = prev;
}

/* ---- what is reached ---- */

void stage_reach(stage *s, uint64_t done, const draft *d, uint32_t path, uint32_t tag, origin from) {
    if (!reached_add(&s->work, done, d, path, tag)) return;
    uint32_t i = s->work.configs.n - 1;
    if (i >= s->origin_room) s->origin = MEM_GROW(s->origin, origin, s->origin_room = 2 * i + 64);
    assert(from.parent == NO_ORIGIN || from.parent < i);
    assert(!(done & ~s->used));
    s->origin[i] = from;
}

uint32_t stage_follow(stage *s, uint32_t path, uint32_t slot, uint32_t z) {
    bool token = s->tokens & slot_bit(slot);
    uint32_t position = token ? s->c.token[s->what[slot]] : s->c.remove[z];
    return trail_add(&s->trail, path, position, z);
}

uint32_t stage_follow_empties(stage *s, uint32_t path, uint64_t slots) {
    for (; slots; slots &= slots - 1)
        path = trail_add(&s->trail, path, s->c.empty[s->what[slot_lowest(slots)]], NO_INDEX);
    return path;
}

/* ---- the events ---- */

static void begin_closure(stage *s) {
    const configs *now = &s->now;
    configs_clear(&s->next);
    reached_clear(&s->work);
    for (uint32_t i = 0; i < now->n; i++) {
        const config *c = &now->at[i];
        const touched *entry = config_entries(now, c);
        bool ends = s->goal == NO_SLOT || c->done & slot_bit(s->goal);
        if (ends) configs_add(&s->next, c->done, entry, c->n, c->trail);
        if (ends && s->goal != NO_SLOT) continue;
        draft_take(&s->draft, entry, c->n);
        origin none = {.parent = NO_ORIGIN, .last = NO_INDEX, .time = moment_of(s->rank - 1)};
        stage_reach(s, c->done, &s->draft, c->trail, NO_INDEX, none);
    }
}

/* How near the elements are to being overtaken too often: the lower, the more promising. */
static uint64_t strain(const stage *s, const config *c) {
    enum { HEAVY = 24 };
    const touched *t = config_entries(&s->now, c);
    uint64_t sum = slots_in(c->done);
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t left = t[i].count == COUNT_TAKEN ? UINT32_MAX : s->overtaken - t[i].count;
        if (t[i].count && left < HEAVY) sum += UINT64_C(1) << (HEAVY - left);
        else sum += 4; /* narrowed windows leave less freedom */
    }
    return sum;
}

typedef struct strained {
    uint64_t strain;
    config config;
} strained;

static int by_strain(const void *a, const void *b) {
    const strained *x = a, *y = b;
    if (x->strain != y->strain) return x->strain < y->strain ? -1 : 1;
    return x->config.first < y->config.first ? -1 : x->config.first > y->config.first;
}

static void keep_promising(stage *s) {
    if (!s->beam || s->now.n <= s->beam) return;
    strained *all = MEM_ARRAY(strained, s->now.n);
    for (uint32_t i = 0; i < s->now.n; i++) all[i] = (strained){strain(s, &s->now.at[i]), s->now.at[i]};
    qsort(all, s->now.n, sizeof *all, by_strain);
    assert(all[0].strain <= all[s->beam - 1].strain && all[s->beam - 1].strain <= all[s->beam].strain);
    for (uint32_t i = 0; i < s->beam; i++) s->now.at[i] = all[i].config;
    s->now.n = s->beam;
    s->lossy = true;
    free(all);
}

/* The frontier after the event: what ended the closure, without what no longer matters. */
static void end_closure(stage *s, uint32_t forget) {
    configs_clear(&s->now);
    uint64_t keep = s->goal == NO_SLOT ? UINT64_MAX : ~slot_bit(s->goal);
    for (uint32_t i = 0; i < s->next.n; i++) {
        const config *c = &s->next.at[i];
        draft_take(&s->draft, config_entries(&s->next, c), c->n);
        if (forget != NO_INDEX) draft_drop(&s->draft, forget);
        s->methods->normalize(s, &s->draft, c->done & keep);
        assert(!(c->done & keep & ~s->used));
        configs_add(&s->now, c->done & keep, s->draft.at, s->draft.n, c->trail);
    }
    configs_prune(&s->now, s->lo, s->hi);
    keep_promising(s);
}

static void shorten_trail(stage *s) {
    if (!trail_is_long(&s->trail)) return;
    uint32_t **end = MEM_ARRAY(uint32_t *, s->now.n);
    for (uint32_t i = 0; i < s->now.n; i++) end[i] = &s->now.at[i].trail;
    trail_retain(&s->trail, end, s->now.n);
    free(end);
}

/* False: no configuration is left, or it was stopped. */
static bool close_at(stage *s, event_kind kind, uint32_t v, uint8_t goal) {
    s->kind = kind;
    s->value = v;
    s->goal = goal;
    begin_closure(s);
    uint32_t most = s->beam ? WORK_PER_CONFIGURATION * s->beam : UINT32_MAX;
    for (uint32_t i = 0; i < s->work.configs.n; i++) {
        if (i >= most) {
            s->lossy = true;
            break;
        }
        if (stage_tick(s)) return false;
        s->methods->expand(s, i);
        if (s->stopped) return false;
    }
    return s->next.n > 0;
}

static bool add_returns(stage *s, uint32_t v) {
    if (is_dropped(&s->c, v) || s->closes[v] < s->rank) return true;
    if (s->methods->closes_at_add(s, v)) {
        if (!close_at(s, ADD_RETURN, v, NO_SLOT)) return false;
        s->methods->add_returned(s, v);
        end_closure(s, NO_INDEX);
    } else {
        s->methods->add_returned(s, v);
    }
    return true;
}

static bool remove_returns(stage *s, uint32_t v) {
    uint8_t slot = s->slot[v];
    assert(slot != NO_SLOT && s->removals & slot_bit(slot) && s->what[slot] == v);
    if (!close_at(s, REMOVE_RETURN, v, slot)) return false;
    s->methods->removed(s, v, add_return(&s->c, v) > s->rank);
    s->returned++;
    s->slot[v] = NO_SLOT;
    close_slot(s, slot);
    end_closure(s, v);
    return true;
}

static bool empty_returns(stage *s, uint32_t empty) {
    uint8_t slot = 0;
    while (!(s->empties & slot_bit(slot)) || s->what[slot] != empty) slot++;
    assert(slot < STAGE_SLOTS);
    if (!close_at(s, EMPTY_RETURN, NO_INDEX, slot)) return false;
    close_slot(s, slot);
    end_closure(s, NO_INDEX);
    return true;
}

static void open_removal(stage *s, uint32_t v) { s->slot[v] = open_slot(s, v, &s->removals); }

/* A slot in use has one kind, and a value knows the slot of its open removal. */
SELF_CHECK static bool slots_are_sound(const stage *s) {
    if ((s->removals | s->empties | s->tokens) != s->used) return false;
    if (s->removals & s->empties || s->removals & s->tokens || s->empties & s->tokens) return false;
    for (uint64_t rest = s->removals; rest; rest &= rest - 1)
        if (s->slot[s->what[slot_lowest(rest)]] != slot_lowest(rest)) return false;
    return true;
}

static bool event_happens(stage *s, uint32_t r) {
    uint32_t e = s->c.event[r], x = event_index(e);
    assert_costly(slots_are_sound(s));
    s->rank = r;
    switch (event_kind_of(e)) {
    case ADD_CALL:
    case ADD_CALL_LATE:
        if (is_dropped(&s->c, x)) break;
        s->methods->add_called(s, x);
        if (remove_call(&s->c, x) < r) open_removal(s, x);
        break;
    case REMOVE_CALL:
        if (add_call(&s->c, x) < r) open_removal(s, x);
        break;
    case EMPTY_CALL: open_slot(s, x, &s->empties); break;
    case TOKEN_CALL: open_slot(s, x, &s->tokens); break;
    case ADD_RETURN: return add_returns(s, x);
    case REMOVE_RETURN: return remove_returns(s, x);
    case EMPTY_RETURN: return empty_returns(s, x);
    }
    return !s->stopped;
}

static void begin(stage *s, uint32_t beam) {
    configs_clear(&s->now);
    trail_free(&s->trail);
    s->first_in = s->last_in = NO_INDEX;
    s->used = s->removals = s->empties = s->tokens = 0;
    s->returned = 0;
    s->beam = beam;
    s->lossy = false;
    for (uint32_t v = 0; v < s->c.values; v++) s->slot[v] = NO_SLOT;
    s->methods->begin(s);
}

static bool run(stage *s, uint32_t beam) {
    begin(s, beam);
    assert(s->now.n == 0 && s->trail.count == 0 && s->used == 0);
    configs_add(&s->now, 0, NULL, 0, TRAIL_ROOT);
    for (uint32_t r = 0; r < s->c.events; r++) {
        if (!event_happens(s, r)) return false;
        assert(s->now.n > 0);
        shorten_trail(s);
        if (s->p->furthest) atomic_store_explicit(s->p->furthest, s->returned, memory_order_relaxed);
    }
    return true;
}

bool stage_run(stage *s, int64_t keep) {
    static const uint32_t beam[] = {2, 8, 64, 512, 4096, 0};
    if (keep) {
        bool good = run(s, (uint32_t)keep);
        if (!good && !s->stopped && s->lossy) stage_give_up(s, "not all configurations were kept");
        return good;
    }
    for (size_t i = 0; i < sizeof beam / sizeof *beam; i++) {
        if (run(s, beam[i])) return true;
        if (s->stopped || !s->lossy) return false;
    }
    return false;
}

/* Whose overtakings may have become too many: the one that could not leave, and those that are open or inside. */
static uint32_t suspects(const stage *s, uint32_t *list, uint32_t most) {
    uint32_t n = 0;
    if (s->value != NO_INDEX) list[n++] = s->value;
    for (uint32_t v = 0; v < s->c.values && n < most; v++)
        if (s->lo[v] < moment_of(s->rank) && s->closes[v] > s->rank) list[n++] = v;
    return n;
}

static bool is_out_of_order(const stage *s) { return s->p->o->criterion.kind == CRITERION_OUT_OF_ORDER; }

uint32_t stage_overtaken_limit(const stage *s) { return is_out_of_order(s) ? CRITERION_MAX_LIMIT : s->overtaken; }

void stage_violation(stage *s, const overtakings *forced) {
    enum { SUSPECTS = 256 };
    uint32_t list[SUSPECTS], n = suspects(s, list, SUSPECTS);
    if (overtakings_violation(forced, list, n, s->ahead, stage_overtaken_limit(s), s->out)) return;
    if (is_out_of_order(s)) {
        stage_give_up(s, "no order is within quasi of the same limits; out-of-order allows more");
        return;
    }
    s->out->verdict = VERDICT_VIOLATION;
    uint32_t e = s->c.event[s->rank], x = event_index(e);
    uint32_t position = event_kind_of(e) == EMPTY_RETURN ? s->c.empty[x] : s->c.remove[x];
    s->out->cut = s->p->h->ret[s->p->op[position]];
}

/* ---- the witness ---- */

static bool is_allowed(stage *s, const uint32_t *position, uint32_t n) {
    const history *h = s->p->h;
    state now = {0};
    bool good = true;
    s->p->o->type->init(s->p->o, &now);
    for (uint32_t i = 0; i < n && good; i++) {
        operation op;
        value res;
        history_operation(h, s->p->op[position[i]], &op);
        for (uint32_t t = 0; op.res == VALUE_UNKNOWN && t < s->c.tokens; t++)
            if (s->c.token[t] == position[i]) op.res = s->c.taken[t];
        good = s->p->o->type->step(s->p->o, &now, &op, 0, &res) != STEP_ILLEGAL;
    }
    state_free(&now);
    return good;
}

void stage_assume_taken(stage *s, const witness *steps) {
    for (uint32_t k = 0; s->c.tokens && k < steps->n; k++)
        for (uint32_t t = 0; t < s->c.tokens; t++)
            if (s->c.token[t] == steps->op[k]) s->c.taken[t] = inventory_value(&s->c, steps->res[k]);
}

void stage_accept(stage *s, uint32_t *position, uint32_t n) {
    if (is_allowed(s, position, n)) {
        inventory_witness(&s->c, position, n, s->out);
    } else {
        free(position);
        stage_give_up(s, "there is an order, but it could not be written down");
    }
}
