#include "explore/campaign/history_state.h"

#include "base/mem.h"
#include "base/word_table.h"
#include "explore/campaign/sentry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 2 * OPERATIONS_MAX };

typedef struct kept_numbers {
    uint32_t *at;
    uint32_t n, room;
} kept_numbers;

/* A call or a return, and what is so behind it. */
typedef struct passed_event {
    operation op; /* as of this event: without a result at its call */
    bool returns;
    uint32_t set; /* of configurations of its part */
} passed_event;

/* A set of configurations, a configuration and a state of the object are numbers, each kept once: the words of a
 * configuration are the threads whose operations took effect, the state, and their results. */
struct history_state {
    object *o;
    const uint8_t *method_of;
    history_kept what;
    budget unlimited;
    word_table states, configurations, sets;
    passed_event event[EVENTS_MAX]; /* of the last question: most are those of the next one */
    uint32_t events;
    operation open[THREADS_MAX]; /* those that run, of the part in question */
    thread_set runs;
    kept_numbers next, seen;
    state now;
};

/* Results are compared with what the object says they are, so they must mean nothing but themselves. */
static bool has_plain_results(const object_type *t) {
    for (unsigned i = 0; i < t->method_count; i++) {
        const result_kind r = t->methods[i].result;
        if (r == RESULT_MAYBE_BOOL || r == RESULT_MAYBE_INT || r == RESULT_ANY) return false;
    }
    return true;
}

/* The threads of a configuration are the bits of a word. */
static bool fits(const object *o) {
    const object_type *t = o->type;
    return THREADS_MAX <= 32 && !t->part && !t->may_end && !t->together && !t->words && !o->relaxed && !o->extra &&
           !criterion_is_together(&o->criterion) && has_plain_results(t);
}

history_state *history_state_new(object *o, const uint8_t *method_of, history_kept what) {
    history_state *s = MEM_NEW(history_state);
    s->o = o;
    s->method_of = method_of;
    s->what = what == KEPT_CONFIGURATIONS && !fits(o) ? KEPT_ORDER : what;
    budget_init(&s->unlimited, 0, 0);
    word_table_init(&s->states, &s->unlimited);
    word_table_init(&s->configurations, &s->unlimited);
    word_table_init(&s->sets, &s->unlimited);
    return s;
}

void history_state_free(history_state *s) {
    if (!s) return;
    word_table_free(&s->states);
    word_table_free(&s->configurations);
    word_table_free(&s->sets);
    state_free(&s->now);
    FREE_ALL(s->next.at, s->seen.at, s);
}

/* ---- configurations ---- */

static bool put(kept_numbers *l, uint32_t number) {
    for (uint32_t i = 0; i < l->n; i++)
        if (l->at[i] == number) return false;
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 16;
        l->at = MEM_GROW(l->at, uint32_t, l->room);
    }
    l->at[l->n++] = number;
    return true;
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t set_number(history_state *s, kept_numbers *l) {
    if (l->n) qsort(l->at, l->n, sizeof *l->at, by_number);
    static const uint32_t none;
    return word_table_number(&s->sets, l->n ? l->at : &none, l->n);
}

typedef struct open_configuration {
    thread_set effective;
    uint32_t state;
    value result[THREADS_MAX]; /* of the effective ones, by thread */
} open_configuration;

static open_configuration configuration_at(const history_state *s, uint32_t number) {
    open_configuration c = {0};
    uint32_t n;
    const uint32_t *w = word_table_words(&s->configurations, number, &n);
    c.effective = w[0];
    c.state = w[1];
    uint32_t at = 2;
    for (thread_set left = c.effective; left; left &= left - 1) c.result[thread_lowest(left)] = w[at++];
    assert(at == n);
    return c;
}

static uint32_t configuration_number(history_state *s, const open_configuration *c) {
    uint32_t words[2 + THREADS_MAX] = {(uint32_t)c->effective, c->state}, n = 2;
    for (thread_set left = c->effective; left; left &= left - 1) words[n++] = c->result[thread_lowest(left)];
    return word_table_number(&s->configurations, words, n);
}

static uint32_t state_number(history_state *s) { return word_table_number(&s->states, s->now.w, s->now.n); }

static uint32_t first_set(history_state *s) {
    s->now.n = 0;
    s->o->type->init(s->o, &s->now);
    const open_configuration c = {.state = state_number(s)};
    s->next.n = 0;
    put(&s->next, configuration_number(s, &c));
    return set_number(s, &s->next);
}

