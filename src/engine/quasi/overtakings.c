#include "engine/quasi/overtakings.h"

#include "base/mem.h"
#include "engine/linear/priorities.h"
#include "engine/self_check.h"

#include <string.h>

/* ---- counting how many of the ranks added so far are below another ---- */

typedef struct ranks {
    uint32_t *sum; /* a Fenwick tree over ranks 0 .. n-1 */
    uint32_t n, count;
} ranks;

static void ranks_add(ranks *t, uint32_t rank, uint32_t how_many) {
    assert(rank < t->n);
    for (uint32_t i = rank + 1; i <= t->n; i += i & -i) t->sum[i] += how_many;
    t->count += how_many;
}

static uint32_t ranks_below(const ranks *t, uint32_t rank) {
    uint32_t sum = 0;
    for (uint32_t i = rank < t->n ? rank : t->n; i; i -= i & -i) sum += t->sum[i];
    return sum;
}

/* ---- what is forced ---- */

static uint32_t inside_from(const overtakings *f, uint32_t v) { return add_return(f->c, v); }
static uint32_t opens(const overtakings *f, uint32_t v) {
    uint32_t called = add_call(f->c, v), removed = remove_call(f->c, v);
    return removed < called ? called : removed;
}

/* Pending removals may take what is left at any time. */
static bool may_be_overtaken(const overtakings *f, uint32_t x) {
    return inside_from(f, x) != RANK_NEVER && (is_removed(f->c, x) || f->c->tokens == 0);
}

bool overtaking_forced(const overtakings *f, uint32_t y, uint32_t x) {
    const inventory *c = f->c;
    if (x == y || !is_removed(c, y) || !may_be_overtaken(f, x)) return false;
    if (opens(f, y) < inside_from(f, x) || remove_return(c, y) > opens(f, x)) return false;
    switch (f->order) {
    case OLDEST_AHEAD: return add_return(c, x) < add_call(c, y);
    case NEWEST_AHEAD: return add_return(c, y) < add_call(c, x);
    case BEST_AHEAD: return f->priority[y] < f->priority[x];
    }
    return false;
}

/* A queue's first condition implies that x is inside when y's removal opens, so two sweeps are enough. */
static void count_queue(overtakings *f) {
    const inventory *c = f->c;
    ranks t = {.sum = mem_zero((size_t)c->events + 2, sizeof(uint32_t)), .n = c->events + 1};
    for (uint32_t r = c->events; r-- > 0;) {
        uint32_t v = event_index(c->event[r]);
        event_kind kind = event_kind_of(c->event[r]);
        if (is_add_call(kind) && is_removed(c, v) && remove_return(c, v) != RANK_NEVER)
            ranks_add(&t, remove_return(c, v), 1);
        if (kind == ADD_RETURN && may_be_overtaken(f, v)) f->overtaken[v] = ranks_below(&t, opens(f, v));
    }
    memset(t.sum, 0, ((size_t)c->events + 2) * sizeof *t.sum);
    t.count = 0;
    for (uint32_t r = 0; r < c->events; r++) {
        uint32_t v = event_index(c->event[r]);
        event_kind kind = event_kind_of(c->event[r]);
        if (kind == ADD_RETURN && may_be_overtaken(f, v))
            ranks_add(&t, opens(f, v) < c->events ? opens(f, v) : c->events, 1);
        if (is_add_call(kind) && is_removed(c, v) && remove_return(c, v) != RANK_NEVER)
            f->ahead[v] = t.count - ranks_below(&t, remove_return(c, v));
    }
    free(t.sum);
}

/* ---- the others: three conditions, by divide and conquer over the first ---- */

typedef struct
    overtaking_item { /* of a removal: a is where it opens, b where it returns; of an element: inside from a until b */
    uint32_t key, a, b, value;
    bool removal;
} overtaking_item;

/* removals come after elements of the same key: strictly less counts */
static int by_key(const void *p, const void *q) {
    const overtaking_item *x = p, *y = q;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (int)x->removal - (int)y->removal;
}

typedef struct division {
    overtakings *f;
    overtaking_item *at, *other;
    ranks t;
} division;

