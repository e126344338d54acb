/* FIFO queue in linear time, pending operations and empty dequeues included. The condition, its proof and the witness:
 * docs/proofs/containers.md. */
#include "engine/linear/empties.h"
#include "engine/self_check.h"

#include "base/mem.h"

typedef struct queue_pass {
    inventory c;
    outcome *out;
    empties empties;          /* with tokens */
    uint32_t *order, ordered; /* values in the order of the witness */
    uint32_t *added;          /* values whose enqueue has returned, in this order; those before `head` are ordered */
    uint32_t head, tail;
    uint8_t *is_ordered;
    uint32_t covered;                 /* values definitely inside */
    uint32_t *idle, idles, idle_room; /* empty dequeues that wait for a gap */
    uint32_t n;                       /* of the witness, which is written over the events that were passed */
} queue_pass;

/* ---- tokens ---- */

/* Values left inside although a later one was dequeued. Such a value x has a deadline: the first return of a dequeue of
 * some y enqueued after x; a token has to take x before. Deadlines ascend with the returns of the enqueues, so the k-th
 * value left inside must make do with the k-th token. */
static bool assign_tokens(queue_pass *q) {
    inventory *c = &q->c;
    uint32_t count, *left = inventory_left_inside(c, &count), failed = NO_INDEX, late = NO_INDEX;
    uint32_t y = c->values, deadline = RANK_NEVER, first = NO_INDEX;
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
    if (failed != NO_INDEX) {
        bad_pattern s = {0};
        for (uint32_t k = 0; k <= failed; k++) bad_pattern_add_value(&s, c, left[k]);
        bad_pattern_add_value(&s, c, late);
        inventory_violation(c, &s, NO_INDEX, q->out);
    } else {
        assert(q->empties.assigned <= c->tokens && q->empties.assigned <= count);
        for (uint32_t k = 0; k < q->empties.assigned; k++) inventory_assign(c, k, left[k]);
    }
    free(left);
    return failed == NO_INDEX;
}

/* True: as far as tokens and empties go it is a queue, and the tokens that are needed are removes now. */
static bool settle_tokens(queue_pass *q) {
    empties_init(&q->empties, &q->c);
    bool good = true;
    for (uint32_t r = 0; r < q->c.events && good; r++)
        good = empties_event(&q->empties, r, q->out) && !inventory_stopped(&q->c, r, q->out);
    good = good && assign_tokens(q);
    empties_free(&q->empties);
    return good;
}

/* ---- the order of the values ---- */

static void put_in_order(queue_pass *q, uint32_t x) {
    assert(!q->is_ordered[x] && q->ordered < q->c.values);
    q->is_ordered[x] = 1;
    q->order[q->ordered++] = x;
}

static bool violation_order(queue_pass *q, uint32_t overtaken, uint32_t overtaking) {
    bad_pattern s = {0};
    bad_pattern_add_value(&s, &q->c, overtaken);
    bad_pattern_add_value(&s, &q->c, overtaking);
    inventory_violation(&q->c, &s, is_removed(&q->c, overtaken) ? q->c.remove[overtaken] : NO_INDEX, q->out);
    return false;
}

/* A dequeue of x returns, so x has its place now; before it whatever was enqueued before x, and these dequeues must
 * have been called by now. */
static bool dequeue_returns(queue_pass *q, uint32_t x, uint32_t r) {
    inventory *c = &q->c;
    for (uint32_t called = add_call(c, x); q->head < q->tail && add_return(c, q->added[q->head]) < called; q->head++) {
        uint32_t y = q->added[q->head];
        if (q->is_ordered[y]) continue;
        assert(q->head == 0 || add_return(c, q->added[q->head - 1]) < add_return(c, y)); /* in the order of returns */
        if (remove_call(c, y) > r) return violation_order(q, y, x);
        put_in_order(q, y);
    }
    put_in_order(q, x);
    return true;
}

static uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Enqueues and dequeues of order[first..last) as early as this order allows, from gap `now` on; those from `stay` on
 * are never dequeued. */
