/* Queue and pool, fast: the conditions of monitor/queue_monitor.c (docs/MONITORS.md has the arguments), exact after
 * every event, on words instead of values and with a few words of evidence. Time is the number of the event; gap g is
 * the moment right after event g; a remove that is open is a token. A value put in again while it may be inside makes
 * the verdict undecided. */
#include "runtime/spans.h"
#include "runtime/tokens.h"

#include "base/mem.h"
#include "monitor/gap_sum.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE NUMBER_NONE
#define NEVER SPAN_NEVER
#define SURELY (INT64_C(1) << 40)

enum { PASSAGES = 64 };

typedef struct inside_value {
    uint64_t v;
    uint64_t called, back;  /* of its add */
    uint64_t deadline;      /* NEVER: none */
    uint32_t before, after; /* items inside, by return of the add; `after` links unused ones */
    bool taken, inside, orphan;
} inside_value;

typedef struct empty_take {
    uint64_t call, ret, good; /* good: the first gap at which nothing need have been inside */
} empty_take;

typedef struct queue_checker {
    checker head;
    bool fifo;
    uint8_t add_method, take_method;
    uint64_t tick;
    take_tokens tokens;

    word_index table; /* value -> item */
    inside_value *item;
    span_pair *overtaker; /* by item: what set its deadline */
    uint32_t items, item_room, unused_item;
    uint32_t first, last, undated, dated;
    uint64_t newest;     /* latest call of an add whose value came out */
    uint64_t newest_at;  /* the number of its passage, while that is among the past ones */
    span_pair newest_by; /* else: itself */

    uint64_t old_tokens; /* pending for ever, older than anything that could tell them apart */

    gap_sum sum;         /* of what is inside for sure, less tokens */
    uint64_t settled_at; /* the call of the oldest open remove when empties were last settled */
    empty_take *empties;
    uint32_t empties_n, empties_room;

    span_pair past[PASSAGES];
    uint64_t passages;
    spans shown;
    const char *why;
} queue_checker;

static queue_checker *self_of(checker *c) { return (queue_checker *)(void *)c; }
static const queue_checker *look_at(const checker *c) { return (const queue_checker *)(const void *)c; }

/* ---- items and tokens ---- */

static uint32_t new_item(queue_checker *q) {
    uint32_t i = q->unused_item;
    if (i != NONE) {
        assert(i < q->items);
        q->unused_item = q->item[i].after;
        return i;
    }
    if (q->items == q->item_room) {
        q->item = MEM_GROW(q->item, inside_value, q->item_room = 2 * q->item_room);
        q->overtaker = MEM_GROW(q->overtaker, span_pair, q->item_room);
    }
    return q->items++;
}

static void free_item(queue_checker *q, uint32_t i) {
    assert(i < q->items);
    q->item[i].after = q->unused_item;
    q->unused_item = i;
}

static void link_inside(queue_checker *q, uint32_t i) {
    inside_value *x = &q->item[i];
    assert(x->back != NEVER && x->called < x->back && x->deadline == NEVER);
    assert(q->last == NONE || (q->item[q->last].after == NONE && q->item[q->last].back < x->back));
    x->inside = true;
    x->before = q->last;
    x->after = NONE;
    if (q->last != NONE) q->item[q->last].after = i;
    else q->first = i;
    q->last = i;
    if (q->undated == NONE) q->undated = i;
}

static void unlink_inside(queue_checker *q, uint32_t i) {
    const inside_value *x = &q->item[i];
    assert(x->inside);
    assert(x->before != NONE ? q->item[x->before].after == i : q->first == i);
    assert(x->after != NONE ? q->item[x->after].before == i : q->last == i);
    assert(x->deadline == NEVER ? q->undated != NONE : q->dated > 0); /* values with a deadline come first */
    if (q->undated == i) q->undated = x->after;
    if (x->deadline != NEVER) q->dated--;
    if (x->before != NONE) q->item[x->before].after = x->after;
    else q->first = x->after;
    if (x->after != NONE) q->item[x->after].before = x->before;
    else q->last = x->before;
}

/* ---- violations ---- */

static void show_add(queue_checker *q, value_span s) { spans_add(&q->shown, s); }
static void show_take(queue_checker *q, value_span s) { spans_take(&q->shown, s); }