static void reach(history_state *s, const open_configuration *from, unsigned until, value result);

/* An operation that goes on running takes effect with any result that the object allows. */
static void take_effect(history_state *s, const open_configuration *from, unsigned t, unsigned until, value result) {
    step_result r = STEP_LEGAL_MORE;
    operation op = s->open[t];
    op.res = t == until ? result : VALUE_UNKNOWN;
    op.ret = t == until ? 1 : RANK_NEVER;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        uint32_t n;
        value given = VALUE_UNKNOWN;
        const uint32_t *w = word_table_words(&s->states, from->state, &n);
        state_set(&s->now, w, n);
        r = s->o->type->step(s->o, &s->now, &op, choice, &given);
        if (r == STEP_ILLEGAL) return;
        open_configuration to = *from;
        to.effective |= thread_bit(t);
        to.result[t] = t == until ? result : given;
        to.state = state_number(s);
        reach(s, &to, until, result);
    }
}

/* Every configuration in which that thread's operation has taken effect with its result, as late as can be. */
static void reach(history_state *s, const open_configuration *from, unsigned until, value result) {
    if (from->effective >> until & 1) {
        open_configuration to = *from;
        if (to.result[until] != result) return;
        to.effective &= ~thread_bit(until);
        put(&s->next, configuration_number(s, &to));
        return;
    }
    if (!put(&s->seen, configuration_number(s, from))) return;
    for (thread_set left = s->runs & ~from->effective; left; left &= left - 1)
        take_effect(s, from, thread_lowest(left), until, result);
}

static uint32_t set_behind_return(history_state *s, uint32_t set, unsigned thread, value result) {
    uint32_t n;
    kept_numbers now = {0};
    const uint32_t *w = word_table_words(&s->sets, set, &n);
    for (uint32_t i = 0; i < n; i++) put(&now, w[i]);
    s->next.n = s->seen.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        const open_configuration c = configuration_at(s, now.at[i]);
        reach(s, &c, thread, result);
    }
    free(now.at);
    return set_number(s, &s->next);
}

/* ---- parts ---- */

static bool same_part(const object_type *t, const operation *a, const operation *b) {
    return a->key == b->key && (!t->parts_by_arg || a->arg[0] == b->arg[0]);
}

/* The set of the part before event e, and what runs of it then. */
static uint32_t set_before(history_state *s, uint32_t e) {
    const operation *op = &s->event[e].op;
    const passed_event *last = NULL;
    s->runs = 0;
    for (const passed_event *p = s->event; p < s->event + e; p++) {
        if (!same_part(s->o->type, &p->op, op)) continue;
        last = p;
        const thread_set bit = thread_bit(p->op.client);
        s->runs = p->returns ? s->runs & ~bit : s->runs | bit;
        s->open[p->op.client] = p->op;
    }
    return last ? last->set : first_set(s);
}

static void event_pass(history_state *s, uint32_t e) {
    passed_event *p = &s->event[e];
    const uint32_t before = set_before(s, e);
    p->set = p->returns ? set_behind_return(s, before, p->op.client, p->op.res) : before;
}

/* ---- the events of an execution so far ---- */

static bool event_make(history_state *s, const world *w, uint32_t i, bool returns, passed_event *out) {
    explored_operation o = w->ops[i];
    o.returned = returns;
    out->returns = returns;
    out->set = 0;
    return explored_bind(s->o, s->method_of, w->values, &o, 0, &out->op);
}

static bool same_event(const passed_event *a, const passed_event *b) {
    return a->returns == b->returns && a->op.client == b->op.client && a->op.method == b->op.method &&
           a->op.res == b->op.res && a->op.key == b->op.key && !memcmp(a->op.arg, b->op.arg, sizeof a->op.arg);
}

/* A world may know of an operation before its first step. */
static bool is_called(const explored_operation *o) { return o->call_at != UINT32_MAX; }

/* By their places among all calls and returns: 2 * i, or 2 * i + 1 of a return. */
static uint32_t events_in_order(const world *w, uint16_t *order) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->op_count; i++) {
        const explored_operation *o = &w->ops[i];
        if (!is_called(o)) continue;
        order[o->call_at] = (uint16_t)(2 * i);
        if (o->returned) order[o->return_at] = (uint16_t)(2 * i + 1);
        n += 1u + o->returned;
    }
    assert(n <= EVENTS_MAX);
    return n;
}

