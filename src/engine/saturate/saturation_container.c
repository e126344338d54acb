/* Queue, stack, pool, priority queues: the rules for a new pair are the instances of the theories' axioms (folder
 * theories) with one literal left. Values are told apart, so that the remove of an add, its mate, is known once it has
 * returned.
 *
 * A remove that has returned is *closed* when no remove that was called before is still open. From then on a value
 * that no operation has returned is taken, if at all, by a remove called later: "the remove of u is after r" is true
 * for every such u. */
#include "engine/saturate/saturation_rules.h"
#include "engine/self_check.h"

#include "base/mem.h"
#include "object/pqueue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum removal_axiom { AXIOM_NONE, AXIOM_FIFO, AXIOM_LIFO, AXIOM_BEST } removal_axiom;

typedef struct saturated_container {
    removal_axiom axiom;
    value_map where;                       /* value -> slot of its add */
    uint64_t *unmatched;                   /* adds that returned, whose value no remove returned */
    uint64_t *closed_adds;                 /* adds whose remove is closed */
    uint64_t *closed_empties;              /* removes that found nothing and are closed */
    uint64_t *leaving;                     /* scratch */
    fifo to_close;                         /* removes that returned and are not closed yet */
    uint32_t oldest_remove, newest_remove; /* open ones */
    uint32_t ready;                        /* the first so many of those waiting may be removed */
    uint32_t left;                         /* so many of them could not be, the last time */
} saturated_container;

enum { LEAST_BATCH = 64 };

/* ---- instances of the axioms ---- */

static removal_axiom axiom_of(const saturation *s) { return ((const saturated_container *)s->own)->axiom; }

static bool is_matched(const saturation *s, uint32_t a) { return s->slot[a].mate != NO_SLOT; }

static bool is_closed(const saturation *s, uint32_t add) {
    return mask_has(((const saturated_container *)s->own)->closed_adds, add);
}

/* lifo of u, which was taken, and v: not all of  add u < add v,  add v < remove u,  remove u < remove v. */
static void lifo(saturation *s, uint32_t u, uint32_t v) {
    const closure *c = &s->order;
    uint32_t taken = s->slot[u].mate, other = s->slot[v].mate;
    bool added_after = is_before(c, u, v), added_in_time = is_before(c, v, taken);
    bool taken_after = other != NO_SLOT ? is_before(c, taken, other)
                                        : is_closed(s, u) && mask_has(((saturated_container *)s->own)->unmatched, v);
    if (added_after && added_in_time && other != NO_SLOT) saturation_order(s, other, taken);
    if (added_after && taken_after) saturation_order(s, taken, v);
    if (added_in_time && taken_after) saturation_order(s, v, u);
}

static bool is_better(const saturation *s, uint32_t v, uint32_t u) {
    return pqueue_better(s->o, s->slot[v].v, s->slot[u].v) > 0;
}

static void pair_of_adds(saturation *s, uint32_t x, uint32_t y) {
    removal_axiom rule = axiom_of(s);
    if (rule == AXIOM_FIFO && is_matched(s, x) && is_matched(s, y))
        saturation_order(s, s->slot[x].mate, s->slot[y].mate);
    if (rule == AXIOM_LIFO && is_matched(s, x)) lifo(s, x, y);
}

static void pair_of_removes(saturation *s, uint32_t x, uint32_t y) {
    removal_axiom rule = axiom_of(s);
    uint32_t u = s->slot[x].mate, v = s->slot[y].mate;
    if (rule == AXIOM_FIFO) saturation_order(s, u, v);
    if (rule == AXIOM_LIFO) lifo(s, u, v);
    if (rule == AXIOM_BEST && is_better(s, v, u)) saturation_order(s, x, v);
}

static void add_before_remove(saturation *s, uint32_t v, uint32_t y) {
    removal_axiom rule = axiom_of(s);
    uint32_t u = s->slot[y].mate;
    if (u == v) return;
    if (rule == AXIOM_LIFO) lifo(s, u, v);
    if (rule == AXIOM_BEST && is_matched(s, v) && is_better(s, v, u)) saturation_order(s, s->slot[v].mate, y);
}