static bool violation(queue_checker *q, const char *why) {
    assert(q->head.verdict == VERDICT_LINEARIZABLE); /* the first one found stays */
    q->head.verdict = VERDICT_VIOLATION;
    q->why = why;
    return false;
}

static void show_tokens(queue_checker *q) {
    for (uint32_t t = q->tokens.first; t != NONE; t = q->tokens.token[t].after)
        show_take(q, (value_span){PLUMB_WORD_NONE, q->tokens.token[t].call, NEVER});
    if (q->old_tokens) q->shown.incomplete = true;
}

static bool say_empty(queue_checker *q, const empty_take *e) {
    show_take(q, (value_span){PLUMB_WORD_EMPTY, e->call, e->ret});
    for (uint32_t i = q->first; i != NONE; i = q->item[i].after)
        if (q->item[i].back < e->ret) show_add(q, (value_span){q->item[i].v, q->item[i].called, q->item[i].back});
    for (uint64_t i = q->passages > PASSAGES ? q->passages - PASSAGES : 0; i < q->passages; i++) {
        const span_pair *p = &q->past[i % PASSAGES];
        if (p->add.ret > e->ret || p->take.ret < e->call) continue;
        show_add(q, p->add);
        show_take(q, p->take);
    }
    if (q->passages > PASSAGES && q->past[q->passages % PASSAGES].take.ret > e->call) q->shown.incomplete = true;
    show_tokens(q);
    return violation(q,
                     "a remove returned empty, although something was inside all the time from its call to its return");
}

static void show_overtaken(queue_checker *q, uint32_t i) {
    const inside_value *x = &q->item[i];
    show_add(q, (value_span){x->v, x->called, x->back});
    show_add(q, q->overtaker[i].add);
    show_take(q, q->overtaker[i].take);
}

static bool say_lost(queue_checker *q, uint32_t upto) {
    for (uint32_t i = q->first, k = 0; i != NONE && k <= upto; i = q->item[i].after, k++) show_overtaken(q, i);
    show_tokens(q);
    return violation(
        q, "a value was passed over by one that was put in entirely after it, and no open remove can have taken it");
}

/* ---- the conditions ---- */

static bool check_deadlines(queue_checker *q) {
    uint32_t t = q->tokens.first, k = 0;
    for (uint32_t i = q->first; k < q->dated; i = q->item[i].after, k++) {
        assert(i != NONE && q->item[i].deadline != NEVER);
        if (k < q->old_tokens) continue;
        if (t == NONE || q->tokens.token[t].call > q->item[i].deadline) return say_lost(q, k);
        t = q->tokens.token[t].after;
    }
    return true;
}

static bool check_empties(queue_checker *q, uint64_t low, uint64_t high) {
    gap_place from = gap_sum_last(&q->sum);
    for (uint32_t i = q->empties_n; i-- > 0 && q->empties[i].ret > low;) {
        empty_take *e = &q->empties[i];
        assert(e->call <= e->good && e->good < e->ret);
        if (e->good < low || e->good >= high) continue;
        e->good = gap_sum_good_from(&q->sum, &from, e->good, e->ret);
        if (e->good == NEVER) return say_empty(q, e);
    }
    return true;
}

/* The oldest value inside and the oldest token, which is pending for ever, belong together for good. */
static void consume_oldest(queue_checker *q) {
    uint32_t i = q->first, t = q->old_tokens ? NONE : q->tokens.first;
    assert(i != NONE && (q->old_tokens || (t != NONE && q->tokens.token[t].pending)));
    uint64_t back = q->item[i].back, taken = 0;
    unlink_inside(q, i);
    word_index_remove(&q->table, word_index_at(&q->table, q->item[i].v));
    free_item(q, i);
    if (t != NONE) {
        taken = q->tokens.token[t].call;
        tokens_remove(&q->tokens, t);
    } else {
        q->old_tokens--;
    }
    gap_sum_change(&q->sum, back, -1);
    gap_sum_change(&q->sum, taken, 1);
    if (back >= taken) return;
    gap_sum_change(&q->sum, back, SURELY);
    gap_sum_change(&q->sum, taken, -SURELY);
}

