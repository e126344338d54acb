#include "engine/linear/stack_order.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A slot whose index has this bit stands for a crowd; values are fewer (INVENTORY_MAX_OPERATIONS). */
#define IS_CROWD (1u << 28)

void stack_order_fill(stack_order *o, uint32_t from, uint32_t to) {
    if (o->slot != o->c->event) memcpy(o->slot + from, o->c->event + from, (to - from) * sizeof *o->slot);
}

void stack_order_free(stack_order *o) { FREE_ALL(o->moved, o->crowd, o->cut); }

static bool is_crowd(uint32_t e) { return event_kind_of(e) == ADD_CALL_LATE && (event_index(e) & IS_CROWD); }
static crowd *crowd_of(const stack_order *o, uint32_t e) { return &o->crowd[event_index(e) & ~IS_CROWD]; }

static void take_own_away(stack_order *o, uint32_t r) {
    if (is_crowd(o->slot[r])) crowd_of(o, o->slot[r])->own = event_of(0, ADD_CALL);
    else stack_order_nothing(o, r);
}

static crowd *crowd_at(stack_order *o, uint32_t r) {
    if (is_crowd(o->slot[r])) return crowd_of(o, o->slot[r]);
    if (o->crowds == o->crowd_room) o->crowd = MEM_GROW(o->crowd, crowd, o->crowd_room += o->crowd_room / 8 + 64);
    o->crowd[o->crowds] = (crowd){.own = o->slot[r], .first = NO_INDEX};
    assert(o->crowds < IS_CROWD);
    o->slot[r] = event_of(IS_CROWD | o->crowds, ADD_CALL_LATE);
    return &o->crowd[o->crowds++];
}

void stack_order_move(stack_order *o, uint32_t v, uint32_t before, uint32_t after) {
    if (o->moves == o->move_room) o->moved = MEM_GROW(o->moved, moved, o->move_room += o->move_room / 8 + 64);
    assert(o->moves < o->move_room && before < after && v < o->c->values);
    o->moved[o->moves] = (moved){v, before, after};
    take_own_away(o, add_return(o->c, v));
    if (is_removed(o->c, v)) take_own_away(o, remove_call(o->c, v));
    crowd *in = crowd_at(o, before);
    o->next_push[v] = in->first;
    in->first = 2 * o->moves;
    if (after != NO_INDEX) {
        crowd *out = crowd_at(o, after);
        o->next_pop[v] = out->first;
        out->first = 2 * o->moves + 1;
    }
    o->moves++;
}

/* ---- writing it down ---- */

typedef struct crowd_member { /* of those that go in, or out, at the same event */
    uint32_t value, other;    /* the event at which it goes out, or in */
} crowd_member;

typedef struct order_writer {
    stack_order *o;
    uint32_t n, next_cut;
    crowd_member *member;
    uint32_t members, room;
} order_writer;

static void emit(order_writer *w, uint32_t position) {
    assert(w->n < w->o->c->p->n);
    w->o->slot[w->n++] = position;
}

static void gather(order_writer *w, uint32_t v, uint32_t other) {
    if (w->members == w->room) w->member = MEM_GROW(w->member, crowd_member, w->room = w->room ? 2 * w->room : 16);
    w->member[w->members++] = (crowd_member){v, other};
}

/* Of values pushed at one event, those that go out last are pushed first; of values popped at one event, those that
 * came last go first. Of values that share both events the one with the greater number is on top. */
static int pushed_first(const void *a, const void *b) {
    const crowd_member *x = a, *y = b;
    if (x->other != y->other) return x->other > y->other ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static int popped_first(const void *a, const void *b) {
    const crowd_member *x = a, *y = b;
    if (x->other != y->other) return x->other > y->other ? -1 : 1;
    return x->value > y->value ? -1 : x->value < y->value;
}

static void gather_moved(order_writer *w, const crowd *all, bool go_out) {
    const stack_order *o = w->o;
    w->members = 0;
    for (uint32_t at = all->first; at != NO_INDEX;) {
        const moved *m = &o->moved[at / 2];
        if ((at & 1) == go_out) gather(w, m->value, go_out ? m->before : m->after);
        at = (at & 1 ? o->next_pop : o->next_push)[m->value];
    }
}

static void write_crowd(order_writer *w, const crowd *all) {
    const inventory *c = w->o->c;
    uint32_t own = event_index(all->own);
    gather_moved(w, all, false);
    if (event_kind_of(all->own) == ADD_RETURN) gather(w, own, remove_call(c, own));
    if (w->members > 1) qsort(w->member, w->members, sizeof *w->member, pushed_first);
    for (uint32_t i = 0; i < w->members; i++) emit(w, c->add[w->member[i].value]);
    gather_moved(w, all, true);
    if (event_kind_of(all->own) == REMOVE_CALL) gather(w, own, add_return(c, own));
    if (w->members > 1) qsort(w->member, w->members, sizeof *w->member, popped_first);
    for (uint32_t i = 0; i < w->members; i++) emit(w, c->remove[w->member[i].value]);
}

static void write_exception(order_writer *w, uint32_t e) {
    uint32_t v = event_index(e);
    if (v & IS_CROWD) {
        write_crowd(w, crowd_of(w->o, e));
    } else {
        emit(w, w->o->c->add[v]);
        emit(w, w->o->c->remove[v]);
    }
}

/* What comes next cannot be predicted: no branch but for exceptions. */
static void write_events(order_writer *w, uint32_t from, uint32_t to) {
    const inventory *c = w->o->c;
    const uint32_t *const column[] = {c->add, c->remove};
    uint32_t *slot = w->o->slot, n = w->n;
    for (uint32_t r = from; r < to; r++) {
        uint32_t e = slot[r], kind = event_kind_of(e);
        assert(n <= r); /* written over slots that were read */
        if (kind == ADD_CALL_LATE) {
            w->n = n;
            write_exception(w, e);
            n = w->n;
            continue;
        }
        uint32_t counts = (1u << ADD_RETURN | 1u << REMOVE_CALL) >> kind & 1;
        slot[n] = column[kind == REMOVE_CALL][event_index(e) & -counts];
        n += counts;
    }
    w->n = n;
}

uint32_t stack_order_write(stack_order *o) {
    order_writer w = {.o = o};
    uint32_t next = 0;
    for (uint32_t k = 0; k < o->cuts; k++) {
        assert(k == 0 || o->cut[k - 1].gap <= o->cut[k].gap);
        if (o->cut[k].gap >= next) write_events(&w, next, o->cut[k].gap + 1);
        next = o->cut[k].gap + 1;
        emit(&w, o->cut[k].position);
    }
    write_events(&w, next, o->c->events);
    free(w.member);
    return w.n;
}
