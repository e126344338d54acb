/* Queue and pool (docs/ALGORITHMS.md, queue): exact after every event, constant time for each on average.
 *
 * Time is the part's clock; gap g is the moment right after event g. A dequeue that is open is a token: it may have
 * taken any value that was inside. After each return of a dequeue the following conditions are necessary, and all of
 * them suffice:
 *
 *   values   what is returned was put in, and is not taken twice
 *   order    (queue only) a value x gets a deadline when a value y that was put in entirely after x comes out: x must
 *   have
 *            been taken by a dequeue called before that event. So x may be returned only by one called before its
 *            deadline, and with deadlines and tokens in order of time, the i-th token was called before the i-th
 *            deadline. Deadlines ascend with the order in which enqueues returned, so that values with one are a prefix
 *            of that list.
 *   empties  a dequeue that returned empty contains a gap with no value inside for sure: not between the return of
 *            the enqueue and the call of the dequeue that took it, and no more values inside than tokens that could
 *            have them. The sum over gaps is a difference array from the oldest open dequeue on; before that gap
 *            nothing changes any more. Each empty dequeue keeps its first good gap, and looks for the next when a
 *            return spoils it.
 *
 * Tokens that are pending for ever are only counted once no deadline and no empty dequeue can tell them apart. */
#include "monitor/gap_sum.h"
#include "monitor/store.h"

#define NONE UINT32_MAX
#define SURELY (INT64_C(1) << 40) /* more than there can be tokens */

typedef struct queued_value {
    value v;
    bool taken;  /* its dequeue has returned, its enqueue has not */
    bool inside; /* its enqueue has returned: in the list */
    bool orphan; /* its enqueue is pending for ever */
    monitored enq;
    moment called, back;            /* of the enqueue, on the part's clock */
    moment deadline;                /* MOMENT_NEVER: none */
    monitored later_enq, later_deq; /* what set the deadline */
    uint32_t before, after;         /* items inside, by return of the enqueue */
} queued_value;

typedef struct past_value { /* a value that came and went */
    monitored enq, deq;
    moment back;
} past_value;

typedef struct empty_dequeue {
    monitored deq;
    moment call, ret;
    moment good; /* the first good gap */
} empty_dequeue;

typedef struct queue {
    monitor_part *part;
    bool fifo;
    value_map where; /* value -> item */
    queued_value *item;
    uint32_t items, item_room, unused;
    uint32_t first, last; /* items inside */
    uint32_t undated;     /* the first of them without a deadline */
    uint32_t dated;       /* how many have one */
    moment newest;        /* latest call of an enqueue whose value came out */
    monitored newest_enq, newest_deq;
    open_operations tokens;
    uint64_t old_tokens; /* pending for ever, older than anything that could tell them apart */

    gap_sum sum;            /* of what is inside for sure, less tokens */
    empty_dequeue *empties; /* by return */
    uint32_t empties_n, empties_room;
    past_value *past; /* a ring, by return of the dequeue: for evidence of empties */
    uint64_t past_first, past_end, past_room;
} queue;

/* ---- what holds after each event ---- */

#ifdef PLUMB_SELF_CHECKS
/* Values inside by return of the enqueue, linked both ways; those with a deadline are a prefix, by deadline. */
static int64_t check_inside(const queue *q) {
    uint32_t before = NONE, dated = 0, undated = NONE;
    int64_t n = 0;
    for (uint32_t i = q->first; i != NONE; before = i, i = q->item[i].after, n++) {
        const queued_value *x = &q->item[i];
        assert(x->inside && !x->taken && x->before == before && x->called < x->back && x->back <= q->part->tick);
        assert(value_map_find(&q->where, x->v) == i);
        dated += x->deadline != MOMENT_NEVER;
        if (x->deadline == MOMENT_NEVER && undated == NONE) undated = i;
        assert(x->deadline == MOMENT_NEVER || (undated == NONE && q->fifo && x->deadline <= q->part->tick));
        if (before == NONE) continue;
        assert(q->item[before].back < x->back && q->item[before].deadline <= x->deadline);
    }
    assert(before == q->last && undated == q->undated && dated == q->dated);
    return n;
}

