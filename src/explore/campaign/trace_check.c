/* The search of docs/EXPLORER.md, "one check for each trace".
 *
 * More order means fewer linearizations, so only those interleavings matter in which returns come as early and calls as
 * late as the trace allows: while a return needs nothing more it is made at once; else the search branches on which
 * return comes next, and makes only the calls that it needs. Along the way it carries all configurations (which
 * operations have taken effect, in which state): when none is left, the calls and returns made so far are a
 * violation. */
#include "explore/campaign/trace_check.h"

#include "base/mem.h"
#include "base/word_table.h"
#include "explore/campaign/boundary.h"
#include "explore/campaign/quick_signature.h"
#include "explore/campaign/sentry.h"
#include "explore/model/event_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t trace_configuration; /* operations that took effect << 32 | number of the state */

typedef struct configuration_list {
    trace_configuration *c;
    uint32_t n, room;
} configuration_list;

struct trace_check {
    object *o;
    const uint8_t *method_of;
    budget unlimited;
    word_table signatures, states, visited;
    uint8_t *verdict; /* of each signature */
    uint32_t decided; /* signatures that have one */
    uint32_t verdict_room;
    quick_signatures *quick;
    /* of the trace that is being decided */
    boundary b;
    operation op[BOUNDARY_OPERATIONS];
    uint64_t events; /* of the part */
    state now;
    configuration_list level[BOUNDARY_OPERATIONS + 1], seen;
    uint32_t *words;
    uint32_t word_room;
    uint8_t order[2 * BOUNDARY_OPERATIONS];
    uint32_t ordered;
    bool by_happens_before;
};

void trace_check_by_happens_before(trace_check *c) { c->by_happens_before = true; }

trace_check *trace_check_new(object *o, const uint8_t *method_of_operation) {
    trace_check *c = MEM_NEW(trace_check);
    c->o = o;
    c->method_of = method_of_operation;
    budget_init(&c->unlimited, 0, 0);
    word_table_init(&c->signatures, &c->unlimited);
    c->quick = quick_signatures_new();
    word_table_init(&c->states, &c->unlimited);
    word_table_init(&c->visited, &c->unlimited);
    return c;
}

void trace_check_free(trace_check *c) {
    if (!c) return;
    word_table_free(&c->signatures);
    quick_signatures_free(c->quick);
    word_table_free(&c->states);
    word_table_free(&c->visited);
    for (unsigned i = 0; i <= BOUNDARY_OPERATIONS; i++) free(c->level[i].c);
    FREE_ALL(c->seen.c, c->verdict, c->words);
    state_free(&c->now);
    free(c);
}

uint64_t trace_check_signatures(const trace_check *c) { return c->signatures.count; }

uint64_t trace_check_newest(const trace_check *c) {
    uint32_t n;
    const uint32_t *w = word_table_words(&c->signatures, c->signatures.count - 1, &n);
    return hash_pair(hash_words(w, n), hash_bytes(w, n * sizeof *w));
}

/* ---- sets of configurations ---- */

static bool configurations_add(configuration_list *f, trace_configuration c) {
    for (uint32_t i = 0; i < f->n; i++)
        if (f->c[i] == c) return false;
    if (f->n == f->room) {
        f->room = f->room ? 2 * f->room : 16;
        f->c = MEM_GROW(f->c, trace_configuration, f->room);
    }
    f->c[f->n++] = c;
    return true;
}

static int compare(const void *a, const void *b) {
    trace_configuration x = *(const trace_configuration *)a, y = *(const trace_configuration *)b;
    return (x > y) - (x < y);
}

static void reserve_words(trace_check *c, uint32_t n) {
    if (n <= c->word_room) return;
    c->word_room = 2 * n;
    c->words = MEM_GROW(c->words, uint32_t, c->word_room);
}

static uint32_t put_long(uint32_t *w, uint64_t x) {
    w[0] = (uint32_t)x;
    w[1] = (uint32_t)(x >> 32);
    return 2;
}