static uint64_t settle_empties(queue_checker *q, uint64_t to, uint64_t *hold) {
    uint64_t emptied = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < q->empties_n; i++) {
        const empty_take *e = &q->empties[i];
        bool none_inside = q->first == NONE || q->item[q->first].back > e->good;
        if (e->good < to && none_inside) continue;
        if (e->good < to && e->ret <= to) {
            if (e->good > emptied) emptied = e->good;
            continue;
        }
        if (e->good < to && e->call < *hold) *hold = e->call;
        assert(!kept || q->empties[kept - 1].ret < e->ret);
        q->empties[kept++] = *e;
    }
    q->empties_n = kept;
    return emptied;
}

static void settle_rest(queue_checker *q, uint64_t emptied) {
    while (q->first != NONE && (q->item[q->first].back <= emptied || q->item[q->first].deadline < q->sum.base))
        consume_oldest(q);
    uint32_t t;
    while ((t = q->tokens.first) != NONE && q->tokens.token[t].pending && q->tokens.token[t].call < q->sum.base) {
        tokens_remove(&q->tokens, t);
        q->old_tokens++;
    }
}

static inline void settle_past(queue_checker *q) {
    uint32_t t = tokens_oldest(&q->tokens);
    uint64_t live = t != NONE ? q->tokens.token[t].call : q->tick + 1, to = live, emptied = 0;
    if (q->empties_n && live == q->settled_at) return; /* all of them are later, or wait for a later return */
    if (q->empties_n) emptied = settle_empties(q, live, &to);
    assert(to <= live && live <= q->tick + 1);
    q->settled_at = live;
    gap_sum_settle(&q->sum, to);
    assert(q->sum.base <= q->sum.end);
    if (emptied || q->dated || t != q->tokens.first) settle_rest(q, emptied);
}

/* ---- events ---- */

static void give_up(queue_checker *q, const token_client *c) {
    if (c->adds) { /* its value may still come out */
        if (q->item[c->it].taken) free_item(q, c->it);
        else q->item[c->it].orphan = true;
    } else {
        tokens_give_up(&q->tokens, c->it);
        settle_past(q);
    }
}

static void give_up_oldest(queue_checker *q) {
    if (q->head.verdict != VERDICT_LINEARIZABLE) return; /* deadlines may have no tokens any more */
    if (tokens_excuse_oldest(&q->tokens, q->tick)) settle_past(q);
}

static void cannot_judge(queue_checker *q, const char *why) {
    q->head.verdict = VERDICT_UNDECIDED;
    q->why = why;
}

static uint32_t call_add(queue_checker *q, uint64_t v) {
    uint32_t i = new_item(q);
    q->tick++;
    gap_sum_next(&q->sum, 0);
    if (!word_index_add(&q->table, v, i)) {
        cannot_judge(q,
                     "a value is put in again while it may be inside; expected different ones (plumb_tag makes them)");
        return i;
    }
    inside_value *x = &q->item[i];
    x->v = v;
    x->called = q->tick;
    x->back = x->deadline = NEVER;
    x->taken = x->inside = x->orphan = false;
    return i;
}

static uint32_t call_take(queue_checker *q) {
    q->tick++;
    gap_sum_next(&q->sum, -1);
    return tokens_add(&q->tokens, q->tick);
}

static void take_call(checker *head, sketched *op) {
    queue_checker *q = self_of(head);
    assert(op->client < q->tokens.clients);
    if (head->verdict != VERDICT_LINEARIZABLE) return;
    assert(q->tokens.client[op->client].it == NONE); /* a client has one operation open at most */
    assert(q->sum.end == q->tick + 1);               /* a gap for each event, and one before the first */
    bool adds = op->method == q->add_method;
    q->tokens.client[op->client] = (token_client){.adds = adds, .it = adds ? call_add(q, op->arg[0]) : call_take(q)};
    if (!adds && op->nargs)
        cannot_judge(q,
                     "a remove of a particular value; expected removes of anything (the general monitor knows others)");
    if (q->tick >= q->tokens.patience) give_up_oldest(q);
}

