/* Registers, and sets one element at a time: a cell that operations write and observe, as in symbolic_cell.c. What an
 * observation o of v needs of the writes:
 *
 *   for each write w of another value: o < w, or some write c of v with w < c < o
 *   if v was not there in the beginning: some write c of v with c < o
 *
 * A candidate c is a write of v, open or not, that is neither after o nor before w. With no candidate left o < w; with
 * one, it is the one. Writes called after o returned are after it, so candidates only become fewer.
 *
 * Removal. R-ordered (the paper's section 5, with what its rule really needs): a write w and the observations of its
 * value leave when some w2 called after w returned has returned, and so has everything called before w2 returned. An
 * operation that observes that value later is wrong, and has no candidate. It needs w to be the only write of its
 * value that is remembered. By component: whatever is before everything else, when only one value can be there
 * afterwards; that value is the initial one from then on. */
#include "engine/saturate/saturation_rules.h"
#include "engine/self_check.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

typedef struct cell_content { /* a value that is written or observed, while something live is about it */
    value v;
    uint32_t live;
    uint32_t next_unused;
} cell_content;

typedef struct saturated_cell {
    bool set;
    value_map where; /* value -> content */
    cell_content *content;
    uint32_t contents, room, unused;
    uint64_t *writes;                               /* by content: who writes it, open or not */
    uint64_t *seen;                                 /* by content: who observed it */
    uint64_t *writers, *used, *observers, *leaving; /* of all contents; used: took effect for certain */
    uint32_t initial;
    bool repeated;  /* two writes of one value were remembered at once */
    uint32_t tried; /* operations left by the last attempt by component */
} saturated_cell;

/* ---- contents ---- */

static uint64_t *row(const saturation *s, uint64_t *matrix, uint32_t number) {
    return matrix + (size_t)number * s->order.words;
}

static uint32_t content_of(saturation *s, value v) {
    saturated_cell *k = s->own;
    uint32_t number = value_map_find(&k->where, v);
    if (number != VALUE_MAP_ABSENT) return number;
    if (k->unused != NO_SLOT) {
        number = k->unused;
        k->unused = k->content[number].next_unused;
    } else {
        if (k->contents == k->room) {
            k->room = k->room ? 2 * k->room : 16;
            k->content = MEM_GROW(k->content, cell_content, k->room);
            k->writes = MEM_GROW(k->writes, uint64_t, (size_t)k->room * s->order.words);
            k->seen = MEM_GROW(k->seen, uint64_t, (size_t)k->room * s->order.words);
        }
        number = k->contents++;
    }
    assert(number < k->contents && k->contents <= k->room);
    k->content[number] = (cell_content){.v = v};
    memset(row(s, k->writes, number), 0, s->order.words * sizeof *k->writes);
    memset(row(s, k->seen, number), 0, s->order.words * sizeof *k->seen);
    value_map_add(&k->where, v, number);
    return number;
}

static void content_release(saturation *s, uint32_t number) {
    saturated_cell *k = s->own;
    cell_content *c = &k->content[number];
    assert(c->live > 0 && value_map_find(&k->where, c->v) == number);
    if (--c->live) return;
    value_map_remove(&k->where, c->v);
    c->next_unused = k->unused;
    k->unused = number;
}

static void set_initial(saturation *s, uint32_t number) {
    saturated_cell *k = s->own;
    k->content[number].live++;
    if (k->initial != NO_SLOT) content_release(s, k->initial);
    k->initial = number;
}

static bool only_one(const uint64_t *m, uint32_t words) {
    uint64_t seen = 0;
    for (uint32_t w = 0; w < words; w++) {
        if (m[w] && (seen || m[w] & (m[w] - 1))) return false;
        seen |= m[w];
    }
    return true;
}

static void put_write(saturation *s, uint32_t x, value v) {
    saturated_cell *k = s->own;
    uint32_t number = content_of(s, v);
    k->content[number].live++;
    assert(s->slot[x].content == NO_SLOT);
    s->slot[x].content = number;
    mask_set(row(s, k->writes, number), x);
    mask_set(k->writers, x);
    k->repeated |= number == k->initial || !only_one(row(s, k->writes, number), s->order.words);
}

