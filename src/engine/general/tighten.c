/* Let Y be added after Z (A: add, R: removal) while Z is inside. Whatever comes and goes between them, Y stands at the
 * side of Z at which it was added, and the one that leaves first leaves at its own side. So of the orders
 *
 *     AZ RZ AY RY    one after the other: always right
 *     AZ AY RY RZ    right iff Y is added and removed at the same end
 *     AZ AY RZ RY    right iff Z is removed at the end at which Y is not added
 *
 * and the same three with Y and Z exchanged, one that is right is part of every linearization. Each operation takes
 * effect after the call and before the return that are known of it; an order is possible iff points can be found that
 * ascend. Every operation then lies in the hull of what the possible orders leave it. Nothing but values that are added
 * once and removed by an operation that returned is looked at, and pairs of them of which two operations overlap. */
#include "engine/general/tighten.h"
#include "engine/general/due.h"
#include "engine/rank_order.h"
#include "engine/regroup.h"
#include "engine/self_check.h"
#include "history/value_map.h"

#include "base/mem.h"

#include <stdlib.h>

enum { MOST_PASSES = 6, PAIRS_EACH = 64 };
enum { ADD_Y, REMOVE_Y, ADD_Z, REMOVE_Z, PAIR };
#define NO_POSITION UINT32_MAX

typedef struct interval { /* takes effect after one rank and before the other */
    uint32_t after, before;
} interval;

typedef struct tightener {
    const problem *p;
    interval *when;      /* by position */
    uint32_t *partner;   /* by position: of an add its removal, and the other way round; NO_POSITION: not looked at */
    uint32_t *active, n; /* positions that overlap the current one */
    ranked *sorted;
    uint64_t pairs;
    bool changed, wrong;
    unsigned ticks;
} tightener;

/* ---- what is looked at ---- */

static unsigned role_of(const problem *p, uint32_t i) { return p->o->type->methods[p->h->method[p->op[i]]].role; }
static method_end end_of(const problem *p, uint32_t i) { return p->o->type->ends[p->h->method[p->op[i]]]; }
static bool adds(const tightener *x, uint32_t i) { return role_of(x->p, i) & ROLE_ADDS; }

/* Of a value, its add and its removal; a second one makes it unknown. */
typedef struct life {
    uint32_t add, removal;
    bool often;
} life;

static uint32_t number_of(value_map *known, uint32_t *count, value v) {
    uint32_t number = value_map_find(known, v);
    if (number == VALUE_MAP_ABSENT) value_map_add(known, v, number = (*count)++);
    return number;
}

static void note_operation(const problem *p, life *l, uint32_t i) {
    uint32_t *place = role_of(p, i) & ROLE_ADDS ? &l->add : &l->removal;
    l->often |= *place != NO_POSITION;
    *place = i;
}

static bool says_value(const problem *p, uint32_t i, value *v) {
    uint32_t op = p->op[i];
    bool takes = role_of(p, i) & ROLE_REMOVES && !history_pending(p->h, op) && p->h->res[op] != VALUE_EMPTY;
    if (takes) *v = p->h->res[op];
    else if (role_of(p, i) & ROLE_ADDS) *v = p->h->arg[0][op];
    return takes || role_of(p, i) & ROLE_ADDS;
}

static void match(tightener *x) {
    const problem *p = x->p;
    value_map known = {0};
    uint32_t count = 0;
    life *lives = MEM_ARRAY(life, (size_t)p->n + 1);
    value v;
    for (uint32_t i = 0; i < p->n; i++) {
        x->partner[i] = NO_POSITION;
        if (!says_value(p, i, &v)) continue;
        uint32_t before = count, number = number_of(&known, &count, v);
        if (number == before) lives[number] = (life){NO_POSITION, NO_POSITION, false};
        note_operation(p, &lives[number], i);
    }
    for (uint32_t k = 0; k < count; k++) {
        const life *l = &lives[k];
        if (l->often || l->add == NO_POSITION || l->removal == NO_POSITION) continue;
        x->partner[l->add] = l->removal;
        x->partner[l->removal] = l->add;
    }
    free(known.slot);
    free(lives);
}