/* The sum at the last gap is what is inside less the tokens. Tokens, empty dequeues and past values are by time. */
static void check_queue(const queue *q) {
    const int64_t inside = check_inside(q);
    assert(q->sum.total == inside - (int64_t)q->tokens.n - (int64_t)q->old_tokens);
    uint32_t tokens = 0;
    for (const open_operation *t = q->tokens.first; t; t = t->after, tokens++)
        assert(t->tick <= q->part->tick && (!t->before || t->before->tick < t->tick));
    assert(tokens == q->tokens.n);
    for (uint32_t i = 0; i < q->empties_n; i++) {
        const empty_dequeue *e = &q->empties[i];
        assert(e->call <= e->good && e->good < e->ret && (!i || q->empties[i - 1].ret < e->ret));
    }
    for (uint64_t i = q->past_first + 1; i < q->past_end; i++)
        assert(q->past[(i - 1) & (q->past_room - 1)].back <= q->past[i & (q->past_room - 1)].back);
    assert(q->past_end - q->past_first <= q->past_room);
}
#else
static void check_queue(const queue *q) { (void)q; }
#endif

/* ---- items ---- */

static uint32_t new_item(queue *q) {
    uint32_t i = q->unused;
    if (i != NONE) {
        q->unused = q->item[i].after;
        return i;
    }
    if (q->items == q->item_room) {
        q->item_room = q->item_room ? 2 * q->item_room : 16;
        q->item = MEM_GROW(q->item, queued_value, q->item_room);
    }
    return q->items++;
}

static void free_item(queue *q, uint32_t i) {
    q->item[i].after = q->unused;
    q->unused = i;
}

static void link_inside(queue *q, uint32_t i) {
    queued_value *x = &q->item[i];
    assert(!x->inside && x->back != MOMENT_NEVER && (q->last == NONE || q->item[q->last].back < x->back));
    x->inside = true;
    x->before = q->last;
    x->after = NONE;
    if (q->last != NONE) q->item[q->last].after = i;
    else q->first = i;
    q->last = i;
    if (q->undated == NONE) q->undated = i;
}

static void unlink_inside(queue *q, uint32_t i) {
    const queued_value *x = &q->item[i];
    assert(x->inside && (x->deadline == MOMENT_NEVER || q->dated));
    if (q->undated == i) q->undated = x->after;
    if (x->deadline != MOMENT_NEVER) q->dated--;
    if (x->before != NONE) q->item[x->before].after = x->after;
    else q->first = x->after;
    if (x->after != NONE) q->item[x->after].before = x->before;
    else q->last = x->before;
}

static void forget(queue *q, uint32_t i) {
    assert(value_map_find(&q->where, q->item[i].v) == i);
    value_map_remove(&q->where, q->item[i].v);
    free_item(q, i);
}

/* ---- evidence ---- */

static void remember_past_value(queue *q, const queued_value *x, const open_operation *deq) {
    if (q->past_end - q->past_first == q->past_room) {
        uint64_t room = q->past_room ? 2 * q->past_room : 16;
        past_value *larger = MEM_ARRAY(past_value, room);
        for (uint64_t i = q->past_first; i < q->past_end; i++) larger[i & (room - 1)] = q->past[i & (q->past_room - 1)];
        free(q->past);
        q->past = larger;
        q->past_room = room;
    }
    q->past[q->past_end++ & (q->past_room - 1)] = (past_value){x->enq, deq->op, q->part->tick};
}

static void forget_passages(queue *q) {
    moment oldest = q->sum.base;
    for (uint32_t i = 0; i < q->empties_n; i++)
        if (q->empties[i].call < oldest) oldest = q->empties[i].call;
    while (q->past_first < q->past_end && q->past[q->past_first & (q->past_room - 1)].back < oldest) q->past_first++;
}

static void show_tokens(queue *q) {
    for (open_operation *t = q->tokens.first; t; t = t->after) part_pattern(q->part, &t->op);
}

static void say_empty(queue *q, const empty_dequeue *e) {
    part_violation(q->part,
                   "a remove returned empty, although something was inside all the time from its call to its return");
    if (q->old_tokens) return; /* tokens that could have taken something are forgotten: no evidence */
    part_pattern(q->part, &e->deq);
    for (uint32_t i = q->first; i != NONE; i = q->item[i].after)
        if (q->item[i].back < e->ret) part_pattern(q->part, &q->item[i].enq);
    for (uint64_t i = q->past_first; i < q->past_end; i++) {
        const past_value *p = &q->past[i & (q->past_room - 1)];
        part_pattern(q->part, &p->enq);
        part_pattern(q->part, &p->deq);
    }
    show_tokens(q);
}

