/* What went into a container and what came out: the common preparation of the near-linear engines for queue, stack,
 * pool and priority queue. Values are numbered in the order in which their adds were called; each has its add and, when
 * some completed remove returned it, its remove. The events of the part, in order, say which value they are about.
 *
 *     add   [add_call, add_return]        definitely inside: from add_return to remove_call (if in this order)
 *     remove [remove_call, remove_return]
 *
 * A gap is the slice of time right after an event and has the event's rank; an operation contains the gaps call ..
 * return-1. The *cover* of a value is the gaps add_return .. remove_call-1, in which it is inside whatever the order; a
 * value that is never removed covers everything from add_return on. A *token* is a pending remove: it may take one
 * value that no completed remove returned, or have no effect.
 *
 * Repeated values. If the k-th add of v is called after k-1 removes have returned v, then in every linearization the
 * k-th remove of v to return takes what the k-th add put in: the first can only take the first (no other had been
 * called when it returned), the second only the second (the first is gone), and so on; and no token can take any but
 * the last, or a completed remove would find none. Never more than one v is inside. So the occurrences are numbered as
 * values of their own, and the history so renamed is linearizable iff the given one is, by the same orders. Otherwise:
 * INVENTORY_AMBIGUOUS. */
#ifndef PLUMB_ENGINE_LINEAR_INVENTORY_H
#define PLUMB_ENGINE_LINEAR_INVENTORY_H

#include "engine/engine.h"

#define NO_INDEX UINT32_MAX

typedef enum event_kind {
    ADD_CALL,
    ADD_RETURN,
    REMOVE_CALL,
    REMOVE_RETURN, /* of a value */
    EMPTY_CALL,
    EMPTY_RETURN,  /* of a remove that found nothing: index into empty[] */
    TOKEN_CALL,    /* index into token[] */
    ADD_CALL_LATE, /* of a value whose remove was called before */
} event_kind;

static inline bool is_add_call(event_kind k) { return k == ADD_CALL || k == ADD_CALL_LATE; }

enum { EVENT_KIND_BITS = 3, INVENTORY_MAX_OPERATIONS = 1 << 28 };

typedef struct inventory {
    const problem *p;
    const uint32_t *call, *ret; /* by position in p->op: ranks without holes; ret RANK_NEVER: pending */
    uint32_t *own_call, *own_ret;
    uint32_t events;
    uint32_t *event; /* index << EVENT_KIND_BITS | event_kind */
    uint32_t values;
    uint32_t *add, *remove;   /* by value: positions in p->op; remove NO_INDEX: never removed */
    uint32_t *empty, empties; /* positions, by call */
    uint32_t *token, tokens;  /* positions, by call */
    value *taken;             /* by token: what it was assumed to take; VALUE_UNKNOWN: nothing */
    bool renamed;             /* some value may occur more than once */
    size_t charged;
} inventory;

typedef struct empty_cut { /* a remove that found nothing and the gap chosen for it */
    uint32_t gap, position;
} empty_cut;

/* Declarations that all these engines share: capacities, size. */
bool inventory_accepts(const problem *p, text *why_not);
/* NULL, or what such engines do not understand of the first odd operation */
const char *inventory_odd(const problem *p);

typedef enum inventory_answer {
    INVENTORY_READY,
    INVENTORY_DECIDED, /* `out` is filled: a value came out that was not inside, or why this engine cannot tell */
} inventory_answer;

inventory_answer inventory_init(inventory *c, const problem *p, outcome *out);
void inventory_free(inventory *c);

static inline uint32_t event_of(uint32_t index, event_kind kind) { return index << EVENT_KIND_BITS | kind; }
static inline event_kind event_kind_of(uint32_t e) { return (event_kind)(e & ((1u << EVENT_KIND_BITS) - 1)); }
static inline uint32_t event_index(uint32_t e) { return e >> EVENT_KIND_BITS; }

static inline uint32_t add_call(const inventory *c, uint32_t v) { return c->call[c->add[v]]; }
static inline uint32_t add_return(const inventory *c, uint32_t v) { return c->ret[c->add[v]]; }
static inline bool is_removed(const inventory *c, uint32_t v) { return c->remove[v] != NO_INDEX; }
static inline uint32_t remove_call(const inventory *c, uint32_t v) {
    return is_removed(c, v) ? c->call[c->remove[v]] : RANK_NEVER;
}
static inline uint32_t remove_return(const inventory *c, uint32_t v) {
    return is_removed(c, v) ? c->ret[c->remove[v]] : RANK_NEVER;
}
/* A pending add whose value no remove returned: it can be taken not to have happened. */
static inline bool is_dropped(const inventory *c, uint32_t v) {
    return !is_removed(c, v) && add_return(c, v) == RANK_NEVER;
}

value inventory_value(const inventory *c, uint32_t v);

/* Lets a token take a value, and takes it back. */
void inventory_assign(inventory *c, uint32_t token, uint32_t v);
void inventory_unassign(inventory *c, uint32_t token, uint32_t v);

/* Values that were completely added and never removed, in the order of their adds' returns. To be freed. */
uint32_t *inventory_left_inside(const inventory *c, uint32_t *count);

/* The events from `from` to `to`-1 whose kinds are among the bits of `kinds`, with their ranks; returns how many. Which
 * kind comes next cannot be predicted, so engines first sort out what means nothing to them, without a branch. */
static inline uint32_t inventory_select(const inventory *c, uint32_t from, uint32_t to, unsigned kinds, uint32_t *rank,
                                        uint32_t *event) {
    uint32_t n = 0;
    for (uint32_t r = from; r < to; r++) {
        uint32_t e = c->event[r];
        rank[n] = r;
        event[n] = e;
        n += kinds >> event_kind_of(e) & 1;
    }
    return n;
}

/* True when the budget is spent: looks at the clock once in a while (`i` is the number of an event). */
bool inventory_out_of_budget(const inventory *c, outcome *out);
static inline bool inventory_stopped(const inventory *c, uint32_t i, outcome *out) {
    return (i & 0xffff) == 0xffff && inventory_out_of_budget(c, out);
}

/* ---- verdicts ---- */

/* Linearizable by these positions in this order; takes `position` over (it becomes the witness). */
void inventory_witness(const inventory *c, uint32_t *position, uint32_t n, outcome *out);

typedef struct bad_pattern { /* positions of operations that alone are a violation */
    uint32_t *position;
    uint32_t n, room;
} bad_pattern;

void bad_pattern_add(bad_pattern *s, uint32_t position);
void bad_pattern_add_value(bad_pattern *s, const inventory *c, uint32_t v); /* its add and its remove */

/* Which covers count. */
typedef struct cover_rule {
    const uint32_t *priority; /* NULL: all values; else those whose priority is higher than `above` */
    uint32_t above;
    /* where the covers of values never removed end: RANK_NEVER, a token's call, 0: they do not count */
    uint32_t left_until;
} cover_rule;

/* Adds values the union of whose covers contains the gaps from `from` to `to`-1: always the one that reaches furthest.
 * Returns the last gap that none covers, NO_INDEX when there is none. */
uint32_t bad_pattern_add_cover(bad_pattern *s, const inventory *c, uint32_t from, uint32_t to, const cover_rule *rule);

/* Violation: takes the pattern over. `last` is the position of an operation such that the history cut after its return
 * is a violation already, NO_INDEX: not known. */
void inventory_violation(const inventory *c, bad_pattern *s, uint32_t last, outcome *out);
void inventory_violation_empty(const inventory *c, uint32_t empty, outcome *out); /* of queue and pool */

#endif