static void pair(saturation *s, uint32_t x, uint32_t y) {
    slot_kind first = s->slot[x].kind, second = s->slot[y].kind;
    if (second == SLOT_EMPTY) {
        if (first == SLOT_ADD && is_matched(s, x)) saturation_order(s, s->slot[x].mate, y);
    } else if (first == SLOT_EMPTY) {
        if (second == SLOT_REMOVE) saturation_order(s, x, s->slot[y].mate);
    } else if (first == SLOT_ADD) {
        if (second == SLOT_ADD) pair_of_adds(s, x, y);
        else add_before_remove(s, x, y);
    } else if (second == SLOT_REMOVE) {
        pair_of_removes(s, x, y);
    }
}

/* All pairs of x with what is watched; unmatched adds have nothing to say before something is closed. */
static void all_pairs(saturation *s, uint32_t x) {
    const closure *c = &s->order;
    const uint64_t *unmatched = ((saturated_container *)s->own)->unmatched;
    MASK_EACH(c->words, w, y, row_before(c, x)[w] & c->watched[w] & ~unmatched[w]) {
        pair(s, (uint32_t)y, x);
        if (!saturation_goes_on(s)) return;
    }
    MASK_EACH(c->words, w, y, row_after(c, x)[w] & c->watched[w] & ~unmatched[w]) {
        pair(s, x, (uint32_t)y);
        if (!saturation_goes_on(s)) return;
    }
}

/* ---- closing ---- */

static void close_empty(saturation *s, uint32_t e) {
    saturated_container *k = s->own;
    const closure *c = &s->order;
    assert(s->slot[e].kind == SLOT_EMPTY);
    mask_set(k->closed_empties, e);
    MASK_EACH(c->words, w, u, k->unmatched[w] & ~row_after(c, e)[w]) saturation_order(s, e, (uint32_t)u);
}

/* What the remove r of a being closed says of an add u that no remove took. */
static void against_closed(saturation *s, uint32_t a, uint32_t u) {
    removal_axiom rule = axiom_of(s);
    if (rule == AXIOM_FIFO) saturation_order(s, a, u);
    if (rule == AXIOM_LIFO) lifo(s, a, u);
    if (rule == AXIOM_BEST && is_better(s, u, a)) saturation_order(s, s->slot[a].mate, u);
}

static void close_remove(saturation *s, uint32_t r) {
    saturated_container *k = s->own;
    const closure *c = &s->order;
    uint32_t a = s->slot[r].mate;
    assert(s->slot[r].kind == SLOT_REMOVE && s->slot[a].mate == r && !mask_has(k->unmatched, a));
    mask_set(k->closed_adds, a);
    if (k->axiom == AXIOM_NONE) return;
    bool by_adds = k->axiom == AXIOM_FIFO;
    MASK_EACH(c->words, w, u, k->unmatched[w] & ~(by_adds ? row_after(c, a) : row_after(c, r))[w])
    against_closed(s, a, (uint32_t)u);
}

static void close_what_can_be(saturation *s) {
    saturated_container *k = s->own;
    uint64_t since = k->oldest_remove == NO_SLOT ? NOT_YET : s->slot[k->oldest_remove].call;
    while (k->to_close.n && saturation_goes_on(s)) {
        uint32_t r = fifo_at(&k->to_close, 0);
        assert(k->to_close.n < 2 || s->slot[r].ret < s->slot[fifo_at(&k->to_close, 1)].ret); /* by return */
        if (s->slot[r].ret > since) return;
        fifo_take(&k->to_close);
        if (s->slot[r].kind == SLOT_EMPTY) close_empty(s, r);
        else close_remove(s, r);
    }
}

/* ---- events ---- */

static void open_remove(saturation *s, uint32_t x) {
    saturated_container *k = s->own;
    saturated *o = &s->slot[x];
    assert(k->newest_remove == NO_SLOT || s->slot[k->newest_remove].call < o->call);
    o->older_remove = k->newest_remove;
    o->newer_remove = NO_SLOT;
    if (k->newest_remove != NO_SLOT) s->slot[k->newest_remove].newer_remove = x;
    else k->oldest_remove = x;
    k->newest_remove = x;
}

