/* Stack, fast: one sweep over the events (stack_sweep.h) on words instead of values. Pops that are open are tokens:
 * each may have taken one of the values inside. Before the call of the oldest of them everything is final and is swept
 * once.
 *
 * What comes after is decided when it is asked for (`settle`): first as if tokens took nothing; if that does not fit,
 * guesses are made, token by token, until it fits, or until there are no more (a violation), or until they cost too
 * much (undecided for now: the tokens will return). A taken value and an earlier token only ever uncover gaps, so a
 * failure is mended by a guess about a value that covers where it failed, or not at all. Guesses stay until they are
 * contradicted.
 *
 * A pop that is pending for ever is a token for ever. When it is left behind, its guess is final, or it becomes a token
 * that was called later than it was: then an order that is found is still an order, but one that is not found may
 * exist, and nothing is called a violation for want of one. */
#include "runtime/spans.h"
#include "runtime/stack_sweep.h"
#include "runtime/tokens.h"

#include <assert.h>
#include <string.h>

#define NONE NUMBER_NONE
#define NEVER STACK_NEVER

enum {
    SETTLE_EVERY = 1024,
    HELD = 256,
    MOST_FLOATING = 64,
    MOST_HELD = 1 << 22,
    MOST_CANDIDATES = 64,
    MOST_TRIALS = 256,
    MOST_WORK = 1 << 16,
    PASSAGES = 64
};

typedef struct stack_checker {
    checker head;
    stack_sweep s;
    word_index table; /* values that may come out */
    uint64_t tick, settled;
    take_tokens tokens;
    uint32_t guesses;
    uint32_t bad_group; /* where it does not fit; NONE: at the step that comes next */
    uint32_t trials;
    uint64_t work_limit;
    bool inexact; /* see above */
    uint8_t add_method;
    span_pair past[PASSAGES];
    uint64_t passages;
    spans shown;
    const char *why, *doubt; /* doubt: for now */
} stack_checker;

static stack_checker *self_of(checker *c) { return (stack_checker *)(void *)c; }
static const stack_checker *look_at(const checker *c) { return (const stack_checker *)(const void *)c; }

/* ---- tokens ---- */

static void set_token(stack_checker *q, uint32_t t) {
    q->tokens.token[t].at = stack_sweep_append(&q->s, (sweep_step){.time = q->tick});
}

static void set_step(stack_checker *q, uint64_t at, uint32_t kind, uint32_t item) {
    sweep_step *e = stack_sweep_step(&q->s, at);
    assert(at >= q->s.firm && at < q->s.end); /* firm steps are final */
    e->kind = kind;
    e->item = item;
}

static void guess(stack_checker *q, uint32_t t, uint32_t item) {
    take_token *x = &q->tokens.token[t];
    assert(x->guess == NONE && q->guesses < q->tokens.open);
    assert(q->s.item[item].taker == NONE && q->s.item[item].pop_call == NEVER);
    stack_sweep_back(&q->s, x->at);
    x->guess = item;
    q->s.item[item].taker = t;
    q->s.item[item].pop_call = x->call;
    set_step(q, x->at, STEP_POP, item);
    q->guesses++;
}

static void take_back_guess(stack_checker *q, uint32_t t) {
    take_token *x = &q->tokens.token[t];
    if (x->guess == NONE) return;
    assert(q->guesses > 0 && q->s.item[x->guess].taker == t);
    stack_sweep_back(&q->s, x->at);
    q->s.item[x->guess].taker = NONE;
    q->s.item[x->guess].pop_call = NEVER;
    x->guess = NONE;
    set_step(q, x->at, STEP_NOTHING, 0);
    q->guesses--;
}

/* ---- what is found ---- */

static void cannot_judge(stack_checker *q, const char *why) {
    q->head.verdict = VERDICT_UNDECIDED;
    q->why = why;
}

