/* FIFO queue in linear time, pending operations and empty dequeues included. The condition, its proof and the witness:
 * docs/algorithms/containers.md. */
#include "engine/empties.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

typedef struct run {
    inventory c;
    empties empties;
    outcome *out;
    uint32_t newest; /* of the values whose dequeue has returned: the one whose enqueue was called last */
} run;

/* ---- deciding ------------------------------------------------------------------------------------------------------- */

static void violation_order(run *q, uint32_t overtaken, uint32_t overtaking) {
    pattern s = {0};
    pattern_add_value(&s, &q->c, overtaken);
    pattern_add_value(&s, &q->c, overtaking);
    inventory_violation(&q->c, &s, is_removed(&q->c, overtaken) ? q->c.remove[overtaken] : NOBODY, q->out);
}

/* x was enqueued before y was, y dequeued before x was: y is the newest dequeued value, or none is such a y. */
static bool in_order(run *q, uint32_t x) {
    if (q->newest == NOBODY || add_call(&q->c, q->newest) < add_return(&q->c, x)) return true;
    violation_order(q, x, q->newest);
    return false;
}

static bool sweep_event(run *q, uint32_t r) {
    uint32_t e = q->c.event[r], x = event_index(e);
    if (event_kind_of(e) == REMOVE_CALL && !in_order(q, x)) return false;
    if (event_kind_of(e) == REMOVE_RETURN && (q->newest == NOBODY || x > q->newest)) q->newest = x;
    return empties_event(&q->empties, r, q->out);
}

/* Values left inside although a later one was dequeued. Such a value x has a deadline: the first return of a dequeue of
 * some y enqueued after x; a token has to take x before. Deadlines ascend with the returns of the enqueues, so the k-th
 * value left inside must make do with the k-th token. */
static bool left_in_time(run *q) {
    inventory *c = &q->c;
    uint32_t count, *left = inventory_left_inside(c, &count), failed = NOBODY, late = NOBODY;
    uint32_t y = c->values, deadline = RANK_NEVER, first = NOBODY;
    for (uint32_t k = count; k-- > 0;) {
        while (y > 0 && add_call(c, y - 1) > add_return(c, left[k])) {
            y--;
            if (remove_return(c, y) < deadline) {
                deadline = remove_return(c, y);
                first = y;
            }
        }
        if (deadline == RANK_NEVER) continue;
        if (k >= q->empties.assigned) q->empties.assigned = k + 1;
        if (k < c->tokens && c->call[c->token[k]] < deadline) continue;
        failed = k;
        late = first;
    }
    if (failed != NOBODY) {
        pattern s = {0};
        for (uint32_t k = 0; k <= failed; k++) pattern_add_value(&s, c, left[k]);
        pattern_add_value(&s, c, late);
        inventory_violation(c, &s, NOBODY, q->out);
    } else {
        for (uint32_t k = 0; k < q->empties.assigned; k++) inventory_assign(c, k, left[k]);
    }
    free(left);
    return failed == NOBODY;
}

static bool is_queue(run *q) {
    for (uint32_t r = 0; r < q->c.events; r++)
        if (!sweep_event(q, r) || inventory_stopped(&q->c, r, q->out)) return false;
    return q->empties.left == 0 || left_in_time(q);
}

/* ---- the witness ----------------------------------------------------------------------------------------------------- */

/* Values in an order that extends both the order of the enqueues and that of the dequeues, between two cuts: the next one
 * is always one whose enqueue was called before any enqueue still to come returned, and whose dequeue likewise. One cursor
 * walks the calls of enqueues up to the first such return, another those of dequeues. */
typedef struct peel {
    uint8_t *seen;             /* by value */
    uint32_t *order, n;
    uint32_t enqueues, dequeues; /* cursors: events */
    uint32_t *carried, carry, room; /* enqueues called before a cut of values that are dequeued after it */
} peel;

enum { SEEN_ENQUEUE = 1, SEEN_DEQUEUE = 2, SEEN_BOTH = 3 };

static void see(peel *s, uint32_t x, uint8_t what) {
    s->seen[x] |= what;
    if (s->seen[x] == SEEN_BOTH) s->order[s->n++] = x;
}

static void carry(peel *s, uint32_t x) {
    if (s->carry == s->room) s->carried = MEM_GROW(s->carried, uint32_t, s->room = s->room ? 2 * s->room : 8);
    s->carried[s->carry++] = x;
}