static void end_remove(saturation *s, uint32_t x) {
    saturated_container *k = s->own;
    const saturated *o = &s->slot[x];
    assert(o->older_remove == NO_SLOT ? k->oldest_remove == x : s->slot[o->older_remove].newer_remove == x);
    if (o->older_remove != NO_SLOT) s->slot[o->older_remove].newer_remove = o->newer_remove;
    else k->oldest_remove = o->newer_remove;
    if (o->newer_remove != NO_SLOT) s->slot[o->newer_remove].older_remove = o->older_remove;
    else k->newest_remove = o->older_remove;
}

static void call(saturation *s, uint32_t x, const operation *op) {
    saturated_container *k = s->own;
    unsigned role = s->o->type->methods[op->method].role;
    if (role == ROLE_REMOVES && op->nargs == 0) {
        s->slot[x].kind = SLOT_REMOVE;
        open_remove(s, x);
    } else if (role != ROLE_ADDS) {
        saturation_stop(s, "an operation that is neither an add nor a remove of anything");
    } else if (value_map_find(&k->where, op->arg[0]) != VALUE_MAP_ABSENT) {
        saturation_stop(s, "a value is put in again while the first is remembered");
    } else {
        s->slot[x].kind = SLOT_ADD;
        s->slot[x].v = op->arg[0];
        value_map_add(&k->where, op->arg[0], x);
    }
}

static void wait_for_removal(saturation *s, uint32_t x) {
    s->slot[x].done = s->now;
    fifo_put(&s->waiting, x);
}

static void match(saturation *s, uint32_t a, uint32_t r) {
    saturated_container *k = s->own;
    assert(!is_matched(s, a) && !is_matched(s, r) && s->slot[a].v == s->slot[r].v);
    s->slot[a].mate = r;
    s->slot[r].mate = a;
    mask_clear(k->unmatched, a);
    mask_set(s->order.watched, a);
    mask_set(s->order.watched, r);
    saturation_order(s, a, r);
    if (saturation_goes_on(s)) all_pairs(s, a);
    if (saturation_goes_on(s)) all_pairs(s, r);
    if (s->slot[a].ret != NOT_YET) wait_for_removal(s, r);
}

static void took_nothing(saturation *s, uint32_t e) {
    s->slot[e].kind = SLOT_EMPTY;
    mask_set(s->order.watched, e);
    all_pairs(s, e);
    fifo_put(&((saturated_container *)s->own)->to_close, e);
    wait_for_removal(s, e);
}

static void took(saturation *s, uint32_t r, value v) {
    saturated_container *k = s->own;
    uint32_t a = value_map_find(&k->where, v);
    s->slot[r].v = v;
    if (a == VALUE_MAP_ABSENT || is_matched(s, a)) {
        saturation_violation(s, "a value comes out that is not inside: it was never put in, or has been taken before");
        return;
    }
    fifo_put(&k->to_close, r);
    match(s, a, r);
}

/* An add that no remove took so far, against everything that is closed. */
static void added(saturation *s, uint32_t u) {
    saturated_container *k = s->own;
    const closure *c = &s->order;
    if (is_matched(s, u)) {
        wait_for_removal(s, s->slot[u].mate);
        return;
    }
    assert(s->slot[u].kind == SLOT_ADD && s->slot[u].ret != NOT_YET);
    mask_set(k->unmatched, u);
    mask_set(c->watched, u);
    MASK_EACH(c->words, w, e, k->closed_empties[w] & ~row_before(c, u)[w]) saturation_order(s, (uint32_t)e, u);
    if (k->axiom == AXIOM_NONE) return;
    uint64_t all = k->axiom == AXIOM_FIFO ? 0 : ~UINT64_C(0);
    MASK_EACH(c->words, w, a, k->closed_adds[w] & (all | ~row_before(c, u)[w])) against_closed(s, (uint32_t)a, u);
}