static void violation(stack_checker *q, const char *why) {
    assert(q->head.verdict == VERDICT_LINEARIZABLE);
    q->head.verdict = VERDICT_VIOLATION;
    q->why = why;
}

static void show_value(stack_checker *q, const stacked *x) {
    spans_add(&q->shown, (value_span){x->v, x->push_call, x->push_ret});
    if (x->pop_call != NEVER && x->taker == NONE && !x->guessed)
        spans_take(&q->shown, (value_span){x->v, x->pop_call, x->pop_ret});
}

static void show_group(stack_checker *q, const stack_group *g) {
    uint32_t v = g->first_begun;
    for (uint32_t k = 0; k < g->size; k++, v = q->s.item[v].next_begun) show_value(q, &q->s.item[v]);
}

static void show_empty(stack_checker *q, const sweep_step *e) {
    spans_take(&q->shown, (value_span){PLUMB_WORD_EMPTY, e->time, e->time + e->item});
}

static void show_past(stack_checker *q) {
    for (uint64_t i = q->passages > PASSAGES ? q->passages - PASSAGES : 0; i < q->passages; i++) {
        spans_add(&q->shown, q->past[i % PASSAGES].add);
        spans_take(&q->shown, q->past[i % PASSAGES].take);
    }
}

/* Where no token could have helped. An empty: one value that was inside all the time, or whatever was. */
static void show_place(stack_checker *q) {
    const sweep_step *e = stack_sweep_step(&q->s, q->s.swept);
    if (q->bad_group != NONE) show_group(q, &q->s.group[q->bad_group]);
    else if (e->kind != STEP_EMPTY) show_group(q, &q->s.group[q->s.groups - 1]);
    else {
        const stack_group *lowest = &q->s.group[0];
        if (lowest->live < lowest->size || lowest->base > e->time) show_past(q);
        show_group(q, lowest);
        for (uint32_t i = 1; q->shown.takes && i < q->s.groups; i++) show_group(q, &q->s.group[i]);
        show_empty(q, e);
    }
}

/* What tokens can have taken: values in the middle, that nothing crosses, are of no use. */
static void show_all(stack_checker *q) {
    stack_sweep *s = &q->s;
    stack_sweep_back(s, s->firm);
    for (uint32_t i = 0; i < s->groups; i++)
        if (s->group[i].size > 1 || i <= q->tokens.open || i + SPANS / 4 > s->groups) show_group(q, &s->group[i]);
    for (uint64_t at = s->firm; at < s->end; at++) {
        const sweep_step *e = stack_sweep_step(s, at);
        if (e->kind == STEP_EMPTY) show_empty(q, e);
        else if (e->kind != STEP_NOTHING) show_value(q, &s->item[e->item]);
    }
    show_past(q);
    for (uint32_t t = q->tokens.first; t != NONE; t = q->tokens.token[t].after)
        spans_take(&q->shown, (value_span){PLUMB_WORD_NONE, q->tokens.token[t].call, NEVER});
}

static void say_no(stack_checker *q) {
    if (q->inexact) {
        cannot_judge(q, "what operations did that never returned matters, and is not known any more");
        return;
    }
    violation(q, "the values come out in an order that no stack allows");
}

/* ---- guessing ---- */

typedef enum attempt { FITS, DOES_NOT_FIT, TOO_MUCH } attempt;

static bool fits_now(stack_checker *q) {
    q->bad_group = NONE;
    return stack_sweep_to(&q->s, q->s.end) && stack_sweep_groups_fit(&q->s, &q->bad_group);
}

static uint32_t live_of(const stack_checker *q, const stack_group *g, uint32_t *to, uint32_t n) {
    uint32_t v = g->first_begun;
    for (uint32_t k = 0; k < g->size; k++, v = q->s.item[v].next_begun)
        if (q->s.item[v].pop_call == NEVER && n < MOST_CANDIDATES + 1) to[n++] = v;
    return n;
}

/* Values that some token may have taken so that it fits where it does not. Of those that are inside all the time an
 * empty needs that each one was taken. A block that has ended holds none. */