static void added(queue_checker *q, uint32_t i) {
    inside_value *x = &q->item[i];
    assert(!x->inside && !x->orphan && x->back == NEVER);
    gap_sum_next(&q->sum, !x->taken);
    if (x->taken) {
        free_item(q, i);
        return;
    }
    x->back = q->tick;
    link_inside(q, i);
    if (q->tokens.first == NONE) settle_past(q);
}

/* For one more passage. The newest one is copied only when it is written over: most of the time another one has come by
 * then. */
static inline span_pair *next_passage(queue_checker *q) {
    span_pair *p = &q->past[q->passages % PASSAGES];
    if (q->newest_at + PASSAGES == q->passages) q->newest_by = *p;
    q->passages++;
    return p;
}

static const span_pair *newest_passage(const queue_checker *q) {
    return q->passages - q->newest_at <= PASSAGES ? &q->past[q->newest_at % PASSAGES] : &q->newest_by;
}

static void newest_is(queue_checker *q, span_pair p) {
    q->newest_by = p;
    q->newest_at = q->passages - PASSAGES - 1;
}

static void set_deadlines(queue_checker *q, const inside_value *y, uint64_t call) {
    if (!q->fifo) return;
    if (y->called > q->newest) {
        q->newest = y->called;
        newest_is(q, (span_pair){{y->v, y->called, y->back}, {y->v, call, q->tick}});
    }
    while (q->undated != NONE && q->item[q->undated].back < q->newest) {
        inside_value *x = &q->item[q->undated];
        assert(x->deadline == NEVER && (x->before == NONE || q->item[x->before].deadline <= q->tick));
        x->deadline = q->tick;
        q->overtaker[q->undated] = *newest_passage(q);
        q->dated++;
        q->undated = x->after;
    }
}

static bool took(queue_checker *q, uint64_t v, uint64_t call) {
    uint64_t at = word_index_at(&q->table, v);
    uint32_t i = q->table.slot[at].number;
    if (i == NONE) {
        show_take(q, (value_span){v, call, q->tick});
        return violation(q, "a value comes out that is not inside: it was never put in, or has been taken before");
    }
    inside_value *x = &q->item[i];
    assert(x->v == v && !x->taken);
    if (x->deadline < call) {
        show_overtaken(q, i);
        show_take(q, (value_span){v, call, q->tick});
        return violation(q, "a value comes out behind one that was put in entirely after it");
    }
    word_index_remove(&q->table, at);
    uint64_t low = call, high = q->sum.end;
    set_deadlines(q, x, call);
    x = &q->item[i];
    if (x->inside) {
        bool surely = x->back < call;
        unlink_inside(q, i);
        gap_sum_change(&q->sum, x->back, (surely ? SURELY : 0) - 1);
        low = surely ? x->back : call;
        high = surely ? call : x->back;
        if (surely) {
            gap_sum_change(&q->sum, call, -SURELY);
            *next_passage(q) = (span_pair){{v, x->called, x->back}, {v, call, q->tick}};
        }
        free_item(q, i);
    } else if (x->orphan) {
        free_item(q, i);
    } else {
        x->taken = true;
    }
    return !q->empties_n || check_empties(q, low, high);
}

static bool found_empty(queue_checker *q, uint64_t call) {
    empty_take e = {.call = call, .ret = q->tick};
    if (!check_empties(q, call, q->sum.end)) return false;
    e.good = gap_sum_good(&q->sum, e.call, e.ret);
    if (e.good == NEVER) return say_empty(q, &e);
    assert(!q->empties_n || q->empties[q->empties_n - 1].ret < e.ret);
    if (q->empties_n == q->empties_room)
        q->empties = MEM_GROW(q->empties, empty_take, q->empties_room = 2 * q->empties_room);
    q->empties[q->empties_n++] = e;
    return true;
}

static void removed(queue_checker *q, uint32_t t, uint64_t v) {
    uint64_t call = q->tokens.token[t].call;
    assert(call < q->tick && !q->tokens.token[t].pending);
    gap_sum_next(&q->sum, 0);
    tokens_remove(&q->tokens, t);
    gap_sum_change(&q->sum, call, 1);
    if (!(result_is_nothing(v) ? found_empty(q, call) : took(q, v, call))) return;
    if (q->dated && !check_deadlines(q)) return;
    settle_past(q);
}