static void take_write(saturation *s, uint32_t x) {
    saturated_cell *k = s->own;
    uint32_t number = s->slot[x].content;
    if (number == NO_SLOT) return;
    assert(mask_has(row(s, k->writes, number), x) && mask_has(k->writers, x));
    mask_clear(row(s, k->writes, number), x);
    mask_clear(k->writers, x);
    mask_clear(k->used, x);
    s->slot[x].content = NO_SLOT;
    content_release(s, number);
}

static void put_observation(saturation *s, uint32_t x, value v) {
    saturated_cell *k = s->own;
    uint32_t number = content_of(s, v);
    k->content[number].live++;
    assert(s->slot[x].seen == NO_SLOT);
    s->slot[x].seen = number;
    mask_set(row(s, k->seen, number), x);
    mask_set(k->observers, x);
}

static void take_observation(saturation *s, uint32_t x) {
    saturated_cell *k = s->own;
    uint32_t number = s->slot[x].seen;
    if (number == NO_SLOT) return;
    assert(mask_has(row(s, k->seen, number), x) && mask_has(k->observers, x));
    mask_clear(row(s, k->seen, number), x);
    mask_clear(k->observers, x);
    s->slot[x].seen = NO_SLOT;
    content_release(s, number);
}

/* ---- what observations need ---- */

typedef struct write_candidates {
    unsigned n; /* 2: two or more */
    uint32_t one;
} write_candidates;

static write_candidates candidates_for(const saturation *s, uint32_t o, uint32_t w) {
    const saturated_cell *k = s->own;
    const uint64_t *writes = k->writes + (size_t)s->slot[o].seen * s->order.words, *after = row_after(&s->order, o);
    const uint64_t *before = w == NO_SLOT ? NULL : row_before(&s->order, w);
    write_candidates found = {0, NO_SLOT};
    for (uint32_t i = 0; i < s->order.words && found.n < 2; i++) {
        uint64_t left = writes[i] & ~after[i] & ~(before ? before[i] : 0);
        if (o / 64 == i) left &= ~(UINT64_C(1) << (o % 64));
        if (!left) continue;
        found.one = i * 64 + (uint32_t)__builtin_ctzll(left);
        found.n += left & (left - 1) ? 2 : 1;
    }
    return found;
}

static void look_at_write(saturation *s, uint32_t x);

static void must_have_happened(saturation *s, uint32_t c) {
    saturated_cell *k = s->own;
    assert(mask_has(k->writers, c));
    if (mask_has(k->used, c)) return;
    mask_set(k->used, c);
    look_at_write(s, c);
}

static void check(saturation *s, uint32_t w, uint32_t o) {
    saturated_cell *k = s->own;
    if (w == o || s->slot[w].content == s->slot[o].seen || !mask_has(k->used, w) || is_before(&s->order, o, w)) return;
    write_candidates c = candidates_for(s, o, w);
    if (c.n == 0) {
        saturation_order(s, o, w);
    } else if (c.n == 1 && is_before(&s->order, w, o)) {
        must_have_happened(s, c.one);
        saturation_order(s, w, c.one);
        if (saturation_goes_on(s)) saturation_order(s, c.one, o);
    }
}

static void check_need(saturation *s, uint32_t o) {
    if (s->slot[o].seen == ((saturated_cell *)s->own)->initial) return;
    write_candidates c = candidates_for(s, o, NO_SLOT);
    if (c.n == 0) {
        saturation_violation(s, "a value is observed that was not there: it was never written, or overwritten before");
    } else if (c.n == 1) {
        must_have_happened(s, c.one);
        saturation_order(s, c.one, o);
    }
}

static void look_at_observation(saturation *s, uint32_t o) {
    const saturated_cell *k = s->own;
    check_need(s, o);
    MASK_EACH(s->order.words, i, w, k->used[i] & k->writers[i] & ~row_after(&s->order, o)[i]) {
        if (!saturation_goes_on(s)) return;
        check(s, (uint32_t)w, o);
    }
}

