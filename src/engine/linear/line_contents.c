/* Queues, stacks and deques whose values repeat, or which can be full: event by event, as the frontier does
 * (general/frontier.c), with all contents that are possible for one set of done operations as one set (line_sets.h).
 *
 * Which operations are done tells how many values are inside, so the contents of one set of done operations are of one
 * length. When pushes overlapped, contents differ in places that have little to do with each other: their number grows
 * with the power of these places, the diagram of all of them with their number.
 *
 * The witness is found backwards: from a content and an operation that led to it, the content before is known, and
 * was possible or not. docs/proofs/containers.md has the proofs. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/slots.h"
#include "engine/general/due.h"
#include "engine/general/weaken.h"
#include "engine/linear/line_sets.h"
#include "engine/order_log.h"
#include "engine/pattern.h"
#include "engine/value_index.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { CONTENTS_SLOTS = 64, CONTENTS_LONGEST = 4000 };

typedef struct contents_entry { /* all contents with these done */
    uint64_t done;
    line_set lines;
    uint32_t length;
    uint32_t next; /* with as many done; NO_NUMBER: none */
} contents_entry;

typedef struct contents_slot {
    uint32_t position, ret;
    bool adds, first; /* at the end where lines begin */
    value v;
    value res;
} contents_slot;

typedef struct contents_event { /* for the way back */
    uint32_t entries, start;    /* in the log: at the return, begun with the first so many */
    uint32_t n;
} contents_event;

typedef struct line_contents {
    const problem *p;
    uint32_t capacity; /* 0: none */
    bool flip;         /* lines begin at the right end */
    line_sets sets;
    contents_slot slot[CONTENTS_SLOTS];
    uint64_t open, ahead[CONTENTS_SLOTS];
    uint8_t *slot_of; /* by position */
    contents_entry *now, *work;
    uint32_t now_n, now_room, work_n, work_room;
    table known; /* of work */
    uint32_t level[CONTENTS_SLOTS + 1];
    contents_entry *log;
    uint32_t log_n, log_room;
    contents_event *event; /* by return, in order */
    uint32_t events;
    uint32_t rank; /* of the current event */
    bool too_long;
    size_t charged;
    uint64_t steps;
    unsigned ticks;
} line_contents;

/* ---- ways of this event ---- */

static uint32_t entry_hash(const void *owner, uint32_t item) {
    return (uint32_t)hash_mix(((const line_contents *)owner)->work[item].done);
}

static bool entry_is(const void *owner, uint32_t item, const void *key) {
    return ((const line_contents *)owner)->work[item].done == *(const uint64_t *)key;
}

static void reach(line_contents *x, uint64_t done, line_set lines, uint32_t length) {
    if (lines == LINES_NONE) return;
    uint32_t hash = (uint32_t)hash_mix(done), found = table_find(&x->known, hash, entry_is, x, &done);
    if (found != TABLE_NONE) {
        assert(x->work[found].length == length);
        x->work[found].lines = lines_union(&x->sets, x->work[found].lines, lines);
        return;
    }
    if (x->work_n == x->work_room)
        x->work = MEM_GROW(x->work, contents_entry, x->work_room = x->work_room ? 2 * x->work_room : 64);
    unsigned level = slots_in(done);
    x->work[x->work_n] = (contents_entry){done, lines, length, x->level[level]};
    x->level[level] = x->work_n;
    table_add(&x->known, hash, entry_hash, x, x->work_n++);
}

/* ---- steps ---- */

static bool is_full(const line_contents *x, uint32_t length) { return x->capacity && length == x->capacity; }

/* What is left of the lines with this operation; LINES_NONE: it cannot come now. */
static line_set change(line_contents *x, const contents_slot *q, line_set lines, uint32_t length, uint32_t *after) {
    *after = length;
    if (q->res == VALUE_FULL) return is_full(x, length) ? lines : LINES_NONE;
    if (q->res == VALUE_EMPTY) return length ? LINES_NONE : lines;
    if (q->adds) {
        if (is_full(x, length)) return LINES_NONE;
        *after = length + 1;
        return q->first ? lines_add_first(&x->sets, q->v, lines) : lines_add_last(&x->sets, lines, q->v);
    }
    if (!length) return LINES_NONE;
    *after = length - 1;
    return q->first ? lines_take_first(&x->sets, lines, q->res) : lines_take_last(&x->sets, lines, q->res);
}