/* ---- two values ---- */

/* Points that ascend; false: there are none. */
static bool ascend(interval *when, const uint8_t *order) {
    for (unsigned k = 1; k < PAIR; k++)
        if (when[order[k]].after < when[order[k - 1]].after) when[order[k]].after = when[order[k - 1]].after;
    for (unsigned k = PAIR - 1; k--;)
        if (when[order[k]].before > when[order[k + 1]].before) when[order[k]].before = when[order[k + 1]].before;
    for (unsigned k = 0; k < PAIR; k++)
        if (when[k].after >= when[k].before) return false;
    return true;
}

static void widen(interval *hull, const interval *when) {
    for (unsigned k = 0; k < PAIR; k++) {
        if (when[k].after < hull[k].after) hull[k].after = when[k].after;
        if (when[k].before > hull[k].before) hull[k].before = when[k].before;
    }
}

/* Y is added after Z: which of the three orders are right? */
static unsigned right_orders(const problem *p, const uint32_t *at, unsigned add_y, unsigned add_z) {
    method_end in = end_of(p, at[add_y]), out = end_of(p, at[add_y + 1]), other = end_of(p, at[add_z + 1]);
    return 1U | (in == out ? 2U : 0) | (other != in ? 4U : 0);
}

static void try_orders(const tightener *x, const uint32_t *at, const interval *now, interval *hull) {
    static const uint8_t orders[2][3][PAIR] = {
        {{ADD_Z, REMOVE_Z, ADD_Y, REMOVE_Y}, {ADD_Z, ADD_Y, REMOVE_Y, REMOVE_Z}, {ADD_Z, ADD_Y, REMOVE_Z, REMOVE_Y}},
        {{ADD_Y, REMOVE_Y, ADD_Z, REMOVE_Z}, {ADD_Y, ADD_Z, REMOVE_Z, REMOVE_Y}, {ADD_Y, ADD_Z, REMOVE_Y, REMOVE_Z}}};
    for (unsigned later = 0; later < 2; later++) {
        unsigned right = right_orders(x->p, at, later ? ADD_Z : ADD_Y, later ? ADD_Y : ADD_Z);
        for (unsigned k = 0; k < 3; k++) {
            interval when[PAIR] = {now[0], now[1], now[2], now[3]};
            if (right >> k & 1 && ascend(when, orders[later][k])) widen(hull, when);
        }
    }
}

static void tighten_pair(tightener *x, uint32_t i, uint32_t j) {
    uint32_t y = adds(x, i) ? i : x->partner[i], z = adds(x, j) ? j : x->partner[j];
    const uint32_t at[PAIR] = {y, x->partner[y], z, x->partner[z]};
    interval now[PAIR], hull[PAIR];
    for (unsigned k = 0; k < PAIR; k++) {
        now[k] = x->when[at[k]];
        hull[k] = (interval){RANK_NEVER, 0};
    }
    try_orders(x, at, now, hull);
    for (unsigned k = 0; k < PAIR; k++) {
        x->wrong |= hull[k].after >= hull[k].before;
        x->changed |= hull[k].after != now[k].after || hull[k].before != now[k].before;
        assert(x->wrong || (hull[k].after >= now[k].after && hull[k].before <= now[k].before));
        x->when[at[k]] = hull[k];
    }
    x->pairs++;
}

/* ---- passes over the operations ---- */

static ranked *by_call(tightener *x) {
    for (uint32_t i = 0; i < x->p->n; i++) x->sorted[i] = (ranked){x->when[i].after, i};
    return rank_order(x->sorted, x->sorted + x->p->n, x->p->n);
}

static void meet(tightener *x, uint32_t i) {
    for (uint32_t k = 0; k < x->n && !x->wrong;) {
        uint32_t other = x->active[k];
        if (x->when[other].before <= x->when[i].after) {
            x->active[k] = x->active[--x->n];
            continue;
        }
        if (other != x->partner[i]) tighten_pair(x, i, other);
        k++;
    }
    x->active[x->n++] = i;
}