static void walk_enqueues(peel *s, const inventory *c, uint32_t until) {
    for (; s->enqueues <= until; s->enqueues++) {
        uint32_t e = c->event[s->enqueues], x = event_index(e);
        event_kind kind = event_kind_of(e);
        if (kind == ADD_CALL && is_removed(c, x)) {
            if (remove_call(c, x) > until) carry(s, x);
            else see(s, x, SEEN_ENQUEUE);
        } else if ((kind == ADD_RETURN && is_removed(c, x)) || kind == REMOVE_RETURN) {
            if (s->seen[x] != SEEN_BOTH) return;
        }
    }
}

static void walk_dequeues(peel *s, const inventory *c, uint32_t until) {
    for (; s->dequeues <= until; s->dequeues++) {
        uint32_t e = c->event[s->dequeues], x = event_index(e);
        if (event_kind_of(e) == REMOVE_CALL) see(s, x, SEEN_DEQUEUE);
        else if (event_kind_of(e) == REMOVE_RETURN && s->seen[x] != SEEN_BOTH) return;
    }
}

static void peel_segment(peel *s, const inventory *c, uint32_t until) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < s->carry; k++) {
        if (remove_call(c, s->carried[k]) > until) s->carried[kept++] = s->carried[k];
        else see(s, s->carried[k], SEEN_ENQUEUE);
    }
    s->carry = kept;
    while (s->enqueues <= until || s->dequeues <= until) {
        uint32_t before = s->enqueues + s->dequeues;
        walk_enqueues(s, c, until);
        walk_dequeues(s, c, until);
        assert(s->enqueues + s->dequeues > before);
        if (s->enqueues + s->dequeues == before) abort(); /* the condition is wrong: never give an answer */
    }
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Enqueues and dequeues of order[first..last) as early as this order allows, from gap `now` on; those from `stay` on are
 * never dequeued. Writes over events that both cursors have passed: not more operations than were called. */
static uint32_t emit_segment(const peel *s, const inventory *c, uint32_t first, uint32_t stay, uint32_t last, uint32_t now,
                             uint32_t *to, uint32_t n) {
    uint32_t enqueued = now, of_next = now, dequeued = now; /* gaps: last enqueue; enqueue of the next to leave; last dequeue */
    for (uint32_t in = first, out = first; in < last || out < stay;) {
        uint32_t in_gap = in < last ? later(enqueued, add_call(c, s->order[in])) : RANK_NEVER, out_gap = RANK_NEVER;
        if (out < in && out < stay) {
            uint32_t x = s->order[out];
            of_next = later(of_next, add_call(c, x));
            out_gap = later(later(dequeued, of_next), remove_call(c, x));
        }
        if (out_gap <= in_gap && out < in && out < stay) {
            to[n++] = c->remove[s->order[out++]];
            dequeued = out_gap;
        } else {
            to[n++] = c->add[s->order[in++]];
            enqueued = in_gap;
        }
    }
    return n;
}

static void make_witness(run *q) {
    inventory *c = &q->c;
    peel s = {.seen = mem_zero(c->values, 1), .order = MEM_ARRAY(uint32_t, c->values)};
    uint32_t n = 0, now = 0, first;
    for (uint32_t k = 0; k < q->empties.cuts;) {
        first = s.n;
        uint32_t gap = q->empties.cut[k].gap;
        peel_segment(&s, c, gap);
        n = emit_segment(&s, c, first, s.n, s.n, now, c->event, n);
        for (; k < q->empties.cuts && q->empties.cut[k].gap == gap; k++) c->event[n++] = q->empties.cut[k].position;
        now = gap;
    }
    first = s.n;
    if (c->events) peel_segment(&s, c, c->events - 1);
    uint32_t stay = s.n;
    for (uint32_t x = 0; x < c->values; x++)
        if (!is_removed(c, x) && !is_dropped(c, x)) s.order[s.n++] = x;
    n = emit_segment(&s, c, first, stay, s.n, now, c->event, n);
    inventory_witness(c, c->event, n, q->out);
    c->event = NULL;
    free(s.seen);
    free(s.order);
    free(s.carried);
}

static void decide(const problem *p, outcome *out) {
    run q = {.out = out, .newest = NOBODY};
    if (inventory_init(&q.c, p, out) == INVENTORY_READY) {
        empties_init(&q.empties, &q.c);
        if (is_queue(&q)) make_witness(&q);
        empties_free(&q.empties);
    }
    inventory_free(&q.c);
}

const engine engine_queue_linear = {
    .name = "queue-linear",
    .summary = "one sweep over the events: no value overtakes another, no empty dequeue while something is inside",
    .growth = "n",
    .objects = "queue",
    .needs = NEEDS_DISTINCT,
    .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN,
    .cost = COST_NEAR_LINEAR,
    .accepts = inventory_accepts,
    .decide = decide,
};