static void look_at_write(saturation *s, uint32_t x) {
    const saturated_cell *k = s->own;
    MASK_EACH(s->order.words, i, o, k->observers[i] & ~row_before(&s->order, x)[i]) {
        if (!saturation_goes_on(s)) return;
        check(s, x, (uint32_t)o);
    }
}

static void look_at_content(saturation *s, uint32_t number) {
    const saturated_cell *k = s->own;
    MASK_EACH(s->order.words, i, o, (k->seen + (size_t)number * s->order.words)[i]) {
        if (!saturation_goes_on(s)) return;
        look_at_observation(s, (uint32_t)o);
    }
}

static void pair(saturation *s, uint32_t x, uint32_t y) {
    const saturated_cell *k = s->own;
    const saturated *a = &s->slot[x], *b = &s->slot[y];
    if (b->content == NO_SLOT && b->seen == NO_SLOT) return;
    if (a->content != NO_SLOT && b->seen != NO_SLOT) check(s, x, y);
    if (saturation_goes_on(s) && a->seen != NO_SLOT && b->content == a->seen) look_at_observation(s, x);
    if (!saturation_goes_on(s) || a->content == NO_SLOT || b->content == NO_SLOT || a->content == b->content) return;
    MASK_EACH(s->order.words, i, o, (k->seen + (size_t)a->content * s->order.words)[i]) {
        if (!saturation_goes_on(s)) return;
        check(s, y, (uint32_t)o);
    }
}

/* ---- events ---- */

enum { SET_ADD, SET_REMOVE, SET_CONTAINS };

static bool only_observes(const saturation *s, const saturated *o) {
    return s->o->type->methods[o->method].role & ROLE_OBSERVES;
}

static void call(saturation *s, uint32_t x, const operation *op) {
    saturated_cell *k = s->own;
    s->slot[x].kind = SLOT_CELL;
    mask_set(s->order.watched, x);
    if (only_observes(s, &s->slot[x])) return;
    put_write(s, x, k->set ? value_bool(op->method == SET_ADD) : op->arg[0]);
}

/* A set's add that returned true found the element absent and wrote; one that returned false only observed it. */
static void set_returned(saturation *s, uint32_t x, value res) {
    bool adds = s->slot[x].method == SET_ADD;
    if (res != VALUE_TRUE && res != VALUE_FALSE) return;
    put_observation(s, x, value_bool(adds == (res == VALUE_FALSE)));
    if (res == VALUE_TRUE) return;
    uint32_t number = s->slot[x].content;
    ((saturated_cell *)s->own)->content[number].live++; /* until it has been looked at */
    take_write(s, x);
    look_at_content(s, number);
    content_release(s, number);
}

static void ret(saturation *s, uint32_t x, value res) {
    saturated_cell *k = s->own;
    if (only_observes(s, &s->slot[x])) put_observation(s, x, res);
    else if (k->set) set_returned(s, x, res);
    if (saturation_goes_on(s) && s->slot[x].content != NO_SLOT) {
        mask_set(k->used, x);
        look_at_write(s, x);
        s->slot[x].done = s->now;
        fifo_put(&s->waiting, x);
    }
    if (saturation_goes_on(s) && s->slot[x].seen != NO_SLOT) look_at_observation(s, x);
}

static void drop(saturation *s, uint32_t x) {
    saturated_cell *k = s->own;
    uint32_t number = s->slot[x].content;
    if (number == NO_SLOT) return;
    if (mask_has(k->used, x)) {
        saturation_violation(s, "a value was observed whose write did not happen");
        return;
    }
    k->content[number].live++;
    take_write(s, x);
    look_at_content(s, number);
    content_release(s, number);
}

/* An observation that is not waited for is not looked at when it comes: what it observed may have been removed. A write
 * is: it can only add what is true of those that are left. */