static void pass(tightener *x) {
    const uint64_t most = x->pairs + (uint64_t)PAIRS_EACH * x->p->n;
    const ranked *call = by_call(x);
    x->changed = false;
    x->n = 0;
    for (uint32_t k = 0; k < x->p->n && !x->wrong && x->pairs < most; k++) {
        if (budget_tick(x->p->budget, &x->ticks)) return;
        if (x->partner[call[k].item] != NO_POSITION) meet(x, call[k].item);
    }
}

/* Alone, a value is added before it is removed. */
static void begin(tightener *x) {
    for (uint32_t i = 0; i < x->p->n; i++)
        x->when[i] = (interval){x->p->h->call[x->p->op[i]], x->p->h->ret[x->p->op[i]]};
    for (uint32_t i = 0; i < x->p->n; i++) {
        if (x->partner[i] == NO_POSITION || !adds(x, i)) continue;
        interval *in = &x->when[i], *out = &x->when[x->partner[i]];
        x->changed |= in->before > out->before || out->after < in->after;
        if (in->before > out->before) in->before = out->before;
        if (out->after < in->after) out->after = in->after;
        x->wrong |= in->after >= in->before || out->after >= out->before;
    }
}

/* ---- the history with new calls and returns ---- */

/* Calls that move stand right behind the call they moved to, returns right before the return. */
static void renumber(const tightener *x, const ranked *call, history *h) {
    ranked *all = MEM_ARRAY(ranked, 4 * (size_t)h->n + 1);
    uint32_t n = 0;
    for (uint32_t k = 0; k < h->n; k++) {
        bool pending = h->ret[k] == RANK_NEVER;
        all[n++] = (ranked){x->when[call[k].item].after, 2 * k};
        if (!pending) all[n++] = (ranked){x->when[call[k].item].before, 2 * k + 1};
    }
    const ranked *sorted = rank_order(all, all + 2 * (size_t)h->n, n);
    for (uint32_t e = 0; e < n; e++) (sorted[e].item & 1 ? h->ret : h->call)[sorted[e].item / 2] = e;
    h->events = n;
    free(all);
}

static void build(tightener *x, tightened *t) {
    const ranked *call = by_call(x);
    uint32_t *op = MEM_ARRAY(uint32_t, (size_t)x->p->n + 1);
    t->order = MEM_ARRAY(uint32_t, (size_t)x->p->n + 1);
    for (uint32_t k = 0; k < x->p->n; k++) {
        t->order[k] = call[k].item;
        op[k] = x->p->op[call[k].item];
    }
    t->h = regroup_in_order(x->p->h, op, x->p->n, x->p->o);
    renumber(x, call, t->h);
    free(op);
}

bool tighten_applies(const problem *p) {
    const object *o = p->o;
    return o->type->ends && !o->type->words && !o->parameter[0] && o->criterion.kind == CRITERION_LINEARIZABLE &&
           !o->relaxed;
}

tightening tighten(const problem *p, tightened *t) {
    *t = (tightened){0};
    if (!tighten_applies(p)) return TIGHTEN_NOTHING;
    size_t room = (size_t)p->n + 1;
    tightener x = {.p = p,
                   .when = MEM_ARRAY(interval, room),
                   .partner = MEM_ARRAY(uint32_t, room),
                   .active = MEM_ARRAY(uint32_t, room),
                   .sorted = MEM_ARRAY(ranked, 2 * room)};
    match(&x);
    begin(&x);
    bool any = x.changed;
    for (unsigned k = 0; k < MOST_PASSES && !x.wrong && (k == 0 || x.changed); k++) {
        pass(&x);
        any |= x.changed;
    }
    if (!x.wrong && any) build(&x, t);
    FREE_ALL(x.when, x.partner, x.active, x.sorted);
    return x.wrong ? TIGHTEN_VIOLATION : any ? TIGHTEN_DONE : TIGHTEN_NOTHING;
}

void tightened_free(tightened *t) {
    if (t->h) history_free(t->h);
    free(t->order);
}