static void merge_by_opening(division *d, uint32_t from, uint32_t middle, uint32_t to) {
    uint32_t i = from, j = middle;
    for (uint32_t k = from; k < to; k++) {
        bool left = j == to || (i < middle && d->at[i].a <= d->at[j].a);
        d->other[k] = d->at[left ? i++ : j++];
    }
    assert(i == middle && j == to);
    memcpy(d->at + from, d->other + from, (to - from) * sizeof *d->at);
}

/* Removals of the left half against elements of the right half; both are sorted by a. */
static void count_across(division *d, uint32_t from, uint32_t middle, uint32_t to) {
    ranks *t = &d->t;
    uint32_t j = middle;
    /* elements that were inside when it opened, and until later than it returned */
    for (uint32_t i = from; i < middle; i++) {
        if (!d->at[i].removal) continue;
        for (; j < to && d->at[j].a < d->at[i].a; j++)
            if (!d->at[j].removal) ranks_add(t, d->at[j].b, 1);
        assert(d->at[i].a < d->at[i].b);
        d->f->ahead[d->at[i].value] += t->count - ranks_below(t, d->at[i].b);
    }
    while (j-- > middle)
        if (!d->at[j].removal) ranks_add(t, d->at[j].b, UINT32_MAX);
    uint32_t i = middle;
    for (j = to; j-- > middle;) { /* removals that opened when it was inside, and returned before it could leave */
        if (d->at[j].removal) continue;
        for (; i > from && d->at[i - 1].a > d->at[j].a; i--)
            if (d->at[i - 1].removal) ranks_add(t, d->at[i - 1].b, 1);
        d->f->overtaken[d->at[j].value] += ranks_below(t, d->at[j].b);
    }
    for (; i < middle; i++)
        if (d->at[i].removal) ranks_add(t, d->at[i].b, UINT32_MAX);
    assert(t->count == 0); /* all that was added is taken away again */
}

static void divide(division *d, uint32_t from, uint32_t to) {
    if (to - from < 2) return;
    uint32_t middle = from + (to - from) / 2;
    divide(d, from, middle);
    divide(d, middle, to);
    count_across(d, from, middle, to);
    merge_by_opening(d, from, middle, to);
}

static void count_others(overtakings *f) {
    const inventory *c = f->c;
    bool stack = f->order == NEWEST_AHEAD;
    division d = {.f = f,
                  .at = MEM_ARRAY(overtaking_item, 2 * (size_t)c->values),
                  .other = MEM_ARRAY(overtaking_item, 2 * (size_t)c->values)};
    d.t = (ranks){.sum = mem_zero((size_t)c->events + 2, sizeof(uint32_t)), .n = c->events + 1};
    uint32_t n = 0;
    for (uint32_t v = 0; v < c->values; v++) {
        if (is_removed(c, v) && remove_return(c, v) != RANK_NEVER)
            d.at[n++] =
                (overtaking_item){stack ? add_return(c, v) : f->priority[v], opens(f, v), remove_return(c, v), v, true};
        if (!may_be_overtaken(f, v)) continue;
        uint32_t until = opens(f, v) < c->events ? opens(f, v) : c->events;
        d.at[n++] = (overtaking_item){stack ? add_call(c, v) : f->priority[v], inside_from(f, v), until, v, false};
    }
    if (n) qsort(d.at, n, sizeof *d.at, by_key);
    divide(&d, 0, n);
    FREE_ALL(d.at, d.other, d.t.sum);
}

static void note_most(uint32_t *most, uint32_t *most_value, uint32_t count, uint32_t v) {
    *most = count;
    *most_value = v;
}

/* Each forced overtaking is counted at both of its elements. The counts of a few values are compared with the
 * definition. */
SELF_CHECK static bool counts_agree(const overtakings *f) {
    enum { FEW = 3 };
    uint64_t ahead = 0, overtaken = 0;
    for (uint32_t v = 0; v < f->c->values; v++) {
        ahead += f->ahead[v];
        overtaken += f->overtaken[v];
    }
    for (uint32_t v = 0; v < f->c->values && v < FEW; v++) {
        uint32_t ahead_of_it = 0, overtake_it = 0;
        for (uint32_t x = 0; x < f->c->values; x++) {
            ahead_of_it += overtaking_forced(f, v, x);
            overtake_it += overtaking_forced(f, x, v);
        }
        if (ahead_of_it != f->ahead[v] || overtake_it != f->overtaken[v]) return false;
    }
    return ahead == overtaken;
}

