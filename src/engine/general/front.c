#include "engine/general/front.h"
#include "engine/self_check.h"

#include <stdio.h>

void front_ways_add(front_ways *c, front_way item) {
    if (c->n == c->room) c->at = MEM_GROW(c->at, front_way, c->room = c->room ? 2 * c->room : 64);
    assert(c->n < c->room && !(item.done & item.begun));
    c->at[c->n++] = item;
}

void front_init(front *f, const problem *p) {
    *f = (front){.p = p, .slot_of = mem_alloc(p->n)};
    p->o->type->init(p->o, &f->state);
    front_ways_add(&f->now, (front_way){.state = state_table_number(&f->states, &f->state), .trail = TRAIL_ROOT});
}

void front_free(front *f) {
    budget_refund(f->p->budget, f->charged);
    free(f->slot_of);
    free(f->now.at);
    free(f->work.at);
    table_free(&f->seen);
    state_table_free(&f->states);
    trail_free(&f->trail);
    state_free(&f->state);
}

void front_charge(front *f) {
    size_t size = state_table_memory(&f->states) + trail_memory(&f->trail) + table_memory(&f->seen) +
                  (f->now.room + f->work.room) * sizeof(front_way) + f->p->n;
    if (size > f->charged) budget_charge(f->p->budget, size - f->charged);
    else budget_refund(f->p->budget, f->charged - size);
    f->charged = size;
}

/* ---- what was reached at this event ---- */

static uint32_t way_hash(const front_way *c) {
    uint64_t open = c->done ^ (c->begun << 32 | c->begun >> 32); /* few are open: mostly each in a half of its own */
    return (uint32_t)hash_pair(open, c->state);
}

static uint32_t hash_of_way(const void *ways, uint32_t i) { return way_hash(&((const front_ways *)ways)->at[i]); }

static bool is_way(const void *ways, uint32_t i, const void *key) {
    const front_ways *all = ways;
    assert(i < all->n);
    const front_way *a = &all->at[i], *b = key;
    return a->done == b->done && a->begun == b->begun && a->state == b->state;
}

void front_clear_work(front *f) {
    f->work.n = 0;
    table_clear(&f->seen);
}

bool front_is_new(front *f, const front_way *c) {
    assert(c->state < f->states.count && !((c->done | c->begun) & ~f->open));
    assert(f->seen.count == f->work.n); /* what was new before has been added */
    uint32_t hash = way_hash(c);
    if (table_find(&f->seen, hash, is_way, &f->work, c) != TABLE_NONE) return false;
    table_add(&f->seen, hash, hash_of_way, &f->work, f->work.n);
    return true;
}

/* ---- between events ---- */

static void forget(front *f) {
    bool states = state_table_is_long(&f->states), trails = trail_is_long(&f->trail);
    if (!states && !trails) return;
    uint32_t **needed = MEM_ARRAY(uint32_t *, f->now.n);
    for (uint32_t i = 0; i < f->now.n; i++) needed[i] = &f->now.at[i].state;
    if (states) state_table_retain(&f->states, needed, f->now.n);
    for (uint32_t i = 0; i < f->now.n; i++) needed[i] = &f->now.at[i].trail;
    if (trails) trail_retain(&f->trail, needed, f->now.n);
    free(needed);
}

/* Ways differ, speak of open operations, and name states and trails that there are. */
SELF_CHECK static bool ways_are_sound(const front *f) {
    for (uint32_t i = 0; i < f->now.n; i++) {
        const front_way *c = &f->now.at[i], *next = c + 1;
        if ((c->done | c->begun) & ~f->open || c->state >= f->states.count) return false;
        if (c->trail != TRAIL_ROOT && c->trail >= f->trail.count) return false;
        bool last = i + 1 == f->now.n;
        if (!last && c->done == next->done && c->begun == next->begun && c->state == next->state) return false;
    }
    return true;
}

void front_returned(front *f) {
    f->returned++;
    assert(f->now.n && f->returned <= f->p->n);
    if (f->p->furthest && f->returned > *f->p->furthest) *f->p->furthest = f->returned;
    forget(f);
    assert_costly(ways_are_sound(f));
}

bool front_open(front *f, uint32_t position, const operation *op, unsigned *slot) {
    if (~f->open == 0) return false;
    *slot = slot_lowest(~f->open);
    assert(position < f->p->n && op->index == f->p->op[position]);
    f->slot[*slot] = *op;
    f->slot_of[position] = (uint8_t)*slot;
    f->open |= slot_bit(*slot);
    return true;
}

static run_end run_events(front *f, sweep *events, front_call *call, front_return *ret) {
    sweep_event e;
    while (sweep_next(events, &e)) {
        assert(e.rank >= f->rank);
        f->rank = e.rank;
        if (front_spent(f)) return RUN_STOPPED;
        if (!e.is_return) {
            if (!call(f, e.at)) return RUN_TOO_MANY_OPEN;
            continue;
        }
        unsigned slot = f->slot_of[e.at];
        assert(f->open & slot_bit(slot) && f->slot[slot].index == f->p->op[e.at]);
        if (!ret(f, slot)) return RUN_STOPPED;
        assert(!(f->open & slot_bit(slot)) || !f->now.n); /* the slot is free again */
        if (!f->now.n) return RUN_NO_WAY;
    }
    return RUN_REACHED_END;
}

run_end front_run(front *f, uint32_t cut, front_call *call, front_return *ret) {
    sweep events;
    sweep_init(&events, f->p, cut);
    run_end end = run_events(f, &events, call, ret);
    sweep_free(&events);
    return end;
}

const front_way *front_gave_up(const front *f, run_end end, outcome *out) {
    if (end == RUN_STOPPED) out->stopped = budget_why(f->p->budget);
    else snprintf(out->why, sizeof out->why, "more than %d operations are open at once", FRONT_SLOTS);
    const front_ways *c = f->now.n ? &f->now : &f->work;
    return c->n ? &c->at[0] : NULL;
}