static bool give_up(saturation *s, uint32_t x) {
    s->slot[x].ignored = only_observes(s, &s->slot[x]);
    return true;
}

/* ---- removal ---- */

static void forget(saturation *s, const uint64_t *which) {
    MASK_EACH(s->order.words, w, x, which[w] & s->order.live[w]) {
        take_write(s, (uint32_t)x);
        take_observation(s, (uint32_t)x);
    }
}

static void leave(saturation *s) {
    saturated_cell *k = s->own;
    fifo *f = &s->waiting;
    uint32_t n = f->n, kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = fifo_at(f, i);
        if (!mask_has(k->leaving, x)) f->at[(f->first + kept++) & (f->room - 1)] = x;
    }
    f->n = kept;
    saturation_forget(s, k->leaving);
}

/* The writes at the front of the list are settled: everything called before they returned has returned. */
static void remove_clusters(saturation *s) {
    saturated_cell *k = s->own;
    uint32_t ready = 0, words = s->order.words;
    uint64_t since = saturation_waits_since(s), latest = 0;
    for (; ready < s->waiting.n && s->slot[fifo_at(&s->waiting, ready)].done < since; ready++) {
        uint64_t called = s->slot[fifo_at(&s->waiting, ready)].call;
        if (called > latest) latest = called;
    }
    uint32_t batch = s->settings.batch ? s->settings.batch : 8;
    if (ready < batch + 1) return;
    memset(k->leaving, 0, words * sizeof *k->leaving);
    for (uint32_t i = 0; i < ready; i++) {
        uint32_t w = fifo_at(&s->waiting, i), number = s->slot[w].content;
        if (s->slot[w].ret >= latest || number == k->initial || !only_one(row(s, k->writes, number), words)) continue;
        mask_set(k->leaving, w);
        for (uint32_t j = 0; j < words; j++) k->leaving[j] |= row(s, k->seen, number)[j];
    }
    const uint64_t *initial = row(s, k->seen, k->initial);
    bool rewritten = false;
    for (uint32_t j = 0; j < words; j++) rewritten |= row(s, k->writes, k->initial)[j] != 0;
    for (uint32_t j = 0; j < words && !rewritten; j++) k->leaving[j] |= initial[j];
    leave(s);
}

typedef struct slot_by_count {
    uint32_t before, slot;
} slot_by_count;

static int by_count(const void *a, const void *b) {
    const slot_by_count *x = a, *y = b;
    return x->before != y->before ? (x->before < y->before ? -1 : 1) : x->slot < y->slot ? -1 : x->slot > y->slot;
}

static uint32_t count_before(const saturation *s, uint32_t x) {
    uint32_t n = 0;
    for (uint32_t w = 0; w < s->order.words; w++) n += (uint32_t)__builtin_popcountll(row_before(&s->order, x)[w]);
    return n;
}

/* What is there after all of `these`, if the order leaves no choice; NO_SLOT: it does. */
static uint32_t content_after(const saturation *s, const uint64_t *these) {
    const saturated_cell *k = s->own;
    uint32_t found = NO_SLOT;
    MASK_EACH(s->order.words, i, w, these[i] & k->writers[i]) {
        const uint64_t *after = row_after(&s->order, (uint32_t)w);
        bool last = true;
        for (uint32_t j = 0; j < s->order.words; j++) last = last && !(after[j] & these[j] & k->writers[j]);
        if (!last) continue;
        if (found != NO_SLOT && found != s->slot[w].content) return NO_SLOT;
        found = s->slot[w].content;
    }
    return found == NO_SLOT ? k->initial : found;
}

/* The longest beginning that is before all the rest. Sorted by how much is before them, a beginning of k is one that
 * holds exactly those with fewer than k before them; all the rest has to be after each of them. */