static uint32_t candidates(const stack_checker *q, uint32_t *to) {
    uint32_t n = 0;
    if (q->bad_group != NONE) return live_of(q, &q->s.group[q->bad_group], to, 0);
    if (stack_sweep_step(&q->s, q->s.swept)->kind != STEP_EMPTY) return 0;
    for (uint32_t i = 0; i < q->s.groups && n <= MOST_CANDIDATES; i++) n = live_of(q, &q->s.group[i], to, n);
    uint64_t call = stack_sweep_step(&q->s, q->s.swept)->time;
    uint32_t must = 0;
    assert(q->guesses <= q->tokens.open);
    for (uint32_t i = 0; i < n; i++) must += q->s.item[to[i]].push_ret < call;
    return must > q->tokens.open - q->guesses ? 0 : n;
}

static attempt find_guesses(stack_checker *q) {
    uint32_t candidate[MOST_CANDIDATES + 1];
    if (fits_now(q)) return FITS;
    if (q->guesses == q->tokens.open) return DOES_NOT_FIT;
    if (++q->trials > MOST_TRIALS || q->s.work > q->work_limit) return TOO_MUCH;
    uint32_t n = candidates(q, candidate);
    attempt found = n > MOST_CANDIDATES ? TOO_MUCH : DOES_NOT_FIT;
    uint64_t failed_at = q->bad_group == NONE ? q->s.swept : q->s.end;
    while (n-- > 0 && found != FITS)
        for (uint32_t t = q->tokens.first; t != NONE && q->tokens.token[t].at < failed_at;
             t = q->tokens.token[t].after) {
            if (q->tokens.token[t].guess != NONE) continue;
            guess(q, t, candidate[n]);
            attempt deeper = find_guesses(q);
            if (deeper == FITS) return FITS;
            take_back_guess(q, t);
            if (deeper == TOO_MUCH) found = TOO_MUCH;
            if (q->trials > MOST_TRIALS) return TOO_MUCH;
        }
    return found;
}

/* With the guesses there are, and then without. */
static attempt try_tokens(stack_checker *q) {
    q->trials = 0;
    q->work_limit = q->s.work + MOST_WORK;
    bool guessed = q->guesses > 0;
    attempt a = find_guesses(q);
    if (a != DOES_NOT_FIT || !guessed) return a;
    for (uint32_t t = q->tokens.first; t != NONE; t = q->tokens.token[t].after) take_back_guess(q, t);
    return find_guesses(q);
}

/* ---- what is final ---- */

static uint64_t oldest_open(const stack_checker *q) {
    uint32_t t = tokens_oldest(&q->tokens);
    return t == NONE ? q->s.end : q->tokens.token[t].at;
}

/* Without tokens that are pending for ever: what is before the oldest open pop fits as it is, or never. */
static bool advance(stack_checker *q) {
    uint64_t to = oldest_open(q);
    if (q->tokens.pending) return true;
    stack_sweep_firm(&q->s, to);
    if (q->s.swept >= to || stack_sweep_to(&q->s, to)) return true;
    q->bad_group = NONE;
    show_place(q);
    say_no(q);
    return false;
}

static void fail(stack_checker *q) {
    for (uint32_t t = q->tokens.first; t != NONE; t = q->tokens.token[t].after) take_back_guess(q, t);
    if (q->tokens.open) {
        show_all(q);
    } else {
        fits_now(q);
        show_place(q);
    }
    say_no(q);
}

static void leave_token_behind(stack_checker *q, uint32_t t) {
    take_token *x = &q->tokens.token[t];
    assert(x->pending && x->at >= q->s.firm);
    q->inexact = true;
    if (x->guess != NONE) {
        stacked *v = &q->s.item[x->guess];
        v->taker = NONE;
        v->guessed = true;
        q->guesses--;
        tokens_remove(&q->tokens, t);
    } else if (q->tokens.pending > MOST_FLOATING) {
        tokens_remove(&q->tokens, t);
    } else {
        tokens_unlink(&q->tokens, t);
        q->tick++;
        tokens_append(&q->tokens, t, q->tick);
        set_token(q, t);
    }
}