static void extend(line_contents *x, const contents_entry *w) {
    for (uint64_t rest = x->open & ~w->done; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        uint32_t length;
        if (x->ahead[s] & ~w->done) continue;
        line_set lines = change(x, &x->slot[s], w->lines, w->length, &length);
        x->steps++;
        x->too_long |= length > CONTENTS_LONGEST;
        reach(x, w->done | slot_bit(s), lines, length);
    }
}

/* ---- events ---- */

static void log_entries(line_contents *x, const contents_entry *e, uint32_t n) {
    if (x->log_n + n > x->log_room) {
        while (x->log_n + n > x->log_room) x->log_room = x->log_room ? 2 * x->log_room : 1024;
        x->log = MEM_GROW(x->log, contents_entry, x->log_room);
        budget_charge(x->p->budget, x->log_room * sizeof *x->log - x->charged);
        x->charged = x->log_room * sizeof *x->log;
    }
    memcpy(x->log + x->log_n, e, n * sizeof *e);
    x->log_n += n;
}

static bool all_have(const line_contents *x, uint64_t bit) {
    for (uint32_t i = 0; i < x->now_n; i++)
        if (!(x->now[i].done & bit)) return false;
    return true;
}

/* Sets with fewer operations done first: they are complete when they are extended. False: the budget is spent. */
static bool close_under(line_contents *x, uint64_t bit) {
    table_clear(&x->known);
    x->work_n = 0;
    memset(x->level, 0xff, sizeof x->level);
    for (uint32_t i = 0; i < x->now_n; i++) reach(x, x->now[i].done, x->now[i].lines, x->now[i].length);
    for (unsigned level = 0; level < CONTENTS_SLOTS; level++)
        for (uint32_t i = x->level[level]; i != NO_NUMBER; i = x->work[i].next) {
            if (budget_tick(x->p->budget, &x->ticks)) return false;
            contents_entry w = x->work[i];
            if (!(w.done & bit)) extend(x, &w);
        }
    log_entries(x, x->work, x->work_n);
    if (x->work_n > x->now_room) x->now = MEM_GROW(x->now, contents_entry, x->now_room = 2 * x->work_n);
    x->now_n = 0;
    for (uint32_t i = 0; i < x->work_n; i++)
        if (x->work[i].done & bit) x->now[x->now_n++] = x->work[i];
    return !budget_spent(x->p->budget);
}

static bool take_return(line_contents *x, uint32_t position) {
    unsigned s = x->slot_of[position];
    uint64_t bit = slot_bit(s);
    contents_event *e = &x->event[x->events++];
    x->rank = x->slot[s].ret;
    *e = (contents_event){.entries = x->log_n, .start = x->now_n};
    log_entries(x, x->now, x->now_n);
    if (!all_have(x, bit) && !close_under(x, bit)) return false;
    e->n = x->log_n - e->entries;
    for (uint32_t i = 0; i < x->now_n; i++) x->now[i].done &= ~bit;
    x->open &= ~bit;
    for (uint64_t rest = x->open; rest; rest &= rest - 1) x->ahead[slot_lowest(rest)] &= ~bit;
    return true;
}

static bool do_the_same(const contents_slot *a, const contents_slot *b) {
    return a->adds == b->adds && a->first == b->first && a->v == b->v && a->res == b->res;
}

/* Of two that do the same the one that returns first goes first; pending ones by their calls. */
static void line_up(line_contents *x, unsigned s) {
    x->ahead[s] = 0;
    for (uint64_t rest = x->open; rest; rest &= rest - 1) {
        unsigned other = slot_lowest(rest);
        if (!do_the_same(&x->slot[s], &x->slot[other])) continue;
        if (x->slot[s].ret < x->slot[other].ret) x->ahead[other] |= slot_bit(s);
        else x->ahead[s] |= slot_bit(other);
    }
}

static void fill_slot(line_contents *x, unsigned s, uint32_t position) {
    const history *h = x->p->h;
    uint32_t op = x->p->op[position];
    const object_type *t = x->p->o->type;
    bool adds = t->methods[h->method[op]].role & ROLE_ADDS;
    x->slot[s] = (contents_slot){.position = position,
                                 .ret = h->ret[op],
                                 .adds = adds,
                                 .first = (t->ends[h->method[op]] == END_LEFT) != x->flip,
                                 .v = adds ? h->arg[0][op] : VALUE_NONE,
                                 .res = h->res[op]};
}

/* False: there is no slot left. */
static bool take_call(line_contents *x, uint32_t position) {
    if (!~x->open) return false;
    unsigned s = slot_lowest(~x->open);
    fill_slot(x, s, position);
    x->slot_of[position] = (uint8_t)s;
    line_up(x, s);
    x->open |= slot_bit(s);
    return true;
}