/* The same events made, the same configurations: decided before. */
static bool been_here(trace_check *c, uint64_t done, configuration_list *f) {
    qsort(f->c, f->n, sizeof *f->c, compare);
    for (uint32_t i = 1; i < f->n; i++) assert(f->c[i - 1] < f->c[i]);
    reserve_words(c, 2 * f->n + 2);
    uint32_t n = put_long(c->words, done), before = c->visited.count;
    for (uint32_t i = 0; i < f->n; i++) n += put_long(c->words + n, f->c[i]);
    assert(n == 2 * f->n + 2 && n <= c->word_room);
    word_table_number(&c->visited, c->words, n);
    return c->visited.count == before;
}

/* ---- taking effect ---- */

static void close_to(trace_check *c, trace_configuration from, uint32_t open, uint32_t until, configuration_list *out);

/* Operation k takes effect: every outcome goes on. */
static void take_effect(trace_check *c, trace_configuration from, uint32_t k, uint32_t open, uint32_t until,
                        configuration_list *out) {
    step_result r = STEP_LEGAL_MORE;
    assert(open >> k & 1 && !(from >> (32 + k) & 1)); /* once, and between its call and its return */
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        uint32_t n;
        assert((uint32_t)from < c->states.count);
        const uint32_t *w = word_table_words(&c->states, (uint32_t)from, &n);
        state_set(&c->now, w, n);
        value res;
        r = c->o->type->step(c->o, &c->now, &c->op[k], choice, &res);
        if (r == STEP_ILLEGAL) return;
        trace_configuration to =
            (from >> 32 | UINT64_C(1) << k) << 32 | word_table_number(&c->states, c->now.w, c->now.n);
        close_to(c, to, open, until, out);
    }
}

/* All configurations that have `until` and are reached from this one by open operations, as late as possible.
 * `until` BOUNDARY_OPERATIONS: every one that is reached. */
static void close_to(trace_check *c, trace_configuration from, uint32_t open, uint32_t until, configuration_list *out) {
    if (until == BOUNDARY_OPERATIONS) {
        if (!configurations_add(out, from)) return;
    } else if (from >> (32 + until) & 1) {
        configurations_add(out, from);
        return;
    } else if (!configurations_add(&c->seen, from)) return;
    for (uint32_t rest = open & ~(uint32_t)(from >> 32); rest; rest &= rest - 1)
        take_effect(c, from, (uint32_t)__builtin_ctz(rest), open, until, out);
}

/* ---- the search ---- */

static const uint64_t returns = UINT64_C(0xaaaaaaaaaaaaaaaa);

static bool may_end(trace_check *c, const configuration_list *f, uint32_t open) {
    if (!c->o->type->may_end) return true;
    configuration_list all = {0};
    bool may = false;
    for (uint32_t i = 0; i < f->n; i++) close_to(c, f->c[i], open, BOUNDARY_OPERATIONS, &all);
    for (uint32_t i = 0; i < all.n && !may; i++) {
        uint32_t n;
        const uint32_t *w = word_table_words(&c->states, (uint32_t)all.c[i], &n);
        state_set(&c->now, w, n);
        may = object_may_end(c->o, &c->now);
    }
    free(all.c);
    return may;
}

/* Which returns may come next, as operations; only one when it needs nothing. */
static uint32_t next_returns(const trace_check *c, uint64_t done) {
    uint32_t next = 0;
    for (uint64_t rest = c->events & returns & ~done; rest; rest &= rest - 1) {
        uint32_t e = (uint32_t)__builtin_ctzll(rest);
        uint64_t need = c->b.before[e] & c->events & ~done;
        if (need & returns) continue;
        if (!need) return 1u << e / 2;
        next |= 1u << e / 2;
    }
    assert(next || !(c->events & returns & ~done)); /* the order has no cycles */
    return next;
}

