/* The general engine: depth-first search with memory, after Wing and Gong (1993) and Lowe (2017).
 *
 * A configuration says how far a linearization has come: the *deadline* (the first return whose operation is not
 * linearized: everything that returned before it is, nothing called after it can be), the mask of the linearized among
 * the operations open at the deadline, and the situation (object state, pending operations used). None of these grows
 * with the length of the history, so memory is linear in the number of configurations, and no configuration is searched
 * twice.
 *
 * What keeps the search narrow:
 *  - an operation that changes nothing and fits the state is linearized at once: it cannot prevent another operation;
 *  - of the others the most urgent is tried first: the one with the earliest return, if the object knows no better;
 *  - an add that puts two elements in an order that can never be resolved is not tried (foresight.h);
 *  - pending operations come last, and only where they are needed: a pending operation p must not be followed by an x
 *    that does the same without p (then p is left out), or that could as well come before p (then p comes later). Every
 *    linearization can be brought to that form: leave out the pending operations that are not needed, and move each of
 *    the others back as long as it commutes with what follows. Pending operations never return, so they may move back
 *    freely.
 *
 * That a history is a violation is known when all has been tried, back to the beginning. Most violations show in what
 * happened near the deadline that cannot be passed: when going back takes long, that is decided by itself, with all
 * that has to stay with it (object/stay.h). A violation of it is one of the whole history. */
#include "engine/engine.h"
#include "engine/general/foresight.h"
#include "engine/general/tighten.h"
#include "engine/general/timeline.h"
#include "engine/general/visited.h"
#include "engine/pattern.h"
#include "engine/self_check.h"
#include "base/word_table.h"

#include "base/mem.h"
#include "object/stay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_INDEX UINT32_MAX
enum { NEAR = 64 }; /* operations on each side of a moment */

typedef struct frame {
    uint64_t mask;     /* over slots; with more than 64 slots the number of the mask in `masks` */
    uint32_t deadline; /* event index; t.events when nothing is left to return */
    uint32_t situation;
    uint32_t tried;  /* completed operations up to this place in the order have been tried */
    uint32_t class;  /* classes of pending operations up to this one have been tried */
    uint32_t op;     /* position linearized from here, when there is a frame above */
    uint32_t choice; /* the outcome to try next of the candidate under way */
} frame;

/* A situation in full. While no pending operation matters it is just the number of the object's state. */
typedef struct search_situation {
    uint32_t state;
    uint32_t last;        /* class of the pending operation linearized last, + 1; 0: the last one was not pending */
    uint32_t before_last; /* the state before that */
    uint32_t used[];      /* pairs: class, how many; ascending classes */
} search_situation;

enum { SITUATION_WORDS = 3 };
#define COMMITTED UINT32_MAX /* frame.class: what was taken from here needs no alternative */

typedef struct state_search {
    const problem *p;
    timeline t;
    word_table states, situations, masks;
    foresight *foresight; /* NULL: nothing can be foreseen for this object */
    visited seen;
    frame *stack;
    uint32_t depth, room;
    uint32_t *open; /* by slot: position of the operation, or NO_INDEX */
    uint64_t *mask; /* of the frame on top */
    uint32_t mask_words;
    state scratch, other;
    uint32_t *words;              /* scratch for building situations */
    uint32_t furthest;            /* latest deadline met */
    uint32_t *best;               /* the longest path so far: positions */
    uint32_t best_n, best_common; /* its length; how much of it is still on the stack */
    uint64_t steps;
    unsigned ticks;
    uint64_t turns, limit; /* of the main loop: so far, and after how many to give up */
    uint64_t stuck;        /* after how many without a later deadline to give up */
    uint64_t passed;       /* turns when the latest deadline was met */
    uint64_t patience;     /* turns since then before what is near is decided by itself */
    uint32_t near;         /* operations on each side that are near */
} state_search;

/* ---- masks ---- */

static bool is_linearized(const state_search *s, uint32_t slot) { return s->mask[slot / 64] >> slot % 64 & 1; }

static void mark(state_search *s, uint32_t slot) {
    assert(slot < s->t.slots && !is_linearized(s, slot));
    s->mask[slot / 64] |= UINT64_C(1) << slot % 64;
}

