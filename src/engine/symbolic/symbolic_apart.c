/* Queue and pool: adds and removes are ordered apart. Of two different items, no axiom speaks of the order of one's add
 * and the other's remove, so there are no variables for it: the adds have a total order, the removes have one, removes
 * that found nothing are in both. Is there one order that agrees with both and with happens-before, and has each item
 * added before it is taken? What found nothing cuts the history into pieces, and
 *   D  what it cuts off is closed: an item that was taken before it was added before it.
 * (The same for what happens-before orders is transitivity beside it: overlap.h.) A cycle is within a piece then, and
 * goes from a remove r to an add a that r happens before. Of two such steps, r to a and r' to a', r happens before a'
 * or r' before a, since happens-before is an interval order: a shortcut. So there is a cycle with one such step: from a
 * along the adds to the add x of some item, over to a remove, along the removes to r. If x happens before that remove
 * then so does r, because x did not return before a was called: no cycle. So it is the item's own remove y, which
 * overlaps x, and what has to be excluded is r before a, a before x, y before r:
 *   A  r happens before x itself: r is before y;
 *   B  y happens before a itself: x is before a;
 *   C  otherwise x is before a, or r is before y. */
#include "engine/symbolic/symbolic_items.h"

#include "base/mem.h"

#include <stdlib.h>

enum { ADDS = 1, REMOVES = 2, BOTH = 3 };

typedef struct removed { /* a remove beside an item's own */
    uint32_t ret, position;
    uint32_t until; /* adds called after this follow from those before */
} removed;

typedef struct apart {
    const items *t;
    encoding *e;
    uint32_t *add, adds; /* beside the item's add, by call */
    removed *other;      /* beside its remove, by return */
    removed *recent;     /* those that returned and of which the rest follows */
    uint32_t others, recents;
} apart;

static unsigned side(const apart *x, uint32_t i) { return x->e->sides[i]; }

/* The item's add and remove, and one or two orders of which one is to hold. */
static void say(apart *x, uint32_t item, literal one, literal other) {
    cnf *f = &x->e->cnf;
    cnf_begin(f);
    cnf_owner(f, x->t->add[item]);
    cnf_owner(f, x->t->remove[item]);
    cnf_literal(f, one);
    cnf_literal(f, other);
    cnf_end(f);
}

static void cut_off(apart *x, uint32_t item, uint32_t empty) {
    const overlap *o = &x->e->order;
    say(x, item, before(o, x->t->add[item], empty), before(o, empty, x->t->remove[item]));
}

static void beside_add(apart *x, uint32_t item, uint32_t q) {
    const overlap *o = &x->e->order;
    uint32_t add = x->t->add[item], remove = x->t->remove[item];
    if (side(x, q) == BOTH) cut_off(x, item, q);
    if (side(x, q) != ADDS) return;
    if (o->ret[remove] < o->call[q]) say(x, item, before(o, add, q), LIT_FALSE);
    else x->add[x->adds++] = q;
}

static void beside_remove(apart *x, uint32_t item, uint32_t q) {
    const overlap *o = &x->e->order;
    uint32_t add = x->t->add[item], remove = x->t->remove[item];
    if (side(x, q) == BOTH && !overlaps(o, add, q)) cut_off(x, item, q);
    if (side(x, q) != REMOVES) return;
    if (o->ret[q] < o->call[add]) say(x, item, before(o, q, remove), LIT_FALSE);
    else x->other[x->others++] = (removed){o->ret[q], q, UINT32_MAX};
}

static void each_beside(apart *x, uint32_t i, uint32_t item, void (*look)(apart *, uint32_t item, uint32_t q)) {
    const overlap *o = &x->e->order;
    for (size_t k = o->start[i]; k < o->start[i + 1]; k++) look(x, item, o->earlier[k]);
    for (size_t k = o->later_start[i]; k < o->later_start[i + 1]; k++) look(x, item, o->later[k]);
}

static int by_return(const void *a, const void *b) {
    const removed *x = a, *y = b;
    return x->ret < y->ret ? -1 : x->ret > y->ret;
}

/* C for adds by call and removes by return. (a, r) follows from (a, r') if r happens before r', and from (a', r) if a'
 * happens before a. */