#ifdef PLUMB_SELF_CHECKS
/* In every configuration all that returned has taken effect, and nothing that was not called. */
static void check_configurations(const trace_check *c, const configuration_list *f, uint64_t done, uint32_t open) {
    uint32_t returned = 0, called = 0;
    for (uint64_t rest = done; rest; rest &= rest - 1) {
        uint32_t e = (uint32_t)__builtin_ctzll(rest);
        *(e & 1 ? &returned : &called) |= 1u << e / 2;
    }
    assert(!(returned & ~called) && open == (called & ~returned));
    for (uint32_t i = 0; i < f->n; i++) {
        uint32_t effective = (uint32_t)(f->c[i] >> 32);
        assert(!(returned & ~effective) && !(effective & ~called) && (uint32_t)f->c[i] < c->states.count);
    }
}
#else
static void check_configurations(const trace_check *c, const configuration_list *f, uint64_t done, uint32_t open) {
    (void)c, (void)f, (void)done, (void)open;
}
#endif

/* ---- reads that may return anything ---- */

static bool is_read(const trace_check *c, uint32_t k) {
    return criterion_is_of_reads(&c->o->criterion) && object_method(c->o, &c->op[k])->role & ROLE_OBSERVES;
}

/* Under `safe`, with the events that were made: did a write overlap this read, which returns now? */
static bool is_excused(const trace_check *c, uint32_t k) {
    uint32_t writes = 0;
    bool begun = false;
    if (c->o->criterion.kind != CRITERION_SAFE || !is_read(c, k)) return false;
    for (uint32_t i = 0; i < c->ordered; i++) {
        uint32_t e = c->order[i], other = e / 2;
        begun |= other == k;
        if (begun && writes) return true;
        if (is_read(c, other)) continue;
        if (e & 1) writes &= ~(1u << other);
        else writes |= 1u << other;
        if (begun && writes) return true;
    }
    return false;
}

/* The operation that returns has taken effect: in every way it can, or, excused, in any. */
static void close_all(trace_check *c, const configuration_list *f, uint32_t open, uint32_t k, configuration_list *out) {
    bool excused = is_excused(c, k);
    for (uint32_t i = 0; i < f->n; i++) {
        if (excused) configurations_add(out, f->c[i] | UINT64_C(1) << (32 + k));
        else close_to(c, f->c[i], open, k, out);
    }
}

/* True: a violation is reached; c->order has the events. Level `depth` of the frontiers holds the configurations. */
static bool search(trace_check *c, uint64_t done, uint32_t open, unsigned depth) {
    configuration_list *f = &c->level[depth];
    assert(depth <= c->b.n && f->n && !(done & ~c->events));
    assert(c->ordered == (uint32_t)__builtin_popcountll(done));
    check_configurations(c, f, done, open);
    uint32_t candidates = next_returns(c, done);
    if (!candidates) return !may_end(c, f, open);
    if (been_here(c, done, f)) return false;
    for (; candidates; candidates &= candidates - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(candidates), ordered = c->ordered, opened = open;
        uint64_t need = c->b.before[2 * k + 1] & c->events & ~done;
        assert(!(need & returns));
        for (uint64_t rest = need; rest; rest &= rest - 1) {
            uint32_t e = (uint32_t)__builtin_ctzll(rest);
            opened |= 1u << e / 2;
            c->order[c->ordered++] = (uint8_t)e;
        }
        c->order[c->ordered++] = (uint8_t)(2 * k + 1);
        configuration_list *g = &c->level[depth + 1];
        g->n = c->seen.n = 0;
        close_all(c, f, opened, k, g);
        if (!g->n || search(c, done | need | UINT64_C(1) << (2 * k + 1), opened & ~(1u << k), depth + 1)) return true;
        c->ordered = ordered;
    }
    return false;
}

/* ---- one history, ordered by happens-before ---- */

static bool linearizes(trace_check *c, trace_configuration from);

static bool linearizes_with(trace_check *c, trace_configuration from, uint32_t k) {
    step_result r = STEP_LEGAL_MORE;
    for (uint32_t choice = 0; r == STEP_LEGAL_MORE; choice++) {
        uint32_t n;
        const uint32_t *w = word_table_words(&c->states, (uint32_t)from, &n);
        state_set(&c->now, w, n);
        value res;
        r = c->o->type->step(c->o, &c->now, &c->op[k], choice, &res);
        if (r == STEP_ILLEGAL) return false;
        if (linearizes(c, (from >> 32 | UINT64_C(1) << k) << 32 | word_table_number(&c->states, c->now.w, c->now.n)))
            return true;
    }
    return false;
}