/* Everything fits as it is guessed. Some way is kept, so that what the tokens took can be guessed again. */
static void leave_behind(stack_checker *q) {
    uint64_t to = oldest_open(q);
    if (!q->tokens.pending || to < q->s.firm + HELD) return;
    for (uint32_t t = q->tokens.first, next; t != NONE && q->tokens.token[t].at < to; t = next) {
        next = q->tokens.token[t].after;
        leave_token_behind(q, t);
    }
    stack_sweep_firm(&q->s, to);
}

static void decide_now(stack_checker *q) {
    assert(q->head.verdict == VERDICT_LINEARIZABLE && q->settled <= q->tick);
    q->doubt = NULL;
    if (!advance(q)) return;
    attempt a = fits_now(q) ? FITS : try_tokens(q);
    if (a == FITS) leave_behind(q);
    else if (a == DOES_NOT_FIT) fail(q);
    else q->doubt = "what the open pops took takes too long to find out";
    if (q->s.end - q->s.firm > MOST_HELD) cannot_judge(q, "too many events have to be kept");
    q->settled = q->tick;
}

static verdict settle(checker *head) {
    stack_checker *q = self_of(head);
    if (head->verdict == VERDICT_LINEARIZABLE && q->settled != q->tick) decide_now(q);
    return head->verdict == VERDICT_LINEARIZABLE && q->doubt ? VERDICT_UNDECIDED : head->verdict;
}

/* ---- events ---- */

static void give_up(stack_checker *q, const token_client *c) {
    if (c->adds) { /* its value may still come out */
        if (q->s.item[c->it].pop_ret != NEVER) stack_sweep_forget(&q->s, c->it);
        else q->s.item[c->it].orphan = true;
    } else {
        tokens_give_up(&q->tokens, c->it);
    }
}

static void next_event(stack_checker *q) {
    if (++q->tick >= q->tokens.patience) tokens_excuse_oldest(&q->tokens, q->tick);
}

static void take_call(checker *head, sketched *op) {
    stack_checker *q = self_of(head);
    token_client *c = &q->tokens.client[op->client];
    assert(op->client < q->tokens.clients);
    if (head->verdict != VERDICT_LINEARIZABLE) return;
    assert(c->it == NONE); /* a client has one operation open at most */
    next_event(q);
    *c = (token_client){.adds = op->method == q->add_method, .it = NONE};
    if (!c->adds) {
        c->it = tokens_add(&q->tokens, q->tick);
        set_token(q, c->it);
        return;
    }
    c->it = stack_sweep_item(&q->s, op->arg[0], q->tick);
    if (!word_index_add(&q->table, op->arg[0], c->it))
        cannot_judge(q,
                     "a value is put in again while it may be inside; expected different ones (plumb_tag makes them)");
}

static void pushed(stack_checker *q, uint32_t i) {
    stacked *x = &q->s.item[i];
    if (x->pop_ret != NEVER) {
        stack_sweep_forget(&q->s, i);
        return;
    }
    assert(x->push_ret == NEVER && x->push_call < q->tick && !x->orphan);
    x->push_ret = q->tick;
    x->pushed_at = stack_sweep_append(&q->s, (sweep_step){.time = q->tick, .item = i, .kind = STEP_PUSHED});
}

static void remember_passage(stack_checker *q, const stacked *x) {
    q->past[q->passages++ % PASSAGES] = (span_pair){{x->v, x->push_call, x->push_ret}, {x->v, x->pop_call, x->pop_ret}};
}

/* Never inside for sure. */
static void passed_through(stack_checker *q, uint32_t i) {
    stacked *x = &q->s.item[i];
    if (x->push_ret != NEVER) set_step(q, x->pushed_at, STEP_NOTHING, 0);
    if (x->push_ret != NEVER || x->orphan) stack_sweep_forget(&q->s, i);
}