static void exclude_cycles(apart *x, uint32_t item) {
    const overlap *o = &x->e->order;
    uint32_t next = 0, latest_call = 0;
    qsort(x->other, x->others, sizeof *x->other, by_return);
    x->recents = 0;
    for (uint32_t i = 0; i < x->adds; i++) {
        uint32_t a = x->add[i], kept = 0;
        for (; next < x->others && x->other[next].ret < o->call[a]; next++) {
            if (o->call[x->other[next].position] > latest_call) latest_call = o->call[x->other[next].position];
            x->recent[x->recents++] = x->other[next];
        }
        for (uint32_t k = 0; k < x->recents; k++) {
            removed *r = &x->recent[k];
            if (r->ret < latest_call || r->until < o->call[a]) continue;
            say(x, item, before(o, x->t->add[item], a), before(o, r->position, x->t->remove[item]));
            if (o->ret[a] < r->until) r->until = o->ret[a];
            x->recent[kept++] = *r;
        }
        x->recents = kept;
    }
}

static void set_sides(apart *x) {
    const items *t = x->t;
    encoding *e = x->e;
    e->sides = mem_zero((size_t)e->p->n + 1, 1);
    e->taken = MEM_ARRAY(uint32_t, (size_t)e->p->n + 1);
    for (uint32_t i = 0; i < t->n; i++) {
        e->sides[t->add[i]] = ADDS;
        if (!is_taken(t, i)) continue;
        e->sides[t->remove[i]] = REMOVES;
        e->taken[t->remove[i]] = t->add[i];
    }
    for (uint32_t j = 0; j < t->empties; j++) e->sides[t->empty[j]] = BOTH;
    e->order.sides = e->sides;
}

bool items_order_apart(const items *t) {
    encoding *e = t->e;
    size_t room = (size_t)e->p->n + 1;
    apart x = {.t = t, .e = e, .add = MEM_ARRAY(uint32_t, room), .other = MEM_ARRAY(removed, room)};
    x.recent = MEM_ARRAY(removed, room);
    unsigned ticks = 0;
    bool good = true;
    set_sides(&x);
    for (uint32_t i = 0; i < t->n && good; i++) {
        if (!is_taken(t, i) || !overlaps(&e->order, t->add[i], t->remove[i])) continue;
        x.adds = x.others = 0;
        each_beside(&x, t->add[i], i, beside_add);
        each_beside(&x, t->remove[i], i, beside_remove);
        exclude_cycles(&x, i);
        good = encoding_goes_on(e, &ticks);
    }
    FREE_ALL(x.add, x.other, x.recent);
    return good;
}

/* ---- both orders in one ---- */

typedef struct line { /* one side's operations in order */
    uint32_t *at, n, next;
    uint32_t *least_return; /* of those from here on */
} line;

static void line_init(line *l, const encoding *e, unsigned of) {
    size_t room = (size_t)e->p->n + 1;
    *l = (line){.at = MEM_ARRAY(uint32_t, room), .least_return = MEM_ARRAY(uint32_t, room)};
    l->n = overlap_sort(&e->order, &e->cnf, of, l->at);
    l->least_return[l->n] = UINT32_MAX;
    for (uint32_t i = l->n; i-- > 0;) {
        uint32_t ret = e->order.ret[l->at[i]];
        l->least_return[i] = ret < l->least_return[i + 1] ? ret : l->least_return[i + 1];
    }
}

static void line_free(line *l) {
    free(l->at);
    free(l->least_return);
}

/* Can the first of `mine` come next? Nothing on the other side may happen before it, nor be the add that it took. */
static bool may_come(const encoding *e, const line *mine, const line *other, const bool *placed) {
    if (mine->next == mine->n) return false;
    uint32_t i = mine->at[mine->next];
    if (e->sides[i] == BOTH) return other->at[other->next] == i;
    if (other->least_return[other->next] < e->order.call[i]) return false;
    return e->sides[i] != REMOVES || placed[e->taken[i]];
}

uint32_t encoding_merge(const encoding *e, uint32_t *sorted) {
    line adds, removes;
    uint32_t n = 0;
    bool *placed = mem_zero((size_t)e->p->n + 1, sizeof *placed);
    line_init(&adds, e, ADDS);
    line_init(&removes, e, REMOVES);
    for (bool more = true; more;) {
        line *from = may_come(e, &removes, &adds, placed) ? &removes : &adds;
        more = from == &removes || may_come(e, &adds, &removes, placed);
        if (!more) break;
        uint32_t i = from->at[from->next];
        if (e->sides[i] & ADDS) adds.next++;
        if (e->sides[i] & REMOVES) removes.next++;
        placed[i] = true;
        sorted[n++] = i;
    }
    bool all = adds.next == adds.n && removes.next == removes.n;
    line_free(&adds);
    line_free(&removes);
    free(placed);
    return all ? n : 0;
}