/* An operation that an exception left never returns, and its thread goes on. */
static bool one_runs_in_each(const world *w) {
    thread_set open = 0, twice = 0;
    for (const explored_operation *o = w->ops; o < w->ops + w->op_count; o++) {
        twice |= open & thread_bit(o->thread);
        if (!o->returned) open |= thread_bit(o->thread);
    }
    return !twice;
}

/* False: a result that the object cannot have, or operations that configurations have no place for. */
static bool events_take(history_state *s, const world *w) {
    uint16_t order[EVENTS_MAX];
    const uint32_t n = events_in_order(w, order);
    bool same = true;
    if (!one_runs_in_each(w)) return false;
    if (s->o->values != w->values) object_use_values(s->o, w->values);
    for (uint32_t e = 0; e < n; e++) {
        passed_event p;
        if (!event_make(s, w, order[e] / 2u, order[e] & 1, &p)) return false;
        same = same && e < s->events && same_event(&p, &s->event[e]);
        if (same) continue;
        s->event[e] = p;
        s->events = e;
        event_pass(s, e);
        s->events = e + 1;
    }
    s->events = n;
    return true;
}

/* ---- as numbers ---- */

/* The last event of each part has its set; that no event of a part has come says nothing. */
static bool is_last_of_part(const history_state *s, uint32_t e) {
    for (uint32_t i = e + 1; i < s->events; i++)
        if (same_part(s->o->type, &s->event[e].op, &s->event[i].op)) return false;
    return true;
}

static void add_to(hash128 *sum, hash128 h) {
    h = hash128_done(&h);
    sum->low += h.low;
    sum->high += h.high;
}

static hash128 configurations_hash(history_state *s) {
    hash128 sum = {s->events != 0, 0};
    for (uint32_t e = 0; e < s->events; e++) {
        const passed_event *p = &s->event[e];
        if (!is_last_of_part(s, e)) continue;
        hash128 h = {p->op.key, s->o->type->parts_by_arg ? p->op.arg[0] : 0};
        hash128_words(&h, p->set, 1);
        add_to(&sum, h);
    }
    return sum;
}

static void operation_hash(hash128 *h, const world *w, const explored_operation *o) {
    hash128_words(h, o->method, o->nargs);
    for (unsigned a = 0; a < o->nargs; a++) hash128_words(h, (uint64_t)o->arg[a], a);
    uint8_t before[THREADS_MAX] = {0}; /* operations of each thread that had returned when it was called */
    for (const explored_operation *other = w->ops; other < w->ops + w->op_count; other++)
        before[other->thread] = (uint8_t)(before[other->thread] + (other->returned && other->return_at < o->call_at));
    hash128_bytes(h, before, sizeof before);
    hash128_words(h, o->returned, o->returned ? o->result : 0);
}

/* Of each thread its operations in their order; threads may come in any. */
static hash128 order_hash(const world *w) {
    hash128 thread[THREADS_MAX] = {0}, sum = {0};
    for (const explored_operation *o = w->ops; o < w->ops + w->op_count; o++)
        if (is_called(o)) operation_hash(&thread[o->thread], w, o);
    for (unsigned t = 0; t < w->threads; t++) {
        hash128_words(&thread[t], t, 1);
        add_to(&sum, thread[t]);
    }
    return sum;
}

static hash128 events_hash(const world *w) {
    hash128 h = {0};
    for (uint32_t i = 0; i < w->op_count; i++) {
        const explored_operation *o = &w->ops[i];
        operation_hash(&h, w, o);
        hash128_words(&h, o->thread, o->call_at);
        hash128_words(&h, o->return_at, o->marks);
        if (o->marks) hash128_words(&h, o->marked_after, o->marked_as);
    }
    return h;
}

hash128 history_state_hash(void *self, const world *w) {
    history_state *s = self;
    if (s->what == KEPT_EVENTS) return events_hash(w);
    if (s->what == KEPT_ORDER || !events_take(s, w)) return order_hash(w);
    return configurations_hash(s);
}

bool history_state_refutes(history_state *s, const world *w, bool *says) {
    *says = s->what == KEPT_CONFIGURATIONS && events_take(s, w);
    for (uint32_t e = 0; *says && e < s->events; e++) {
        uint32_t n;
        word_table_words(&s->sets, s->event[e].set, &n);
        if (!n) return true;
    }
    return false;
}