void overtakings_count(overtakings *f, const inventory *c, element_order order, const uint32_t *priority) {
    *f = (overtakings){
        .c = c, .order = order, .priority = priority, .most_ahead_value = NO_INDEX, .most_overtaken_value = NO_INDEX};
    f->ahead = mem_zero(c->values, sizeof *f->ahead);
    f->overtaken = mem_zero(c->values, sizeof *f->overtaken);
    if (order == OLDEST_AHEAD) count_queue(f);
    else count_others(f);
    for (uint32_t v = 0; v < c->values; v++) {
        if (f->most_ahead_value == NO_INDEX || f->ahead[v] > f->most_ahead)
            note_most(&f->most_ahead, &f->most_ahead_value, f->ahead[v], v);
        if (f->most_overtaken_value == NO_INDEX || f->overtaken[v] > f->most_overtaken)
            note_most(&f->most_overtaken, &f->most_overtaken_value, f->overtaken[v], v);
    }
    assert(!c->values || f->most_ahead < c->values);
    assert(!c->values || f->most_overtaken < c->values);
    assert_costly(counts_agree(f));
}

static bool order_of(const object_type *t, element_order *order) {
    if (t->better) {
        *order = BEST_AHEAD;
        return !t->oldest_among_equals;
    }
    bool known = t->ends && t->method_count == 2;
    if (known) *order = t->ends[0] == t->ends[1] ? NEWEST_AHEAD : OLDEST_AHEAD;
    return known;
}

bool overtakings_bound(const problem *p, uint32_t *ahead, uint32_t *overtaken) {
    element_order order;
    outcome out;
    inventory c;
    text unused = {0};
    bool known = order_of(p->o->type, &order) && inventory_accepts(p, &unused);
    text_free(&unused);
    if (!known) return false;
    outcome_init(&out);
    known = inventory_init(&c, p, &out) == INVENTORY_READY;
    if (known) {
        overtakings f;
        uint32_t *priority = order == BEST_AHEAD ? priorities_of(&c) : NULL;
        overtakings_count(&f, &c, order, priority);
        *ahead = f.most_ahead;
        *overtaken = f.most_overtaken;
        overtakings_free(&f);
        free(priority);
    }
    inventory_free(&c);
    outcome_free(&out);
    return known;
}

void overtakings_free(overtakings *f) {
    free(f->ahead);
    free(f->overtaken);
}

/* ---- who ---- */

uint32_t overtakings_ahead_of(const overtakings *f, uint32_t y, uint32_t *list, uint32_t limit) {
    uint32_t n = 0;
    for (uint32_t x = 0; x < f->c->values && n < limit; x++)
        if (overtaking_forced(f, y, x)) list[n++] = x;
    return n;
}

uint32_t overtakings_of(const overtakings *f, uint32_t x, uint32_t *list, uint32_t limit) {
    uint32_t n = 0;
    for (uint32_t y = 0; y < f->c->values && n < limit; y++)
        if (overtaking_forced(f, y, x)) list[n++] = y;
    return n;
}

static void give_pattern(const overtakings *f, uint32_t v, const uint32_t *list, uint32_t n, outcome *out) {
    bad_pattern s = {0};
    bad_pattern_add_value(&s, f->c, v);
    for (uint32_t i = 0; i < n; i++) bad_pattern_add_value(&s, f->c, list[i]);
    inventory_violation(f->c, &s, NO_INDEX, out);
}

bool overtakings_violation(const overtakings *f, const uint32_t *suspect, uint32_t n, uint32_t ahead,
                           uint32_t overtaken, outcome *out) {
    uint32_t *list = MEM_ARRAY(uint32_t, f->c->values); /* no more can be found than there are */
    bool found = false;
    for (uint32_t i = 0; i < n && !found; i++) {
        found = overtakings_ahead_of(f, suspect[i], list, ahead + 1) > ahead;
        if (found) give_pattern(f, suspect[i], list, ahead + 1, out);
        if (found) break;
        found = overtakings_of(f, suspect[i], list, overtaken + 1) > overtaken;
        if (found) give_pattern(f, suspect[i], list, overtaken + 1, out);
    }
    free(list);
    return found;
}