static void ret(saturation *s, uint32_t x, value res) {
    if (s->slot[x].kind == SLOT_ADD) {
        if (res == VALUE_FULL) saturation_stop(s, "an add that returned 'full'");
        else added(s, x);
        return;
    }
    end_remove(s, x);
    if (res == VALUE_EMPTY) took_nothing(s, x);
    else took(s, x, res);
    if (saturation_goes_on(s)) close_what_can_be(s);
}

static void drop(saturation *s, uint32_t x) {
    saturated_container *k = s->own;
    if (s->slot[x].kind != SLOT_ADD) {
        end_remove(s, x);
        close_what_can_be(s);
    } else if (is_matched(s, x)) {
        saturation_violation(s, "a value came out whose add did not happen");
    } else {
        value_map_remove(&k->where, s->slot[x].v);
        s->slot[x].v = VALUE_UNKNOWN;
    }
}

static bool give_up(saturation *s, uint32_t x) {
    (void)s, (void)x; /* it stays where it is; only removal does not wait for it */
    return true;
}

/* ---- removal ---- */

static void forget(saturation *s, const uint64_t *which) {
    saturated_container *k = s->own;
    for (uint32_t w = 0; w < s->order.words; w++) {
        for (uint64_t left = which[w]; left; left &= left - 1) {
            const saturated *o = &s->slot[w * 64 + (uint32_t)__builtin_ctzll(left)];
            if (o->kind == SLOT_ADD && o->v != VALUE_UNKNOWN) value_map_remove(&k->where, o->v);
        }
        k->unmatched[w] &= ~which[w];
        k->closed_adds[w] &= ~which[w];
        k->closed_empties[w] &= ~which[w];
    }
}

static void mark_group(const saturation *s, uint64_t *mask, uint32_t x) {
    mask_set(mask, x);
    if (s->slot[x].kind == SLOT_REMOVE) mask_set(mask, s->slot[x].mate);
}

static bool is_comparable(const closure *c, uint32_t x, const uint64_t *leaving) {
    const uint64_t *before = row_before(c, x), *after = row_after(c, x);
    for (uint32_t w = 0; w < c->words; w++)
        if (c->live[w] & ~leaving[w] & ~before[w] & ~after[w]) return false;
    return true;
}

/* An operation that is not ordered with one that stays, stays. */
static void keep_component(saturation *s, uint64_t *leaving, uint32_t n) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t x = fifo_at(&s->waiting, i), mate = s->slot[x].mate;
            if (!mask_has(leaving, x)) continue;
            if (is_comparable(&s->order, x, leaving) && (mate == NO_SLOT || is_comparable(&s->order, mate, leaving)))
                continue;
            mask_clear(leaving, x);
            if (mate != NO_SLOT) mask_clear(leaving, mate);
            changed = true;
        }
    }
}

/* What leaves is not waiting any longer. Those to be closed are no longer, if they leave before (a remove that never
 * returns keeps them from it). */
static void leave_list(fifo *f, const uint64_t *leaving) {
    uint32_t n = f->n, kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = fifo_at(f, i);
        if (!mask_has(leaving, x)) f->at[(f->first + kept++) & (f->room - 1)] = x;
    }
    f->n = kept;
}

static void remove_first(saturation *s, uint32_t n, bool component) {
    saturated_container *k = s->own;
    memset(k->leaving, 0, s->order.words * sizeof *k->leaving);
    for (uint32_t i = 0; i < n; i++) mark_group(s, k->leaving, fifo_at(&s->waiting, i));
    if (component) keep_component(s, k->leaving, n);
    uint32_t before = s->waiting.n;
    leave_list(&s->waiting, k->leaving);
    leave_list(&k->to_close, k->leaving);
    k->left = n - (before - s->waiting.n);
    k->ready = k->left;
    saturation_forget(s, k->leaving);
}