static void emit_segment(queue_pass *q, uint32_t first, uint32_t stay, uint32_t last, uint32_t now) {
    const inventory *c = &q->c;
    uint32_t enqueued = now, dequeued = now; /* gaps of the last ones */
    for (uint32_t in = first, out = first; in < last || out < stay;) {
        uint32_t in_gap = in < last ? later(enqueued, add_call(c, q->order[in])) : RANK_NEVER;
        if (out < in && out < stay) {
            /* or later: where its enqueue is */
            uint32_t x = q->order[out], out_gap = later(dequeued, remove_call(c, x));
            if (out_gap <= in_gap) {
                assert(is_removed(c, x) && out_gap >= dequeued && out_gap < remove_return(c, x));
                q->c.event[q->n++] = c->remove[x];
                dequeued = out_gap;
                out++;
                continue;
            }
        }
        assert(in < last && in_gap < add_return(c, q->order[in]));
        q->c.event[q->n++] = c->add[q->order[in++]];
        enqueued = in_gap;
    }
}

SELF_CHECK static bool all_removed(const queue_pass *q, uint32_t first) {
    for (uint32_t i = first; i < q->ordered; i++)
        if (!is_removed(&q->c, q->order[i])) return false;
    return true;
}

/* The queue is empty in this gap: all values added and not left inside by now go before it. They have been called to
 * leave, or one would cover the gap. */
static void cut_here(queue_pass *q, uint32_t first, uint32_t now) {
    for (; q->head < q->tail; q->head++)
        if (!q->is_ordered[q->added[q->head]]) put_in_order(q, q->added[q->head]);
    emit_segment(q, first, q->ordered, q->ordered, now);
    assert_costly(all_removed(q, first)); /* the queue is empty here */
    for (uint32_t i = 0; i < q->idles; i++) q->c.event[q->n++] = q->c.empty[q->idle[i]];
    q->idles = 0;
}

static void open_idle(queue_pass *q, uint32_t empty) {
    if (q->idles == q->idle_room)
        q->idle = MEM_GROW(q->idle, uint32_t, q->idle_room = q->idle_room ? 2 * q->idle_room : 16);
    q->idle[q->idles++] = empty;
}

static void order_last(queue_pass *q, uint32_t first, uint32_t now) {
    inventory *c = &q->c;
    for (; q->head < q->tail; q->head++) { /* what tokens took */
        uint32_t x = q->added[q->head];
        if (!q->is_ordered[x] && is_removed(c, x)) put_in_order(q, x);
    }
    uint32_t stay = q->ordered;
    for (uint32_t x = 0; x < c->values; x++)
        if (!is_removed(c, x) && !is_dropped(c, x)) put_in_order(q, x);
    emit_segment(q, first, stay, q->ordered, now);
    assert(q->head == q->tail && q->idles == 0);
}

/* While no empty dequeue waits for a gap only returns matter, and the order of returns of different kinds does not:
 * what dequeue_returns asks of enqueues is whether they returned before some event up to now. So a stretch of events is
 * first sorted into enqueues and dequeues, without a branch for a processor to guess, and then only dequeues are looked
 * at. Returns the first event behind it: that of an empty dequeue, unless the stretch was full. */
static uint32_t scan_events_without_empties(queue_pass *q, uint32_t r, bool *good) {
    enum { STRETCH = 2048 };
    const inventory *c = &q->c;
    uint32_t dequeued[STRETCH], n = 0, end = c->events - r < STRETCH ? c->events : r + STRETCH;
    for (; r < end; r++) {
        uint32_t e = c->event[r], x = event_index(e);
        event_kind kind = event_kind_of(e);
        if (kind == EMPTY_CALL || kind == EMPTY_RETURN) break;
        q->added[q->tail] = x;
        q->tail += kind == ADD_RETURN;
        dequeued[n] = x;
        n += kind == REMOVE_RETURN;
    }
    for (uint32_t k = 0; k < n && *good; k++)
        if (!q->is_ordered[dequeued[k]]) *good = dequeue_returns(q, dequeued[k], remove_return(c, dequeued[k]));
    return r;
}