static void popped(stack_checker *q, uint32_t t, uint64_t v) {
    uint64_t at = word_index_at(&q->table, v), call = q->tokens.token[t].call, place = q->tokens.token[t].at;
    uint32_t i = q->table.slot[at].number;
    if (i == NONE) {
        spans_take(&q->shown, (value_span){v, call, q->tick});
        violation(q, "a value comes out that is not inside: it was never put in, or has been taken before");
        return;
    }
    stacked *x = &q->s.item[i];
    assert(x->v == v && x->pop_ret == NEVER && !q->tokens.token[t].pending);
    if (x->guessed) {
        cannot_judge(q, "an operation that never returned did something else than was guessed");
        return;
    }
    word_index_remove(&q->table, at);
    bool as_guessed = x->taker == t;
    if (as_guessed) {
        x->taker = NONE;
        q->guesses--;
    } else {
        take_back_guess(q, t);
        if (x->taker != NONE) take_back_guess(q, x->taker);
        stack_sweep_back(&q->s, place);
    }
    assert(x->taker == NONE && q->tokens.token[t].guess == (as_guessed ? i : NONE));
    tokens_remove(&q->tokens, t);
    x->pop_call = call;
    x->pop_ret = q->tick;
    remember_passage(q, x);
    set_step(q, place, x->push_ret < call ? STEP_POP : STEP_NOTHING, i);
    if (x->push_ret > call) passed_through(q, i);
}

static void found_empty(stack_checker *q, uint32_t t) {
    take_back_guess(q, t);
    stack_sweep_append(&q->s, (sweep_step){.time = q->tokens.token[t].call,
                                           .item = (uint32_t)(q->tick - q->tokens.token[t].call),
                                           .kind = STEP_EMPTY});
    tokens_remove(&q->tokens, t);
}

static void never_was(stack_checker *q, const token_client *c) {
    if (!c->adds) {
        take_back_guess(q, c->it);
        tokens_remove(&q->tokens, c->it);
        return;
    }
    stacked *x = &q->s.item[c->it];
    if (x->pop_ret != NEVER) {
        q->shown.incomplete = true;
        violation(q, "a value came out whose add did not happen");
        return;
    }
    word_index_remove(&q->table, word_index_at(&q->table, x->v));
    stack_sweep_forget(&q->s, c->it);
}

static void end_event(stack_checker *q) {
    if (q->head.verdict != VERDICT_LINEARIZABLE) return;
    if (q->tick - q->settled > SETTLE_EVERY) decide_now(q);
    else advance(q);
}

static bool end_call(stack_checker *q, sketched *op, token_client *was) {
    token_client *c = &q->tokens.client[op->client];
    if (q->head.verdict != VERDICT_LINEARIZABLE || c->it == NONE) return false;
    next_event(q);
    *was = *c;
    c->it = NONE;
    c->excused = false;
    op->late = was->excused;
    return !was->excused;
}

static void take_return(checker *head, sketched *op) {
    stack_checker *q = self_of(head);
    token_client was;
    if (!end_call(q, op, &was)) return;
    if (op->outcome == LOG_FAILED) never_was(q, &was);
    else if (op->outcome != LOG_RETURNED) give_up(q, &was);
    else if (was.adds && !result_is_added(op->res))
        cannot_judge(q, "an add that was refused; expected that there is always room");
    else if (was.adds) pushed(q, was.it);
    else if (result_is_nothing(op->res)) found_empty(q, was.it);
    else popped(q, was.it, op->res);
    end_event(q);
}

/* An operation that overlaps nothing. */
static bool whole_push(stack_checker *q, uint64_t v) {
    uint32_t i = stack_sweep_item(&q->s, v, q->tick + 1);
    if (!word_index_add(&q->table, v, i)) {
        stack_sweep_forget(&q->s, i);
        return false;
    }
    q->s.item[i].push_ret = q->tick + 2;
    stack_sweep_push(&q->s, i);
    return true;
}