static void never_was(queue_checker *q, const token_client *c) {
    if (!c->adds) {
        uint64_t call = q->tokens.token[c->it].call;
        tokens_remove(&q->tokens, c->it);
        gap_sum_change(&q->sum, call, 1);
        if (check_empties(q, call, q->sum.end) && check_deadlines(q)) settle_past(q);
        return;
    }
    inside_value *x = &q->item[c->it];
    if (x->taken) {
        q->shown.incomplete = true;
        violation(q, "a value came out whose add did not happen");
    } else {
        word_index_remove(&q->table, word_index_at(&q->table, x->v));
    }
    free_item(q, c->it);
}

static void ended_otherwise(queue_checker *q, const token_client *was, sketched *op) {
    gap_sum_next(&q->sum, 0);
    op->late = was->excused;
    if (was->excused) return;
    if (op->outcome == LOG_FAILED) never_was(q, was);
    else if (op->outcome != LOG_RETURNED) give_up(q, was);
    else cannot_judge(q, "an add that was refused; expected that there is always room");
}

static void take_return(checker *head, sketched *op) {
    queue_checker *q = self_of(head);
    token_client *c = &q->tokens.client[op->client], was = *c;
    if (head->verdict != VERDICT_LINEARIZABLE || was.it == NONE) return;
    q->tick++;
    *c = (token_client){.it = NONE};
    bool as_usual = op->outcome == LOG_RETURNED && !was.excused;
    if (as_usual && !was.adds) removed(q, was.it, op->res);
    else if (as_usual && result_is_added(op->res)) added(q, was.it);
    else ended_otherwise(q, &was, op);
    assert(q->sum.end == q->tick + 1 || head->verdict != VERDICT_LINEARIZABLE);
    if (q->tick >= q->tokens.patience) give_up_oldest(q);
}

/* ---- operations that overlap nothing: the same, without a token for a moment ---- */

static bool whole_add(queue_checker *q, uint64_t v) {
    uint32_t i = new_item(q);
    if (!word_index_add(&q->table, v, i)) {
        free_item(q, i);
        return false;
    }
    inside_value *x = &q->item[i];
    x->v = v;
    x->called = q->tick + 1;
    x->back = q->tick + 2;
    x->deadline = NEVER;
    x->taken = x->orphan = false;
    link_inside(q, i);
    q->sum.total++;
    return true;
}

/* The value at the head, unless others were put in entirely before the one that came out last. */
static bool whole_take(queue_checker *q, uint64_t v) {
    uint64_t at = word_index_at(&q->table, v);
    uint32_t i = q->table.slot[at].number;
    if (i == NONE || i != q->first || q->item[i].deadline != NEVER) return false;
    const inside_value *x = &q->item[i];
    assert(x->inside && !q->dated);
    uint64_t newest = x->called > q->newest ? x->called : q->newest;
    if (q->fifo && x->after != NONE && q->item[x->after].back < newest) return false;
    word_index_remove(&q->table, at);
    unlink_inside(q, i);
    q->sum.total--;
    *next_passage(q) = (span_pair){{v, x->called, x->back}, {v, q->tick + 1, q->tick + 2}};
    if (x->called == newest) {
        q->newest = newest;
        q->newest_at = q->passages - 1;
    }
    free_item(q, i);
    return true;
}

/* Nothing is open, and no empty waits for anything: none of what is put in or taken out here changes that. */
static inline bool is_quiet(const queue_checker *q) { return !(q->tokens.open | q->empties_n | q->old_tokens); }

static inline bool whole_quietly(queue_checker *q, bool adds, uint64_t v) {
    if (adds ? !whole_add(q, v) : result_is_nothing(v) ? q->sum.total > 0 : !whole_take(q, v)) return false;
    q->tick += 2;
    gap_sum_settle(&q->sum, q->tick + 1);
    assert(q->sum.end == q->tick + 1 && q->sum.total >= 0);
    return true;
}

static void whole_as_two(queue_checker *q, bool adds, uint64_t v) {
    uint32_t it = adds ? call_add(q, v) : call_take(q);
    if (q->head.verdict != VERDICT_LINEARIZABLE) return;
    q->tick++;
    if (adds) added(q, it);
    else removed(q, it, v);
}