static bool ends_here(trace_check *c, trace_configuration at) {
    uint32_t n;
    const uint32_t *w = word_table_words(&c->states, (uint32_t)at, &n);
    state_set(&c->now, w, n);
    return object_may_end(c->o, &c->now);
}

/* All operations that happen before this one have taken effect. */
static bool is_next(const trace_check *c, uint32_t k, uint32_t effective) {
    for (uint64_t rest = c->b.before[2 * k] & c->events & returns; rest; rest &= rest - 1)
        if (!(effective >> __builtin_ctzll(rest) / 2 & 1)) return false;
    return true;
}

static bool linearizes(trace_check *c, trace_configuration from) {
    const uint32_t effective = (uint32_t)(from >> 32), before = c->visited.count;
    uint32_t words[2], missing = 0;
    put_long(words, from);
    word_table_number(&c->visited, words, 2);
    if (c->visited.count == before) return false;
    for (uint64_t rest = c->events & returns; rest; rest &= rest - 1)
        missing |= 1u << __builtin_ctzll(rest) / 2 & ~effective;
    if (!missing && ends_here(c, from)) return true;
    for (uint32_t k = 0; k < c->b.n; k++)
        if (c->events >> 2 * k & 1 && !(effective >> k & 1) && is_next(c, k, effective) && linearizes_with(c, from, k))
            return true;
    return false;
}

/* Some order of calls and returns that there is. */
static bool note_any_order(trace_check *c) {
    uint64_t made = 0;
    c->ordered = 0;
    while (made != c->b.all)
        for (uint32_t e = 0; e < 2 * c->b.n; e++) {
            if (!(c->b.all >> e & 1) || made >> e & 1 || c->b.before[e] & ~made) continue;
            made |= UINT64_C(1) << e;
            c->order[c->ordered++] = (uint8_t)e;
        }
    return true;
}

static bool part_violates(trace_check *c, uint64_t events) {
    c->events = events;
    c->ordered = 0;
    word_table_free(&c->visited);
    word_table_init(&c->visited, &c->unlimited);
    c->now.n = 0;
    c->o->type->init(c->o, &c->now);
    c->level[0].n = 0;
    configurations_add(&c->level[0], word_table_number(&c->states, c->now.w, c->now.n));
    if (c->by_happens_before) return !linearizes(c, c->level[0].c[0]) && note_any_order(c);
    return search(c, 0, 0, 0);
}

/* Under regular and safe each read is judged by itself, with all writes. */
static bool read_violates(trace_check *c, uint64_t events) {
    uint64_t reads = 0;
    for (uint32_t k = 0; k < c->b.n; k++)
        if (is_read(c, k)) reads |= UINT64_C(3) << 2 * k;
    for (uint32_t k = 0; k < c->b.n; k++) {
        uint64_t own = UINT64_C(3) << 2 * k & events;
        if (own & reads & returns && part_violates(c, (events & ~reads) | own)) return true;
    }
    return false;
}

static bool events_violate(trace_check *c, uint64_t events) {
    return criterion_is_of_reads(&c->o->criterion) ? read_violates(c, events) : part_violates(c, events);
}

/* ---- operations ---- */

static bool bind(trace_check *c, const world *w) {
    for (uint32_t k = 0; k < c->b.n; k++)
        if (!explored_bind(c->o, c->method_of, w->values, &w->ops[c->b.op[k]], k, &c->op[k])) return false;
    return true;
}

static bool same_part(const trace_check *c, const operation *a, const operation *b) {
    const object_type *t = c->o->type;
    if (t->part) return t->part(c->o, a) == t->part(c->o, b);
    return a->key == b->key && (!t->parts_by_arg || a->arg[0] == b->arg[0]);
}

/* Linearizability is local (Herlihy and Wing, theorem 1), and every extension of a part's order is one of the
 * whole's. */