static bool whole_pop(stack_checker *q, uint64_t v) {
    uint64_t at = word_index_at(&q->table, v);
    uint32_t i = q->table.slot[at].number;
    if (i == NONE || !stack_sweep_pop(&q->s, i)) return false;
    const stacked *x = &q->s.item[i];
    q->past[q->passages++ % PASSAGES] = (span_pair){{v, x->push_call, x->push_ret}, {v, q->tick + 1, q->tick + 2}};
    word_index_remove(&q->table, at);
    return true;
}

static inline bool whole_one(stack_checker *q, const uint64_t *record) {
    uint64_t v = log_load(&record[0]), res = log_load(&record[1]);
    if (q->s.swept != q->s.end) return false;
    if (record_method(record) == q->add_method) return result_is_added(res) && whole_push(q, v);
    if (result_is_nothing(res)) return !q->s.groups;
    return whole_pop(q, res);
}

static uint32_t whole(checker *head, const uint64_t *record, uint32_t n) {
    stack_checker *q = self_of(head);
    if (head->verdict != VERDICT_LINEARIZABLE) return n;
    if (q->tokens.open) return 0;
    for (uint32_t k = 0; k < n; k++, record += 4) {
        if (!whole_one(q, record)) return k;
        if (q->settled == q->tick) q->settled += 2;
        q->tick += 2;
        if (q->tick >= q->tokens.patience) tokens_excuse_oldest(&q->tokens, q->tick);
    }
    return n;
}

static void drop(checker *head, sketched *op) {
    stack_checker *q = self_of(head);
    token_client was;
    if (!end_call(q, op, &was)) return;
    never_was(q, &was);
    end_event(q);
}

/* ---- what is known ---- */

static const char *reason(const checker *head) {
    const stack_checker *q = look_at(head);
    return q->why ? q->why : q->doubt ? q->doubt : "";
}

static void look(const checker *head, checker_counts *out) {
    const stack_checker *q = look_at(head);
    *out = (checker_counts){.excused = q->tokens.excused,
                            .memory = sizeof *q + q->table.slots * sizeof *q->table.slot + stack_sweep_memory(&q->s) +
                                      tokens_memory(&q->tokens) + values_memory(head->o->values)};
}

static history *evidence(checker *head, object **own) {
    *own = NULL;
    return head->verdict == VERDICT_VIOLATION ? spans_history(&self_of(head)->shown, head->o, own) : NULL;
}

/* ---- making ---- */

static checker *copy(checker *head, const object *o) {
    stack_checker *from = self_of(head), *q = mem_copy(from, sizeof *from);
    q->head.o = o;
    q->table.slot = mem_copy(q->table.slot, q->table.slots * sizeof *q->table.slot);
    tokens_copy(&q->tokens);
    stack_sweep_copy(&q->s);
    return &q->head;
}

static void free_checker(checker *head) {
    stack_checker *q = self_of(head);
    stack_sweep_free(&q->s);
    free(q->table.slot);
    tokens_free(&q->tokens);
    free(q);
}

static const checker_type fast_stack = {.name = "fast-stack", .whole = whole, CHECKER_FUNCTIONS};

bool stack_checker_fits(const object *o) { return !strcmp(o->type->name, "stack") && !o->parameter[0]; }

checker *stack_checker_new(const object *o, uint32_t clients, const checker_options *options) {
    stack_checker *q = MEM_NEW(stack_checker);
    q->head = (checker){.type = &fast_stack, .o = o, .verdict = VERDICT_LINEARIZABLE};
    q->add_method = (o->type->methods[0].role & ROLE_ADDS) ? 0 : 1;
    tokens_init(&q->tokens, clients, options->max_lag);
    stack_sweep_init(&q->s);
    word_index_resize(&q->table, 256);
    return &q->head;
}