typedef enum contents_end { CONTENTS_REACHED_END, CONTENTS_NO_WAY, CONTENTS_TOO_MANY, CONTENTS_SPENT } contents_end;

static contents_end take_event(line_contents *x, uint32_t event, const uint8_t *needed) {
    uint32_t i = event / 2;
    if (!(event & 1)) return !needed[i] || take_call(x, i) ? CONTENTS_REACHED_END : CONTENTS_TOO_MANY;
    if (!take_return(x, i)) return CONTENTS_SPENT;
    if (x->too_long) return CONTENTS_TOO_MANY;
    return x->now_n ? CONTENTS_REACHED_END : CONTENTS_NO_WAY;
}

/* ---- the way back ---- */

typedef struct content { /* one line, in the middle of its room */
    value *at;
    uint32_t first, n;
} content;

static bool is_in(const line_contents *x, line_set s, const content *c) {
    for (uint32_t i = 0; i < c->n && s != LINES_NONE; i++) s = lines_follow(&x->sets, s, c->at[c->first + i]);
    return s != LINES_NONE;
}

/* One of the lines. */
static void any_line(const line_contents *x, line_set s, content *c) {
    while (s != LINES_EMPTY) {
        uint32_t n;
        const line_branch *b = lines_branches(&x->sets, s, &n);
        c->at[c->first + c->n++] = b->v;
        s = b->rest;
    }
}

static void put(content *c, bool first, value v) {
    if (first) c->at[--c->first] = v;
    else c->at[c->first + c->n] = v;
    c->n++;
}

static value cut_off(content *c, bool first) {
    value v = c->at[first ? c->first : c->first + c->n - 1];
    if (first) c->first++;
    c->n--;
    return v;
}

/* The value that a pending removal took, if the set has the content with it. */
static value removed_from(const line_contents *x, line_set s, bool first, const content *c) {
    uint32_t n;
    for (uint32_t i = 0; !first && i < c->n && s != LINES_NONE; i++) s = lines_follow(&x->sets, s, c->at[c->first + i]);
    const line_branch *b = s == LINES_NONE ? NULL : lines_branches(&x->sets, s, &n);
    for (uint32_t i = 0; b && i < n; i++)
        if (first ? is_in(x, b[i].rest, c) : b[i].rest == LINES_EMPTY) return b[i].v;
    return VALUE_UNKNOWN;
}

static const contents_entry *entry_with(const contents_entry *e, uint32_t n, uint64_t done) {
    for (uint32_t i = 0; i < n; i++)
        if (e[i].done == done) return &e[i];
    return NULL;
}

/* Undoes q, so that what was there before is in `from`; its result in *res. */
static bool undo(const line_contents *x, const contents_slot *q, const contents_entry *from, content *c, value *res) {
    content before = *c;
    *res = q->res;
    if (q->res == VALUE_FULL) {
        if (!is_full(x, c->n)) return false;
    } else if (q->adds) {
        value *end = &c->at[q->first ? c->first : c->first + c->n - 1];
        if (!c->n || *end != q->v) return false;
        cut_off(c, q->first);
        if (q->res == VALUE_UNKNOWN) *res = VALUE_NONE;
    } else if (q->res == VALUE_EMPTY) {
        if (c->n) return false;
    } else {
        if (q->res == VALUE_UNKNOWN) *res = removed_from(x, from->lines, q->first, c);
        if (*res == VALUE_UNKNOWN) return false;
        put(c, q->first, *res);
    }
    bool good =
        from->length == c->n && is_in(x, from->lines, c) && !(q->adds && is_full(x, c->n) && q->res != VALUE_FULL);
    if (!good) *c = before;
    return good;
}

/* One operation back within an event. */
static void step_back(line_contents *x, const contents_event *e, uint64_t *done, content *c, witness *w) {
    for (uint64_t rest = *done; rest; rest &= rest - 1) {
        unsigned s = slot_lowest(rest);
        value res;
        const contents_entry *from = entry_with(x->log + e->entries + e->start, e->n - e->start, *done & ~slot_bit(s));
        if (!from || !undo(x, &x->slot[s], from, c, &res)) continue;
        order_log_add(w, x->p->op[x->slot[s].position], res);
        *done &= ~slot_bit(s);
        return;
    }
    assert(!"a content that is possible was led to by an operation");
}