static uint32_t whole(checker *head, const uint64_t *record, uint32_t n) {
    queue_checker *q = self_of(head);
    for (uint32_t k = 0; k < n && head->verdict == VERDICT_LINEARIZABLE; k++, record += 4) {
        bool adds = record_method(record) == q->add_method;
        uint64_t res = log_load(&record[1]);
        if (adds ? !result_is_added(res) : record_nargs(record)) return k;
        uint64_t v = adds ? log_load(&record[0]) : res;
        if (!is_quiet(q) || !whole_quietly(q, adds, v)) whole_as_two(q, adds, v);
        if (q->tick >= q->tokens.patience) give_up_oldest(q);
    }
    return n;
}

static void drop(checker *head, sketched *op) {
    queue_checker *q = self_of(head);
    token_client *c = &q->tokens.client[op->client];
    if (head->verdict != VERDICT_LINEARIZABLE || c->it == NONE) return;
    q->tick++;
    gap_sum_next(&q->sum, 0);
    token_client was = *c;
    *c = (token_client){.it = NONE};
    if (!was.excused) never_was(q, &was);
}

/* ---- what is known ---- */

static verdict settle(checker *head) { return head->verdict; }
static const char *reason(const checker *head) { return look_at(head)->why ? look_at(head)->why : ""; }

static void look(const checker *head, checker_counts *out) {
    const queue_checker *q = look_at(head);
    *out = (checker_counts){.excused = q->tokens.excused,
                            .memory = sizeof *q + q->table.slots * sizeof *q->table.slot +
                                      q->item_room * (sizeof *q->item + sizeof *q->overtaker) +
                                      tokens_memory(&q->tokens) + gap_sum_memory(&q->sum) +
                                      q->empties_room * sizeof *q->empties + values_memory(head->o->values)};
}

static history *evidence(checker *head, object **own) {
    *own = NULL;
    return head->verdict == VERDICT_VIOLATION ? spans_history(&self_of(head)->shown, head->o, own) : NULL;
}

/* ---- making ---- */

#define COPY_ARRAY(to, n) ((to) = mem_copy(to, (n) * sizeof *(to)))

static checker *copy(checker *head, const object *o) {
    queue_checker *from = self_of(head), *q = mem_copy(from, sizeof *from);
    q->head.o = o;
    COPY_ARRAY(q->table.slot, q->table.slots);
    COPY_ARRAY(q->item, q->item_room);
    COPY_ARRAY(q->overtaker, q->item_room);
    tokens_copy(&q->tokens);
    COPY_ARRAY(q->sum.difference, q->sum.room);
    COPY_ARRAY(q->empties, q->empties_room);
    return &q->head;
}

static void free_checker(checker *head) {
    queue_checker *q = self_of(head);
    FREE_ALL(q->table.slot, q->item, q->overtaker);
    tokens_free(&q->tokens);
    gap_sum_free(&q->sum);
    free(q->empties);
    free(q);
}

static const checker_type fast_queue = {.name = "fast-queue", .whole = whole, CHECKER_FUNCTIONS};

bool queue_checker_fits(const object *o) {
    bool container = !strcmp(o->type->name, "queue") || !strcmp(o->type->name, "multiset");
    return container && o->type->method_count == 2 && !o->parameter[0];
}

checker *queue_checker_new(const object *o, uint32_t clients, const checker_options *options) {
    queue_checker *q = MEM_NEW(queue_checker);
    q->head = (checker){.type = &fast_queue, .o = o, .verdict = VERDICT_LINEARIZABLE};
    q->fifo = !strcmp(o->type->name, "queue");
    q->add_method = (o->type->methods[0].role & ROLE_ADDS) ? 0 : 1;
    q->take_method = !q->add_method;
    tokens_init(&q->tokens, clients, options->max_lag);
    word_index_resize(&q->table, 256);
    q->item = MEM_ARRAY(inside_value, q->item_room = 64);
    q->overtaker = MEM_ARRAY(span_pair, q->item_room);
    q->empties = MEM_ARRAY(empty_take, q->empties_room = 16);
    q->unused_item = q->first = q->last = q->undated = NONE;
    gap_sum_init(&q->sum, 1);
    newest_is(q, (span_pair){0});
    return &q->head;
}