static void unmark(state_search *s, uint32_t slot) {
    assert(is_linearized(s, slot));
    s->mask[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

static uint64_t save_mask(state_search *s) {
    if (s->mask_words == 1) return s->mask[0];
    return word_table_number(&s->masks, (const uint32_t *)(const void *)s->mask, 2 * s->mask_words);
}

static void load_mask(state_search *s, uint64_t saved) {
    if (s->mask_words == 1) {
        s->mask[0] = saved;
        return;
    }
    uint32_t n;
    const uint32_t *w = word_table_words(&s->masks, (uint32_t)saved, &n);
    assert(n == 2 * s->mask_words);
    memcpy(s->mask, w, n * sizeof *w);
}

/* ---- situations ---- */

static uint32_t state_of(const state_search *s, uint32_t number) {
    if (!s->t.classes) return number;
    uint32_t n;
    return word_table_words(&s->situations, number, &n)[0];
}

static const search_situation *situation_of(const state_search *s, uint32_t number, uint32_t *pairs) {
    uint32_t n;
    const uint32_t *w = word_table_words(&s->situations, number, &n);
    *pairs = (n - SITUATION_WORDS) / 2;
    return (const void *)w;
}

static uint32_t used_of_class(const state_search *s, uint32_t number, uint32_t class) {
    uint32_t pairs;
    const search_situation *now = situation_of(s, number, &pairs);
    for (uint32_t i = 0; i < pairs; i++)
        if (now->used[2 * i] == class) return now->used[2 * i + 1];
    return 0;
}

static uint32_t first_situation(state_search *s, uint32_t first_state) {
    if (!s->t.classes) return first_state;
    uint32_t w[SITUATION_WORDS] = {first_state, 0, 0};
    return word_table_number(&s->situations, w, SITUATION_WORDS);
}

/* The situation after a completed operation led to `next_state`. */
static uint32_t after_completed(state_search *s, uint32_t number, uint32_t next_state) {
    if (!s->t.classes) return next_state;
    uint32_t n;
    const uint32_t *w = word_table_words(&s->situations, number, &n);
    memcpy(s->words, w, n * sizeof *w);
    s->words[0] = next_state;
    s->words[1] = s->words[2] = 0;
    return word_table_number(&s->situations, s->words, n);
}

/* Classes once each and in order, so that equal situations are equal words; none is used more often than it has
 * members. */
SELF_CHECK static bool used_classes_ascend(const state_search *s, uint32_t n) {
    for (uint32_t i = SITUATION_WORDS; i < n; i += 2) {
        if (i > SITUATION_WORDS && s->words[i - 2] >= s->words[i]) return false;
        if (s->words[i] >= s->t.classes || !s->words[i + 1] || s->words[i + 1] > s->t.class[s->words[i]].count)
            return false;
    }
    return true;
}

/* The situation after one more pending operation of `class` led to `next_state`. */
static uint32_t after_pending(state_search *s, uint32_t number, uint32_t class, uint32_t next_state) {
    uint32_t pairs, n = SITUATION_WORDS;
    const search_situation *now = situation_of(s, number, &pairs);
    bool counted = false;
    s->words[0] = next_state;
    s->words[1] = class + 1;
    s->words[2] = now->state;
    for (uint32_t i = 0; i < pairs; i++) {
        if (!counted && now->used[2 * i] > class) {
            s->words[n++] = class;
            s->words[n++] = 1;
            counted = true;
        }
        bool same = now->used[2 * i] == class;
        s->words[n++] = now->used[2 * i];
        s->words[n++] = now->used[2 * i + 1] + same;
        counted |= same;
    }
    if (!counted) {
        s->words[n++] = class;
        s->words[n++] = 1;
    }
    assert(n == SITUATION_WORDS + 2 * pairs || n == SITUATION_WORDS + 2 * (pairs + 1));
    assert_costly(used_classes_ascend(s, n));
    return word_table_number(&s->situations, s->words, n);
}

/* ---- steps of the object ---- */

static step_result step_from(state_search *s, state *to, uint32_t from, uint32_t position, uint32_t choice) {
    uint32_t n;
    const uint32_t *w = word_table_words(&s->states, from, &n);
    state_set(to, w, n);
    operation op;
    value res;
    history_operation(s->p->h, s->p->op[position], &op);
    s->steps++;
    return s->p->o->type->step(s->p->o, to, &op, choice, &res);
}

static bool hopeless(const state_search *s, uint32_t position, const state *after) {
    if (!s->foresight) return false;
    operation op;
    history_operation(s->p->h, s->p->op[position], &op);
    return foresight_hopeless(s->foresight, after, &op);
}

static unsigned role_of(const state_search *s, uint32_t position) {
    return s->p->o->type->methods[s->p->h->method[s->p->op[position]]].role;
}

/* An add before another that is open: does that one come too late then? */
static bool too_soon(const state_search *s, uint32_t position) {
    if (!s->foresight || !(role_of(s, position) & ROLE_ADDS)) return false;
    operation op, other;
    history_operation(s->p->h, s->p->op[position], &op);
    for (uint32_t slot = 0; slot < s->t.slots; slot++) {
        const uint32_t open = s->open[slot];
        if (open == NO_INDEX || open == position || is_linearized(s, slot)) continue;
        if (!(role_of(s, open) & ROLE_ADDS)) continue;
        history_operation(s->p->h, s->p->op[open], &other);
        if (foresight_must_come_first(s->foresight, &other, &op)) return true;
    }
    return false;
}

static uint32_t number_of(state_search *s, const state *st) { return word_table_number(&s->states, st->w, st->n); }

/* The pending operation before this one (see the top of the file): was it needed at `position`, whose step led to
 * `after`? */
static bool last_was_needed(state_search *s, uint32_t number, uint32_t position, uint32_t class_of_position,
                            uint32_t after) {
    uint32_t pairs;
    const search_situation *now = situation_of(s, number, &pairs);
    if (!now->last) return true;
    uint32_t class = now->last - 1, before = now->before_last;
    step_result r = step_from(s, &s->other, before, position, 0);
    if (r != STEP_LEGAL) return true;
    uint32_t without = number_of(s, &s->other);
    if (without == after) return false;
    if (class_of_position != NO_INDEX && class_of_position >= class) return true;
    uint32_t member = s->t.pending[s->t.class[class].first]; /* all of a class do the same */
    return step_from(s, &s->other, without, member, 0) != STEP_LEGAL || number_of(s, &s->other) != after;
}

/* ---- moving over the events ---- */

/* From event `at` on: lets operations in and linearized ones out, up to the next deadline. */
static uint32_t walk(state_search *s, uint32_t at) {
    for (; at < s->t.events; at++) {
        uint32_t e = s->t.event[at], position = e / 2;
        if (event_is_return(e)) {
            uint32_t slot = s->t.slot[position];
            if (!is_linearized(s, slot)) break;
            assert(s->open[slot] == position);
            unmark(s, slot);
            s->open[slot] = NO_INDEX;
        } else if (s->t.ret_event[position] != NO_EVENT) {
            assert(s->open[s->t.slot[position]] == NO_INDEX && !is_linearized(s, s->t.slot[position]));
            s->open[s->t.slot[position]] = position;
        }
    }
    return at;
}

static void walk_back(state_search *s, uint32_t from, uint32_t to) {
    assert(from >= to);
    while (from > to) {
        uint32_t e = s->t.event[--from], position = e / 2;
        if (event_is_return(e)) s->open[s->t.slot[position]] = position;
        else if (s->t.ret_event[position] != NO_EVENT) s->open[s->t.slot[position]] = NO_INDEX;
    }
}

/* ---- the stack ---- */

static frame *push(state_search *s, uint32_t deadline, uint32_t number) {
    if (s->depth == s->room) {
        uint32_t room = s->room ? s->room * 2 : 64;
        s->stack = MEM_GROW(s->stack, frame, room);
        budget_charge(s->p->budget, (room - s->room) * sizeof *s->stack);
        s->room = room;
    }
    assert(deadline <= s->t.events && (s->depth == 0 || s->stack[s->depth - 1].deadline <= deadline));
    frame *f = &s->stack[s->depth++];
    *f = (frame){.mask = save_mask(s), .deadline = deadline, .situation = number};
    if (deadline > s->furthest) {
        s->furthest = deadline;
        s->passed = s->turns;
    }
    return f;
}

static void remember_best(state_search *s) {
    uint32_t length = s->depth - 1;
    if (length <= s->best_n) return;
    s->best = MEM_GROW(s->best, uint32_t, length);
    for (uint32_t i = s->best_common; i < length; i++) s->best[i] = s->stack[i].op;
    s->best_n = s->best_common = length;
    if (s->p->furthest) atomic_store_explicit(s->p->furthest, length, memory_order_relaxed);
}

/* What is linearized and has not returned is open. */
SELF_CHECK static bool open_agrees_with_mask(const state_search *s) {
    for (uint32_t slot = 0; slot < s->t.slots; slot++)
        if (is_linearized(s, slot) && s->open[slot] == NO_INDEX) return false;
    return true;
}

static void pop(state_search *s) {
    remember_best(s);
    frame *gone = &s->stack[--s->depth];
    if (s->depth == 0) return;
    frame *f = &s->stack[s->depth - 1];
    if (s->best_common > s->depth - 1) s->best_common = s->depth - 1;
    walk_back(s, gone->deadline, f->deadline);
    load_mask(s, f->mask);
    assert(s->best_common <= s->best_n && s->best_common <= s->depth);
    assert_costly(open_agrees_with_mask(s));
}

static state state_view(const state_search *s, const frame *f) {
    uint32_t n;
    const uint32_t *w = word_table_words(&s->states, state_of(s, f->situation), &n);
    return (state){.w = (uint32_t *)(uintptr_t)w, .n = n, .room = n};
}

static bool reached_end(const state_search *s, const frame *f) {
    if (f->deadline < s->t.events) return false;
    const state view = state_view(s, f);
    return object_may_end(s->p->o, &view);
}

/* ---- candidates ---- */

/* Linearizes `position` from the top frame and stands on the frame behind it. */
static void descend(state_search *s, uint32_t position, uint32_t next_situation) {
    frame *f = &s->stack[s->depth - 1];
    f->op = position;
    uint32_t deadline = f->deadline, ret = s->t.ret_event[position];
    assert(ret == NO_EVENT || ret >= deadline); /* it has not returned */
    if (ret != NO_EVENT) {
        assert(s->open[s->t.slot[position]] == position);
        mark(s, s->t.slot[position]);
        if (ret == deadline) deadline = walk(s, deadline);
    }
    push(s, deadline, next_situation);
}

static bool take_quiet(state_search *s) {
    frame *f = &s->stack[s->depth - 1];
    uint32_t now = state_of(s, f->situation);
    for (uint32_t slot = 0; slot < s->t.slots; slot++) {
        uint32_t position = s->open[slot];
        if (position == NO_INDEX || !s->t.quiet[position] || is_linearized(s, slot)) continue;
        if (step_from(s, &s->scratch, now, position, 0) == STEP_ILLEGAL) continue;
        f->class = COMMITTED;
        /* Had it fitted before the last pending operation, it would have been taken there: so that one was needed. */
        descend(s, position, after_completed(s, f->situation, now));
        return true;
    }
    return false;
}

/* A removal whose value stands at its end: now is as good as later (foresight.h). */
static bool take_fitting(state_search *s) {
    frame *f = &s->stack[s->depth - 1];
    if (!s->foresight) return false;
    const state now = state_view(s, f);
    for (uint32_t slot = 0; slot < s->t.slots && now.n; slot++) {
        const uint32_t position = s->open[slot];
        if (position == NO_INDEX || !(role_of(s, position) & ROLE_REMOVES) || is_linearized(s, slot)) continue;
        operation op;
        history_operation(s->p->h, s->p->op[position], &op);
        if (!foresight_takes_at_once(s->foresight, &now, &op)) continue;
        if (step_from(s, &s->scratch, state_of(s, f->situation), position, 0) != STEP_LEGAL) continue;
        f->class = COMMITTED;
        descend(s, position, after_completed(s, f->situation, number_of(s, &s->scratch)));
        return true;
    }
    return false;
}

/* Takes all that change nothing or may as well come now, then looks whether we have been here. */
static bool arrive(state_search *s) {
    uint32_t depth = s->depth;
    while (take_quiet(s) || take_fitting(s)) {}
    frame *f = &s->stack[s->depth - 1];
    if (visited_add(&s->seen, (configuration){.mask = f->mask, .deadline = f->deadline, .situation = f->situation}))
        return true;
    while (s->depth >= depth) pop(s);
    return false;
}

static bool try_completed(state_search *s, uint32_t position, uint32_t choice, bool *more) {
    frame *f = &s->stack[s->depth - 1];
    step_result r = step_from(s, &s->scratch, state_of(s, f->situation), position, choice);
    *more = r == STEP_LEGAL_MORE;
    if (r == STEP_ILLEGAL || hopeless(s, position, &s->scratch) || too_soon(s, position)) return false;
    uint32_t next = number_of(s, &s->scratch);
    if (s->t.classes && !last_was_needed(s, f->situation, position, NO_INDEX, next)) return false;
    descend(s, position, after_completed(s, f->situation, next));
    return arrive(s);
}

/* The most urgent open operation behind place `after` in the order. Events and places count from 1 on here: event 0 is
 * a call. */
static uint32_t next_open(const state_search *s, uint32_t after) {
    uint32_t best = NO_INDEX, best_place = UINT32_MAX;
    for (uint32_t slot = 0; slot < s->t.slots; slot++) {
        uint32_t position = s->open[slot];
        if (position == NO_INDEX || is_linearized(s, slot)) continue;
        uint32_t place = s->t.order[position];
        if (place > after && place < best_place) {
            best = position;
            best_place = place;
        }
    }
    return best;
}

static bool expand_completed(state_search *s) {
    uint32_t at = s->depth - 1, position;
    while ((position = next_open(s, s->stack[at].tried)) != NO_INDEX) {
        bool more;
        uint32_t choice = s->stack[at].choice;
        bool went = try_completed(s, position, choice, &more);
        s->stack[at].choice = more ? choice + 1 : 0;
        if (!more) s->stack[at].tried = s->t.order[position];
        if (went) return true;
        if (budget_tick(s->p->budget, &s->ticks)) return false;
    }
    return false;
}

/* The member of a class that would be used next, when it has been called by now. */
static uint32_t next_pending(const state_search *s, const frame *f, uint32_t class) {
    uint32_t used = used_of_class(s, f->situation, class);
    if (used == s->t.class[class].count) return NO_INDEX;
    assert(used < s->t.class[class].count);
    uint32_t position = s->t.pending[s->t.class[class].first + used];
    if (f->deadline == s->t.events) return position;
    const uint64_t due = s->t.due.at[s->t.event[f->deadline] / 2];
    return due_scale(s->p->h->call[s->p->op[position]]) < due ? position : NO_INDEX;
}

static bool takes_in_vain(const state_search *s, const frame *f, uint32_t position) {
    if (!s->foresight) return false;
    const state now = state_view(s, f);
    return foresight_is_taken_later(s->foresight, &now, s->p->h->method[s->p->op[position]]);
}

static bool try_pending(state_search *s, uint32_t class, uint32_t position, uint32_t choice, bool *more) {
    frame *f = &s->stack[s->depth - 1];
    step_result r = step_from(s, &s->scratch, state_of(s, f->situation), position, choice);
    *more = r == STEP_LEGAL_MORE;
    if (r == STEP_ILLEGAL || hopeless(s, position, &s->scratch) || takes_in_vain(s, f, position)) return false;
    uint32_t next = number_of(s, &s->scratch);
    if (next == state_of(s, f->situation)) return false; /* no effect: not needed */
    if (!last_was_needed(s, f->situation, position, class, next)) return false;
    descend(s, position, after_pending(s, f->situation, class, next));
    return arrive(s);
}

static bool expand_pending(state_search *s) {
    uint32_t at = s->depth - 1;
    while (s->stack[at].class < s->t.classes) {
        uint32_t class = s->stack[at].class, choice = s->stack[at].choice;
        uint32_t position = next_pending(s, &s->stack[at], class);
        bool more = false, went = false;
        if (position != NO_INDEX) went = try_pending(s, class, position, choice, &more);
        s->stack[at].choice = more ? choice + 1 : 0;
        if (!more) s->stack[at].class = class + 1;
        if (went) return true;
        if (budget_tick(s->p->budget, &s->ticks)) return false;
    }
    return false;
}

/* ---- what stands in the way of the operation that returns next ---- */

static obstacle obstacle_now(const state_search *s, const frame *f) {
    if (!s->foresight || !s->t.classes || f->deadline == s->t.events) return OBSTACLE_NONE;
    operation op;
    const state now = state_view(s, f);
    history_operation(s->p->h, s->p->op[s->t.event[f->deadline] / 2], &op);
    return foresight_obstacle(s->foresight, &now, &op);
}

/* A pending removal at the end at which the operation that returns next takes its value; NO_INDEX: none. */
static uint32_t class_of_takers(const state_search *s, const frame *f) {
    const object_type *type = s->p->o->type;
    const uint8_t method_due = s->p->h->method[s->p->op[s->t.event[f->deadline] / 2]];
    for (uint32_t k = 0; k < s->t.classes; k++) {
        const uint8_t m = s->p->h->method[s->p->op[s->t.pending[s->t.class[k].first]]];
        if (type->methods[m].role & ROLE_REMOVES && type->ends[m] == type->ends[method_due]) return k;
    }
    return NO_INDEX;
}

/* Only a pending removal can take it, and sooner is as good as later (foresight.h). The situation behind it is as after
 * a completed operation: it is not asked again whether it could have come later. */
static bool take_obstacle(state_search *s) {
    frame *f = &s->stack[s->depth - 1];
    const uint32_t class = class_of_takers(s, f);
    const uint32_t position = class == NO_INDEX ? NO_INDEX : next_pending(s, f, class);
    f->class = COMMITTED;
    if (position == NO_INDEX) return false;
    if (step_from(s, &s->scratch, state_of(s, f->situation), position, 0) != STEP_LEGAL) return false;
    const uint32_t next = number_of(s, &s->scratch), used = after_pending(s, f->situation, class, next);
    descend(s, position, after_completed(s, used, next));
    return arrive(s);
}

static bool expand(state_search *s) {
    if (s->stack[s->depth - 1].class == COMMITTED) return false;
    switch (obstacle_now(s, &s->stack[s->depth - 1])) {
    case OBSTACLE_STAYS: s->stack[s->depth - 1].class = COMMITTED; return false;
    case OBSTACLE_IS_TAKEN: return take_obstacle(s);
    case OBSTACLE_ALL_ARE_TAKEN:
        if (expand_pending(s)) return true;
        return !budget_spent(s->p->budget) && expand_completed(s);
    case OBSTACLE_NONE: break;
    }
    return expand_completed(s) || (!budget_spent(s->p->budget) && expand_pending(s));
}

/* ---- results ---- */

/* One outcome of `op` that leads from the state in `now` to the state numbered `next`, and what it returned. */
static value result_towards(state_search *s, uint32_t now, const operation *op, uint32_t next) {
    step_result r = STEP_LEGAL_MORE;
    value res = VALUE_NONE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        uint32_t n;
        const uint32_t *w = word_table_words(&s->states, now, &n);
        state_set(&s->scratch, w, n);
        r = s->p->o->type->step(s->p->o, &s->scratch, op, choice, &res);
        if (r != STEP_ILLEGAL && number_of(s, &s->scratch) == next) break;
        assert(r == STEP_LEGAL_MORE); /* the search went there by one of the outcomes */
    }
    return res;
}

static void write_witness(state_search *s, witness *w) {
    uint32_t n = s->depth - 1;
    w->op = MEM_ARRAY(uint32_t, n);
    w->res = MEM_ARRAY(value, n);
    w->n = n;
    for (uint32_t i = 0; i < n; i++) {
        operation op;
        w->op[i] = s->p->op[s->stack[i].op];
        history_operation(s->p->h, w->op[i], &op);
        w->res[i] = op.res;
        if (op.ret == RANK_NEVER)
            w->res[i] =
                result_towards(s, state_of(s, s->stack[i].situation), &op, state_of(s, s->stack[i + 1].situation));
    }
}

static void write_prefix(state_search *s, witness *w) {
    remember_best(s);
    w->op = MEM_ARRAY(uint32_t, s->best_n);
    w->res = MEM_ARRAY(value, s->best_n);
    w->n = s->best_n;
    for (uint32_t i = 0; i < s->best_n; i++) {
        w->op[i] = s->p->op[s->best[i]];
        w->res[i] = s->p->h->res[w->op[i]];
    }
}

/* The latest deadline was reached, so up to there the history is linearizable, if the object was not half-way then. */
static void write_violation(const state_search *s, outcome *out) {
    out->verdict = VERDICT_VIOLATION;
    if (s->furthest < s->t.events && !s->p->o->type->may_end)
        out->cut = due_rank(s->t.due.at[s->t.event[s->furthest] / 2]);
}

static void search_run(state_search *s, outcome *out);

static bool violates_apart(state_search *s, const staying *some, uint64_t limit) {
    problem part = *s->p;
    part.op = some->op;
    part.n = some->n;
    part.furthest = NULL;
    state_search apart = {.p = &part, .limit = limit, .stuck = UINT64_MAX, .patience = UINT64_MAX};
    outcome found;
    outcome_init(&found);
    search_run(&apart, &found);
    s->steps += found.steps;
    bool violates = found.verdict == VERDICT_VIOLATION;
    outcome_free(&found);
    return violates;
}

/* Is what happened near the latest deadline a violation by itself? The nearest of it first: the fewer, the sooner all
 * is tried. Costs no more than the search that failed so far. */
static bool violates_nearby(state_search *s, outcome *out) {
    enum { NEAREST = 4, FARTHER = 2, WIDER = 4, RARER = 2, LITTLE = 4, SHARE = 4 };
    const problem *p = s->p;
    uint32_t rank = s->furthest < s->t.events ? due_rank(s->t.due.at[s->t.event[s->furthest] / 2]) : p->h->events;
    uint64_t limit = (s->turns - s->passed) / SHARE;
    staying all = object_stay_near(p->o, p->h, p->op, p->n, rank, s->near, p->n / LITTLE), some = {0};
    bool violates = false;
    for (uint32_t each = NEAREST; all.op && !violates && each < s->near; each += each / FARTHER) {
        free(some.op);
        some = object_stay_near(p->o, p->h, all.op, all.n, rank, each, all.n);
        violates = some.op && violates_apart(s, &some, limit);
    }
    if (violates) {
        write_violation(s, out);
        out->pattern = some.op;
        out->pattern_n = some.n;
    } else {
        free(some.op);
    }
    free(all.op);
    if (all.op) s->near *= WIDER;
    else if (s->near > NEAR) s->near /= WIDER; /* too much has to stay; there may be too little patience still */
    s->patience = all.op || s->near > NEAR ? s->patience * RARER : UINT64_MAX;
    return violates;
}

static void run(state_search *s, outcome *out) {
    s->p->o->type->init(s->p->o, &s->scratch);
    uint32_t first = first_situation(s, number_of(s, &s->scratch));
    push(s, walk(s, 0), first);
    if (!arrive(s)) return;
    while (s->depth) {
        assert(s->depth <= s->p->n + 1);
        if (reached_end(s, &s->stack[s->depth - 1])) {
            out->verdict = VERDICT_LINEARIZABLE;
            write_witness(s, &out->witness);
            return;
        }
        if (budget_tick(s->p->budget, &s->ticks) || s->turns == s->limit || s->turns - s->passed > s->stuck) break;
        if (!expand(s) && !budget_spent(s->p->budget)) pop(s);
        if (++s->turns - s->passed > s->patience && violates_nearby(s, out)) return;
        if (s->p->furthest && (s->ticks & 1023) == 0)
            atomic_store_explicit(s->p->furthest, s->depth, memory_order_relaxed);
    }
    if (s->depth == 0) {
        write_violation(s, out);
    } else {
        out->stopped = budget_why(s->p->budget);
        write_prefix(s, &out->prefix);
    }
}

static void search_init(state_search *s) {
    word_table_init(&s->states, s->p->budget);
    word_table_init(&s->situations, s->p->budget);
    word_table_init(&s->masks, s->p->budget);
    visited_init(&s->seen, s->t.events + 1, s->p->budget);
    s->foresight = foresight_new(s->p);
    s->open = MEM_ARRAY(uint32_t, s->t.slots);
    for (uint32_t i = 0; i < s->t.slots; i++) s->open[i] = NO_INDEX;
    s->mask_words = s->t.slots ? (s->t.slots + 63) / 64 : 1;
    s->mask = mem_zero(s->mask_words, sizeof *s->mask);
    s->words = MEM_ARRAY(uint32_t, SITUATION_WORDS + 2 * (s->t.classes + 1));
}

static void search_free(state_search *s) {
    word_table_free(&s->states);
    word_table_free(&s->situations);
    word_table_free(&s->masks);
    visited_free(&s->seen);
    foresight_free(s->foresight);
    budget_refund(s->p->budget, s->room * sizeof *s->stack);
    FREE_ALL(s->stack, s->open, s->mask, s->words, s->best);
    state_free(&s->scratch);
    state_free(&s->other);
    timeline_free(&s->t);
}

static void search_run(state_search *s, outcome *out) {
    if (!timeline_init(&s->t, s->p)) {
        snprintf(out->why, sizeof out->why, "more than %d operations are open at once", TIMELINE_MAX_SLOTS);
        timeline_free(&s->t);
        return;
    }
    search_init(s);
    run(s, out);
    out->steps = s->steps;
    search_free(s);
}

/* Patience is worth as much as it costs to find out what has to stay with what is near. Gives up, if it may, when that
 * did not help. */
static void search_patiently(const problem *p, bool may_give_up, outcome *out) {
    enum { SHORT = 1024, SHARE = 32, IN_VAIN = 4 };
    bool may_leave = criterion_type_of(p->o->criterion.kind)->cut_is_sound; /* see core_extract */
    const uint64_t patience = p->n / SHARE > SHORT ? p->n / SHARE : SHORT;
    state_search s = {.p = p, .limit = UINT64_MAX, .stuck = UINT64_MAX, .patience = UINT64_MAX, .near = NEAR};
    if (may_leave) s.patience = patience;
    if (may_give_up) s.stuck = SELF_CHECKS && p->n < SHORT ? p->n : IN_VAIN * patience; /* small histories test it */
    search_run(&s, out);
}

/* ---- with narrower intervals (tighten.h) ---- */

static void name_as_before(const problem *p, const tightened *t, witness *w) {
    for (uint32_t k = 0; k < w->n; k++) w->op[k] = p->op[t->order[w->op[k]]];
}

/* A part that is a violation in narrower intervals need not be one in its own, and of how much the history is
 * linearizable is not known: neither pattern nor cut. */
static void decide_tightened(const problem *p, const tightened *t, outcome *out) {
    problem narrow = *p;
    uint32_t *op = MEM_ARRAY(uint32_t, (size_t)p->n + 1);
    for (uint32_t i = 0; i < p->n; i++) op[i] = i;
    narrow.h = t->h;
    narrow.op = op;
    search_patiently(&narrow, false, out);
    name_as_before(p, t, &out->witness);
    name_as_before(p, t, &out->prefix);
    if (out->verdict == VERDICT_VIOLATION) outcome_violation(out, RANK_NEVER);
    out->pattern_n = 0;
    free(op);
}

static void decide_hard(const problem *p, outcome *out) {
    tightened t;
    switch (tighten(p, &t)) {
    case TIGHTEN_NOTHING: search_patiently(p, false, out); break;
    case TIGHTEN_DONE: decide_tightened(p, &t, out); break;
    case TIGHTEN_VIOLATION: outcome_violation(out, RANK_NEVER); break;
    }
    tightened_free(&t);
}

/* Intervals are narrowed where the search does not come on without: mostly it does. */
static void decide_search(const problem *p, outcome *out) {
    const bool narrows = tighten_applies(p);
    search_patiently(p, narrows, out);
    if (!narrows || out->verdict != VERDICT_UNDECIDED || out->why[0] || budget_spent(p->budget)) return;
    outcome_free(out);
    outcome_init(out);
    decide_hard(p, out);
}

ENGINE_RECORD(engine_search, "search", "depth-first search with memory: any object, any history",
              .growth = "n times the configurations of the operations open at once",
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .criteria = CRITERIA_STEPWISE,
              .cost = COST_EXPONENTIAL, .decide = decide_search);