/* From now on every gap in which nothing is definitely inside is of interest. What is inside is among the enqueued ones
 * that are not ordered: of the others the dequeues have been called. */
static void begin_waiting(queue_pass *q, uint32_t empty, uint32_t r) {
    const inventory *c = &q->c;
    if (!q->idles) {
        q->covered = 0;
        assert(q->head <= q->tail && q->tail <= c->values);
        for (uint32_t i = q->head; i < q->tail; i++)
            q->covered += !q->is_ordered[q->added[i]] && remove_call(c, q->added[i]) > r;
    }
    open_idle(q, empty);
}

/* One event while an empty dequeue waits, or its own call or return. */
static bool take_event(queue_pass *q, uint32_t r, bool placed) {
    const inventory *c = &q->c;
    uint32_t e = c->event[r], x = event_index(e);
    switch (event_kind_of(e)) {
    case ADD_RETURN:
        q->added[q->tail++] = x;
        q->covered += remove_call(c, x) > r;
        break;
    case REMOVE_CALL:
        assert(add_return(c, x) > r || q->covered > 0);
        q->covered -= add_return(c, x) < r;
        break;
    case REMOVE_RETURN: return q->is_ordered[x] || dequeue_returns(q, x, r);
    case EMPTY_CALL: begin_waiting(q, x, r); break;
    case EMPTY_RETURN:
        if (placed) break;
        inventory_violation_empty(c, x, q->out);
        return false;
    default: break;
    }
    return true;
}

static bool sweep(queue_pass *q) {
    const inventory *c = &q->c;
    uint32_t first = 0, now = 0; /* since the last cut: the first value, and its gap */
    bool cuts = false, good = true;
    for (uint32_t r = 0, looked = 0; good && r < c->events;) {
        if (!q->idles) r = scan_events_without_empties(q, r, &good);
        if (!good || r == c->events) break;
        uint32_t e = c->event[r];
        event_kind kind = event_kind_of(e);
        if (q->idles || kind == EMPTY_CALL || kind == EMPTY_RETURN) {
            good = take_event(q, r, kind == EMPTY_RETURN && cuts && now >= c->call[c->empty[event_index(e)]]);
            assert(q->n <= r + 1); /* the witness is written over events that were passed */
            if (good && q->idles && q->covered == 0) {
                cut_here(q, first, now);
                first = q->ordered;
                now = r;
                cuts = true;
            }
            r++;
        }
        if (r - looked >= 1 << 16) {
            looked = r;
            if (inventory_out_of_budget(c, q->out)) return false;
        }
    }
    if (good) order_last(q, first, now);
    return good;
}

static void decide_ready(queue_pass *q) {
    inventory *c = &q->c;
    if (c->tokens && !settle_tokens(q)) return;
    q->order = MEM_ARRAY(uint32_t, c->values);
    q->added = MEM_ARRAY(uint32_t, (size_t)c->values + 1);
    q->is_ordered = mem_zero(c->values, 1);
    if (sweep(q)) {
        inventory_witness(c, c->event, q->n, q->out);
        c->event = NULL;
    }
    FREE_ALL(q->order, q->added, q->is_ordered, q->idle);
}

static void decide(const problem *p, outcome *out) {
    queue_pass q = {.out = out};
    if (inventory_init(&q.c, p, out) == INVENTORY_READY) decide_ready(&q);
    inventory_free(&q.c);
}

ENGINE_RECORD(engine_queue_linear, "queue-linear",
              "one sweep over the events: no value overtakes another, no empty dequeue while something is inside",
              .growth = "n", .objects = "queue", .needs = NEEDS_DISTINCT,
              .promises = PROMISES_SOUND | PROMISES_COMPLETE | PROMISES_WITNESS | PROMISES_PATTERN,
              .cost = COST_NEAR_LINEAR, .accepts = inventory_accepts, .decide = decide);