static void say_order(queue *q, const queued_value *x, const monitored *deq) {
    part_violation(q->part, "a value comes out behind one that was put in entirely after it");
    part_pattern(q->part, &x->enq);
    part_pattern(q->part, deq);
    part_pattern(q->part, &x->later_enq);
    part_pattern(q->part, &x->later_deq);
}

static void say_lost(queue *q, uint32_t upto) {
    part_violation(
        q->part,
        "a value was passed over by one that was put in entirely after it, and no open remove can have taken it");
    if (q->old_tokens) return;
    for (uint32_t i = q->first, k = 0; i != NONE && k <= upto; i = q->item[i].after, k++) {
        part_pattern(q->part, &q->item[i].enq);
        part_pattern(q->part, &q->item[i].later_enq);
        part_pattern(q->part, &q->item[i].later_deq);
    }
    show_tokens(q);
}

/* ---- the conditions ---- */

static bool check_deadlines(queue *q) {
    open_operation *t = q->tokens.first;
    uint32_t k = 0;
    for (uint32_t i = q->first; k < q->dated; i = q->item[i].after, k++) {
        assert(i != NONE && q->item[i].deadline != MOMENT_NEVER);
        if (k < q->old_tokens) continue;
        if (!t || t->tick > q->item[i].deadline) {
            say_lost(q, k);
            return false;
        }
        t = t->after;
    }
    return true;
}

/* A return changed the sum over gaps from `low` up to `high`: empties whose good gap lies there may have lost it. */
static bool check_empties(queue *q, moment low, moment high) {
    gap_place from = gap_sum_last(&q->sum);
    for (uint32_t i = q->empties_n; i-- > 0 && q->empties[i].ret > low;) {
        empty_dequeue *e = &q->empties[i];
        if (e->good < low || e->good >= high) continue;
        e->good = gap_sum_good_from(&q->sum, &from, e->good, e->ret);
        if (e->good != MOMENT_NEVER) continue;
        say_empty(q, e);
        return false;
    }
    return true;
}

/* The oldest value inside was taken by the oldest token, which is pending for ever: both are settled. */
static void consume_oldest(queue *q) {
    uint32_t i = q->first;
    moment back = q->item[i].back, taken = 0;
    open_operation *t = q->old_tokens ? NULL : q->tokens.first;
    assert(q->old_tokens || (t && t->pending)); /* only what is pending for ever can have it */
    unlink_inside(q, i);
    forget(q, i);
    if (t) {
        taken = t->tick;
        open_operations_remove(&q->tokens, t);
        open_operation_free(q->part, t);
    } else {
        q->old_tokens--;
    }
    gap_sum_change(&q->sum, back, -1);
    gap_sum_change(&q->sum, taken, 1);
    if (back >= taken) return;
    gap_sum_change(&q->sum, back, SURELY);
    gap_sum_change(&q->sum, taken, -SURELY);
}

static bool nothing_inside(const queue *q, moment gap) { return q->first == NONE || q->item[q->first].back > gap; }

/* Nothing before `to`, the call of the oldest live token, can change any more. An empty dequeue with a good gap there
 * is done with when nothing was inside at that gap. Otherwise tokens that are pending for ever took what was inside;
 * that is certain once the dequeue has no later gap, at which a live one might have taken it. Returns the last gap of
 * which that is certain. */
static moment settle_empties(queue *q, moment to, moment *hold) {
    moment emptied = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < q->empties_n; i++) {
        const empty_dequeue *e = &q->empties[i];
        if (e->good < to && nothing_inside(q, e->good)) continue;
        if (e->good < to && e->ret <= to) {
            if (e->good > emptied) emptied = e->good;
            continue;
        }
        if (e->good < to && e->call < *hold) *hold = e->call;
        q->empties[kept++] = *e;
    }
    q->empties_n = kept;
    return emptied;
}

static void settle(queue *q) {
    open_operation *t = q->tokens.first;
    while (t && t->pending) t = t->after;
    moment live = t ? t->tick : q->part->tick + 1, to = live;
    moment emptied = q->empties_n ? settle_empties(q, live, &to) : 0;
    gap_sum_settle(&q->sum, to);
    while (q->first != NONE && (q->item[q->first].back <= emptied || q->item[q->first].deadline < q->sum.base))
        consume_oldest(q);
    while ((t = q->tokens.first) && t->pending && t->tick < q->sum.base) {
        open_operations_remove(&q->tokens, t);
        open_operation_free(q->part, t);
        q->old_tokens++;
    }
    forget_passages(q);
}