static void remove_at_once(saturation *s) {
    saturated_container *k = s->own;
    uint64_t since = saturation_waits_since(s);
    memset(k->leaving, 0, s->order.words * sizeof *k->leaving);
    bool some = false;
    for (uint32_t i = 0; i < s->waiting.n; i++) {
        uint32_t x = fifo_at(&s->waiting, i);
        /* belongs to no match: as with delayed */
        if (s->slot[x].kind == SLOT_EMPTY && s->slot[x].done > since) continue;
        mark_group(s, k->leaving, x);
        some = true;
    }
    if (!some) return;
    leave_list(&s->waiting, k->leaving);
    leave_list(&k->to_close, k->leaving);
    saturation_forget(s, k->leaving);
}

static void remove_what_may_leave(saturation *s) {
    saturated_container *k = s->own;
    if (s->settings.removal == REMOVAL_IMMEDIATE) {
        remove_at_once(s);
        return;
    }
    uint64_t since = saturation_waits_since(s);
    while (k->ready < s->waiting.n && s->slot[fifo_at(&s->waiting, k->ready)].done < since) k->ready++;
    uint32_t batch = s->settings.batch,
             usual = s->order.count / 8 > LEAST_BATCH / 2 ? s->order.count / 8 : LEAST_BATCH / 2;
    bool enough = batch ? k->ready >= batch : k->ready >= 2 * k->left + usual;
    if (enough) remove_first(s, k->ready, s->settings.removal == REMOVAL_COMPONENT);
}

static bool relieve(saturation *s) {
    saturated_container *k = s->own;
    if (!k->ready) return false;
    if (s->settings.removal == REMOVAL_COMPONENT) s->forced += k->ready;
    remove_first(s, k->ready, false);
    return true;
}

static bool settle(saturation *s) {
    saturated_container *k = s->own;
    if (s->settings.removal != REMOVAL_IMMEDIATE)
        remove_first(s, k->ready = s->waiting.n, s->settings.removal == REMOVAL_COMPONENT);
    return s->order.count == 0;
}

/* ---- what is known ---- */

/* Queue and pool: docs/SATURATION.md has the proof that nothing is missed while every remove returns. */
static const char *doubt(const saturation *s) {
    const saturated_container *k = s->own;
    if (s->unreturned) return "saturation is incomplete when operations do not return";
    if (k->oldest_remove != NO_SLOT) return "saturation is incomplete while removes have not returned";
    if (k->axiom == AXIOM_LIFO)
        return s->forced ? "saturation is incomplete for stacks when so many operations overlap"
                         : "saturation is not proved to be complete for stacks";
    if (k->axiom == AXIOM_BEST) return "saturation is not proved to be complete for priority queues";
    return s->settings.removal == REMOVAL_IMMEDIATE ? "saturation is incomplete when operations are removed immediately"
                                                    : NULL;
}

static void grow(saturation *s, uint32_t old_words) {
    saturated_container *k = s->own;
    uint64_t **mask[] = {&k->unmatched, &k->closed_adds, &k->closed_empties, &k->leaving};
    for (unsigned i = 0; i < sizeof mask / sizeof *mask; i++)
        *mask[i] = mask_grow(*mask[i], 1, old_words, s->order.words);
}

static void init(saturation *s) {
    saturated_container *k = MEM_NEW(saturated_container);
    const char *name = s->o->type->name;
    k->axiom = !strcmp(name, "queue")      ? AXIOM_FIFO
               : !strcmp(name, "stack")    ? AXIOM_LIFO
               : !strcmp(name, "multiset") ? AXIOM_NONE
                                           : AXIOM_BEST;
    k->oldest_remove = k->newest_remove = NO_SLOT;
    s->own = k;
    grow(s, 0);
}

static void free_container(saturation *s) {
    saturated_container *k = s->own;
    FREE_ALL(k->where.slot, k->unmatched, k->closed_adds, k->closed_empties, k->leaving, k->to_close.at, k);
}

static size_t memory(const saturation *s) {
    const saturated_container *k = s->own;
    return sizeof *k + value_map_memory(&k->where) + 4 * s->order.words * sizeof *k->unmatched +
           k->to_close.room * sizeof *k->to_close.at;
}

const rules container_rules = {
    .objects = " queue stack multiset pqueue-max pqueue-min ", .free = free_container, RULES_FUNCTIONS};