static void event_back(line_contents *x, const contents_event *e, uint64_t *done, content *c, witness *w) {
    for (;;) {
        const contents_entry *began = entry_with(x->log + e->entries, e->start, *done);
        if (began && began->length == c->n && is_in(x, began->lines, c)) return;
        step_back(x, e, done, c, w);
    }
}

static void reverse(witness *w) {
    for (uint32_t i = 0, j = w->n; i + 1 < j--; i++) {
        uint32_t op = w->op[i];
        value res = w->res[i];
        w->op[i] = w->op[j];
        w->res[i] = w->res[j];
        w->op[j] = op;
        w->res[j] = res;
    }
}

static void tell_witness(line_contents *x, const uint32_t *event, uint32_t count, const uint8_t *needed, witness *w) {
    uint64_t done = x->now[0].done;
    content c = {.at = MEM_ARRAY(value, 2 * (size_t)x->p->n + 1), .first = x->p->n};
    any_line(x, x->now[0].lines, &c);
    order_log_init(w, x->p->n);
    while (count--) {
        uint32_t i = event[count] / 2;
        unsigned s = x->slot_of[i];
        if (event[count] & 1) {
            fill_slot(x, s, i);
            done |= slot_bit(s);
            event_back(x, &x->event[--x->events], &done, &c, w);
        } else if (needed[i]) {
            assert(!(done >> s & 1)); /* before its call */
        }
    }
    assert(!done && !c.n);
    reverse(w);
    free(c.at);
}

/* ---- the engine ---- */

static void run(line_contents *x, outcome *out) {
    uint32_t count, *event = part_events(x->p, &count), e = 0;
    uint8_t *needed = MEM_ARRAY(uint8_t, (size_t)x->p->n + 1);
    contents_end end = CONTENTS_REACHED_END;
    object_needed(x->p->o, x->p->h, x->p->op, x->p->n, needed);
    for (; e < count && end == CONTENTS_REACHED_END; e++) end = take_event(x, event[e], needed);
    switch (end) {
    case CONTENTS_REACHED_END:
        out->verdict = VERDICT_LINEARIZABLE;
        tell_witness(x, event, count, needed, &out->witness);
        break;
    case CONTENTS_NO_WAY: outcome_violation(out, x->rank); break;
    case CONTENTS_SPENT: outcome_stopped(x->p, out); break;
    case CONTENTS_TOO_MANY:
        snprintf(out->why, sizeof out->why, "more than %d operations are open at once, or %d values inside",
                 CONTENTS_SLOTS, CONTENTS_LONGEST);
        break;
    }
    free(event);
    free(needed);
}

static bool accepts(const problem *p, text *why_not) {
    for (uint32_t i = 0; i < p->n && !why_not->size; i++) {
        const method *m = &p->o->type->methods[p->h->method[p->op[i]]];
        static const char *const known[] = {"enq", "deq", "push", "pop", "pushl", "pushr", "popl", "popr"};
        bool good = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++) good |= !strcmp(m->name, known[k]);
        if (!good || !p->o->type->ends) text_printf(why_not, "does not decide %s", m->name);
    }
    return !why_not->size;
}

/* Where there is nothing better for values that repeat; those that do not tell the search where they belong. */
static bool fits(const problem *p) {
    return p->o->parameter[0] || (!strcmp(p->o->type->name, "deque") && !adds_are_distinct(p));
}

static void decide(const problem *p, outcome *out) {
    line_contents x = {.p = p,
                       .capacity = (uint32_t)p->o->parameter[0],
                       .flip = !strcmp(p->o->type->name, "stack"),
                       .slot_of = MEM_ARRAY(uint8_t, (size_t)p->n + 1),
                       .now = MEM_ARRAY(contents_entry, 64),
                       .now_room = 64,
                       .event = MEM_ARRAY(contents_event, (size_t)p->n + 1)};
    line_sets_init(&x.sets, p->budget);
    x.now[x.now_n++] = (contents_entry){.lines = LINES_EMPTY, .next = NO_NUMBER};
    run(&x, out);
    out->steps = x.steps;
    budget_refund(p->budget, x.charged);
    line_sets_free(&x.sets);
    table_free(&x.known);
    FREE_ALL(x.slot_of, x.now, x.work, x.log, x.event);
}

ENGINE_RECORD(
    engine_line_contents, "line-contents",
    "queues, stacks and deques, also with values that repeat or full: event by event, contents as one diagram",
    .growth = "n, times what is open at once", .objects = "queue stack deque",
    .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS, .cost = COST_FRONTIER, .fits = fits,
    .accepts = accepts, .decide = decide);