/* ---- events ---- */

static bool adds(const queue *q, const open_operation *op) {
    return part_object(q->part)->type->methods[op->op.method].role & ROLE_ADDS;
}

static void call_queue(void *self, open_operation *op) {
    queue *q = self;
    gap_sum_reach(&q->sum, q->part->tick);
    if (!adds(q, op)) {
        open_operations_add(&q->tokens, op);
        gap_sum_change(&q->sum, op->tick, -1);
        return;
    }
    if (value_map_find(&q->where, op->op.arg[0]) != VALUE_MAP_ABSENT) {
        part_hand_over(q->part, "a value is put in again while it may be inside");
        return;
    }
    uint32_t i = new_item(q);
    q->item[i] = (queued_value){
        .v = op->op.arg[0], .enq = op->op, .called = op->tick, .back = MOMENT_NEVER, .deadline = MOMENT_NEVER};
    value_map_add(&q->where, op->op.arg[0], i);
    op->mine = i;
}

static void enqueued(queue *q, open_operation *op) {
    uint32_t i = (uint32_t)op->mine;
    queued_value *x = &q->item[i];
    assert(x->enq.number == op->op.number && x->called == op->tick && !x->inside);
    if (x->taken) {
        free_item(q, i);
        return;
    }
    x->enq = op->op;
    x->back = q->part->tick;
    link_inside(q, i);
    gap_sum_change(&q->sum, x->back, 1);
}

static void leave_tokens(queue *q, open_operation *op) {
    open_operations_remove(&q->tokens, op);
    gap_sum_change(&q->sum, op->tick, 1);
}

/* Every value inside whose enqueue returned before that of y was called must be out by now. */
static void set_deadlines(queue *q, const queued_value *y, const monitored *deq) {
    if (!q->fifo) return;
    if (y->called > q->newest) {
        q->newest = y->called;
        q->newest_enq = y->enq;
        q->newest_deq = *deq;
    }
    while (q->undated != NONE && q->item[q->undated].back < q->newest) {
        queued_value *x = &q->item[q->undated];
        assert(x->deadline == MOMENT_NEVER);
        x->deadline = q->part->tick;
        x->later_enq = q->newest_enq;
        x->later_deq = q->newest_deq;
        q->dated++;
        q->undated = x->after;
    }
}

static bool dequeued(queue *q, open_operation *op) {
    uint32_t i = value_map_find(&q->where, op->op.res);
    if (i == VALUE_MAP_ABSENT) {
        part_violation(q->part, "a value comes out that is not inside: it was never put in, or has been taken before");
        part_pattern(q->part, &op->op);
        return false;
    }
    queued_value x = q->item[i];
    assert(x.v == op->op.res && !x.taken);
    if (x.deadline < op->tick) {
        say_order(q, &x, &op->op);
        return false;
    }
    leave_tokens(q, op);
    value_map_remove(&q->where, x.v);
    moment low = op->tick, high = q->sum.end;
    if (x.inside) {
        unlink_inside(q, i);
        gap_sum_change(&q->sum, x.back, -1);
        low = x.back < op->tick ? x.back : op->tick;
        high = x.back < op->tick ? op->tick : x.back;
        if (x.back < op->tick) {
            gap_sum_change(&q->sum, x.back, SURELY);
            gap_sum_change(&q->sum, op->tick, -SURELY);
            remember_past_value(q, &x, op);
        }
        free_item(q, i);
    } else if (x.orphan) {
        free_item(q, i);
    } else {
        q->item[i].taken = true;
    }
    set_deadlines(q, &x, &op->op);
    return check_empties(q, low, high);
}

static bool found_empty(queue *q, open_operation *op) {
    leave_tokens(q, op);
    empty_dequeue e = {.deq = op->op, .call = op->tick, .ret = q->part->tick};
    if (!check_empties(q, op->tick, q->sum.end)) return false;
    e.good = gap_sum_good(&q->sum, e.call, e.ret);
    if (e.good == MOMENT_NEVER) {
        say_empty(q, &e);
        return false;
    }
    if (q->empties_n == q->empties_room) {
        q->empties_room = q->empties_room ? 2 * q->empties_room : 16;
        q->empties = MEM_GROW(q->empties, empty_dequeue, q->empties_room);
    }
    assert(e.good >= e.call && e.good < e.ret);
    q->empties[q->empties_n++] = e;
    return true;
}