static trace_verdict decide(trace_check *c, const world *w) {
    if (c->o->values != w->values) object_use_values(c->o, w->values);
    if (!bind(c, w)) return TRACE_UNDECIDED;
    uint32_t rest = c->b.n == 32 ? UINT32_MAX : (1u << c->b.n) - 1;
    while (rest) {
        uint32_t first = (uint32_t)__builtin_ctz(rest);
        uint64_t events = 0;
        assert(first < c->b.n);
        for (uint32_t k = first; k < c->b.n; k++)
            if ((rest >> k & 1) && same_part(c, &c->op[first], &c->op[k])) {
                rest &= ~(1u << k);
                events |= UINT64_C(3) << 2 * k;
            }
        if (events_violate(c, events & c->b.all)) return TRACE_VIOLATION;
    }
    return TRACE_RIGHT;
}

/* All that the verdict depends on, in full: equal words, equal verdicts. Sets of events of few operations are one
 * word. */
static uint32_t signature(trace_check *c, const world *w) {
    const boundary *b = &c->b;
    uint32_t operations = b->n;
    reserve_words(c, 1 + operations * (6 + 2 * OPERATION_ARGS));
    uint32_t *at = c->words;
    *at++ = operations;
    for (uint32_t k = 0; k < operations; k++) {
        const explored_operation *e = &w->ops[b->op[k]];
        uint64_t call = b->before[2 * k], end = e->returned ? b->before[2 * k + 1] : 0;
        *at++ = (uint32_t)e->thread | (uint32_t)e->method << 8 | (uint32_t)e->nargs << 16 | (uint32_t)e->returned << 24;
        for (unsigned a = 0; a < e->nargs; a++) at += put_long(at, (uint64_t)e->arg[a]);
        *at++ = e->returned ? e->result : VALUE_UNKNOWN;
        *at++ = (uint32_t)call;
        *at++ = (uint32_t)end;
        if (operations <= 16) continue;
        *at++ = (uint32_t)(call >> 32);
        *at++ = (uint32_t)(end >> 32);
    }
    assert((uint32_t)(at - c->words) <= c->word_room);
    return word_table_number(&c->signatures, c->words, (uint32_t)(at - c->words));
}

/* A signature that is found without building the order is that of the order. */
#ifdef PLUMB_SELF_CHECKS
static void check_quick(trace_check *c, const world *w, const trace_clocks *clocks, int64_t found) {
    const bool built = boundary_build(&c->b, w, clocks);
    assert(built && found < c->decided);
    assert(signature(c, w) == (uint32_t)found);
}
#else
static void check_quick(trace_check *c, const world *w, const trace_clocks *clocks, int64_t found) {
    (void)c, (void)w, (void)clocks, (void)found;
}
#endif

trace_verdict trace_check_decide(trace_check *c, const world *w, const trace_clocks *clocks, uint32_t *order,
                                 uint32_t *length) {
    *length = 0;
    int64_t *seen = quick_signature_find(c->quick, w, clocks);
    if (seen && *seen != NO_SIGNATURE) check_quick(c, w, clocks, *seen);
    if (seen && *seen != NO_SIGNATURE && c->verdict[*seen] != TRACE_VIOLATION) return (trace_verdict)c->verdict[*seen];
    if (!boundary_build(&c->b, w, clocks)) return TRACE_UNDECIDED;
    uint32_t number = signature(c, w);
    assert(number <= c->decided && c->decided <= c->signatures.count);
    assert(!seen || *seen == NO_SIGNATURE || *seen == number);
    if (seen) *seen = number;
    if (number >= c->verdict_room) {
        c->verdict_room = c->verdict_room ? 2 * c->verdict_room : 256;
        c->verdict = MEM_GROW(c->verdict, uint8_t, c->verdict_room);
    }
    if (number < c->decided && c->verdict[number] != TRACE_VIOLATION) return (trace_verdict)c->verdict[number];
    trace_verdict v = decide(c, w);
    c->verdict[number] = (uint8_t)v;
    c->decided = c->signatures.count;
    if (v == TRACE_VIOLATION)
        for (; *length < c->ordered; ++*length) {
            uint32_t e = c->order[*length];
            order[*length] = 2u * c->b.op[e / 2] + (e & 1);
        }
    assert(event_order_is_sound(w->ops, w->op_count, order, *length));
    assert(!*length == (v != TRACE_VIOLATION));
    return v;
}