static void remove_beginning(saturation *s, uint32_t at_least) {
    saturated_cell *k = s->own;
    uint32_t n = 0, words = s->order.words;
    if (s->order.count < at_least) return;
    slot_by_count *all = MEM_ARRAY(slot_by_count, s->order.count);
    uint64_t *these = mem_zero(2 * (size_t)words, sizeof *these), *common = these + words;
    MASK_EACH(words, w, x, s->order.live[w]) all[n++] = (slot_by_count){count_before(s, (uint32_t)x), (uint32_t)x};
    qsort(all, n, sizeof *all, by_count);
    memset(common, 0xff, words * sizeof *common);
    uint32_t best = 0, then = NO_SLOT;
    for (uint32_t i = 0; i < n && s->slot[all[i].slot].ret != NOT_YET; i++) {
        mask_set(these, all[i].slot);
        for (uint32_t w = 0; w < words; w++) common[w] &= row_after(&s->order, all[i].slot)[w] | these[w];
        bool all_after = true;
        for (uint32_t w = 0; w < words; w++) all_after = all_after && !(s->order.live[w] & ~these[w] & ~common[w]);
        uint32_t left = all_after ? content_after(s, these) : NO_SLOT;
        if (left == NO_SLOT) continue;
        best = i + 1;
        then = left;
    }
    memset(k->leaving, 0, words * sizeof *k->leaving);
    for (uint32_t i = 0; i < best; i++) mask_set(k->leaving, all[i].slot);
    if (best) {
        set_initial(s, then);
        leave(s);
    }
    k->tried = s->order.count;
    free(all);
    free(these);
}

static void remove_what_may_leave(saturation *s) {
    const saturated_cell *k = s->own;
    if (s->settings.removal == REMOVAL_DELAYED) remove_clusters(s);
    uint32_t at_least = s->settings.batch ? s->settings.batch : 2 * k->tried + 16;
    if (s->settings.removal == REMOVAL_COMPONENT || k->repeated) remove_beginning(s, at_least);
}

static bool relieve(saturation *s) {
    (void)s;
    return false;
}

static bool settle(saturation *s) {
    const saturated_cell *k = s->own;
    remove_beginning(s, 1);
    return s->order.count == 0 && k->content[k->initial].v == (k->set ? VALUE_FALSE : s->o->init);
}

/* ---- what is known ---- */

/* Registers whose values are told apart: propagation finds every pair of zones that conflict (Gibbons, Korach, SIAM J.
 * Comput. 1997); docs/SATURATION.md. */
static const char *doubt(const saturation *s) {
    const saturated_cell *k = s->own;
    if (k->set) return "saturation is incomplete for sets";
    if (s->unreturned) return "saturation is incomplete when operations do not return";
    return k->repeated ? "saturation is incomplete when a value is written more than once" : NULL;
}

static void grow(saturation *s, uint32_t old_words) {
    saturated_cell *k = s->own;
    uint32_t words = s->order.words;
    k->writes = mask_grow(k->writes, k->room, old_words, words);
    k->seen = mask_grow(k->seen, k->room, old_words, words);
    uint64_t **mask[] = {&k->writers, &k->used, &k->observers, &k->leaving};
    for (unsigned i = 0; i < sizeof mask / sizeof *mask; i++) *mask[i] = mask_grow(*mask[i], 1, old_words, words);
}

static void init(saturation *s) {
    saturated_cell *k = MEM_NEW(saturated_cell);
    k->set = !strcmp(s->o->type->name, "set");
    k->unused = k->initial = NO_SLOT;
    s->own = k;
    grow(s, 0);
    set_initial(s, content_of(s, k->set ? VALUE_FALSE : s->o->init));
}

static void free_cell(saturation *s) {
    saturated_cell *k = s->own;
    FREE_ALL(k->where.slot, k->content, k->writes, k->seen, k->writers, k->used, k->observers, k->leaving, k);
}

static size_t memory(const saturation *s) {
    const saturated_cell *k = s->own;
    return sizeof *k + value_map_memory(&k->where) + k->room * sizeof *k->content +
           (2 * (size_t)k->room + 4) * s->order.words * sizeof *k->writes;
}

const rules cell_rules = {.objects = " register swmr-register set ", .free = free_cell, RULES_FUNCTIONS};