static void return_queue(void *self, open_operation *op) {
    queue *q = self;
    gap_sum_reach(&q->sum, q->part->tick);
    if (adds(q, op)) {
        enqueued(q, op);
        if (!q->tokens.first) settle(q);
        check_queue(q);
        return;
    }
    if (!(op->op.res == VALUE_EMPTY ? found_empty(q, op) : dequeued(q, op))) return;
    if (q->dated && !check_deadlines(q)) return;
    settle(q);
    check_queue(q);
}

static void drop_queue(void *self, open_operation *op) {
    queue *q = self;
    gap_sum_reach(&q->sum, q->part->tick);
    if (!adds(q, op)) {
        leave_tokens(q, op);
        if (check_empties(q, op->tick, q->sum.end) && check_deadlines(q)) settle(q);
        return;
    }
    uint32_t i = (uint32_t)op->mine;
    if (!q->item[i].taken) {
        forget(q, i);
        return;
    }
    free_item(q, i);
    part_violation(q->part, "a value came out whose add did not happen");
}

/* An add whose value was not returned may as well not have happened; but its value may still come out. */
static void pend_queue(void *self, open_operation *op) {
    queue *q = self;
    gap_sum_reach(&q->sum, q->part->tick);
    if (!adds(q, op)) {
        settle(q);
        check_queue(q);
        return;
    }
    if (q->item[op->mine].taken) free_item(q, (uint32_t)op->mine);
    else q->item[op->mine].orphan = true;
    open_operation_free(q->part, op);
}

/* ---- making ---- */

static void *create(monitor_part *p) {
    queue *q = MEM_NEW(queue);
    q->part = p;
    q->fifo = !strcmp(part_object(p)->type->name, "queue");
    q->unused = q->first = q->last = q->undated = NONE;
    gap_sum_init(&q->sum, 1);
    return q;
}

static void destroy(void *self) {
    queue *q = self;
    for (open_operation *t = q->tokens.first, *next; t; t = next) {
        next = t->after;
        if (t->pending) open_operation_free(q->part, t);
    }
    free(q->where.slot);
    free(q->item);
    gap_sum_free(&q->sum);
    free(q->empties);
    free(q->past);
    free(q);
}

static bool rest(void *self, state *s) {
    queue *q = self;
    s->n = 0;
    return q->where.n == 0 && !q->tokens.first && !q->old_tokens;
}

static void store_queue(void *self, store *s) {
    queue *q = self;
    monitor_part *p = q->part;
    if (s->loading) free(q->where.slot);
    STORE(s, *q);
    q->part = p;
    if (s->loading) q->where = (value_map){0};
    store_map(s, &q->where);
    STORE_ARRAY(s, q->item, q->items, q->item_room);
    STORE_ARRAY(s, q->sum.difference, q->sum.room, q->sum.room);
    STORE_ARRAY(s, q->empties, q->empties_n, q->empties_room);
    STORE_ARRAY(s, q->past, q->past_room, q->past_room);
    store_open_operations(s, p, &q->tokens);
    if (!s->bad) check_queue(q);
}

static uint64_t live(const void *self) {
    const queue *q = self;
    return q->where.n + q->tokens.n + q->empties_n;
}

static size_t memory(const void *self) {
    const queue *q = self;
    return sizeof *q + value_map_memory(&q->where) + q->item_room * sizeof *q->item + gap_sum_memory(&q->sum) +
           q->empties_room * sizeof *q->empties + q->past_room * sizeof *q->past;
}

static bool unlimited(const object *o) { return o->parameter[0] == 0; }

/* add and remove of anything; nothing is full. */
static bool knows(const object *o, const monitored *op) {
    unsigned role = o->type->methods[op->method].role;
    return (role & ROLE_ADDS) ? op->res != VALUE_FULL : (role & ROLE_REMOVES) && op->nargs == 0;
}

#define CONTAINER_MONITOR \
    .hands_over = true, .accepts = unlimited, .knows = knows, .create = create, .destroy = destroy, \
    .call = call_queue, .ret = return_queue, .pend = pend_queue, .drop = drop_queue, .rest = rest, \
    .store = store_queue, .live = live, .memory = memory

MONITOR_RECORD(monitor_queue, "queue", "queue: exact after every event, constant time each", .objects = "queue",
               CONTAINER_MONITOR);

MONITOR_RECORD(monitor_pool, "pool", "multiset, pool: exact after every event, constant time each",
               .objects = "multiset", CONTAINER_MONITOR);
