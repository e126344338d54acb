/* What the quasi engines share: the events in order, slots for open removals, and the frontier of configurations that
 * is closed at returns (docs/proofs/quasi.md). An engine says what it does at an add's call and how a reached
 * configuration goes on; the stage does the rest. */
#ifndef PLUMB_ENGINE_QUASI_QUASI_STAGE_H
#define PLUMB_ENGINE_QUASI_QUASI_STAGE_H

#include "base/slots.h"
#include "engine/quasi/overtakings.h"
#include "engine/quasi/quasi_configs.h"

enum { STAGE_SLOTS = 64 };
#define NO_SLOT UINT8_MAX
#define NO_ORIGIN UINT32_MAX

typedef struct origin { /* how a reached configuration came about in this closure */
    uint32_t parent;    /* reached before; NO_ORIGIN: the closure began with it */
    uint32_t last;      /* the element that was removed then; NOBODY: something else happened */
    moment lo, hi;      /* its window before that */
    moment time;        /* when; stacks only */
} origin;

typedef struct stage stage;

typedef struct stage_methods {
    void (*begin)(stage *s); /* before the first event, of each run */
    void (*add_called)(stage *s, uint32_t v);
    bool (*closes_at_add)(const stage *s, uint32_t v); /* does the return of v's add need a closure now? */
    void (*add_returned)(stage *s, uint32_t v);
    void (*removed)(stage *s, uint32_t v, bool add_was_open); /* its removal returned */
    /* Goes on from the reached configuration `i`: adds what ends the closure to s->next, what does not to s->work. */
    void (*expand)(stage *s, uint32_t i);
    void (*normalize)(stage *s, draft *d, uint64_t done);
} stage_methods;

struct stage {
    const stage_methods *methods;
    const problem *p;
    inventory c;
    outcome *out;
    uint32_t ahead, overtaken; /* the limits */
    moment *lo, *hi;           /* by value: the window of its add; at the latest it returns with its removal */
    /* by value: where its removal can begin (not before the add's call), and returns; RANK_NEVER */
    uint32_t *opens, *closes;
    uint8_t *slot;                            /* by value: of its open removal */
    uint32_t what[STAGE_SLOTS];               /* by slot: value, or index of empty or token */
    uint64_t used, removals, empties, tokens; /* slots */

    uint32_t *next_in, *prev_in, first_in, last_in; /* a list of values, as the engine likes it */
    uint32_t *opened_before;                        /* by value: removals that open before its own returns */
    uint32_t returned;                              /* removals so far */

    configs now, next, found;
    reached work;
    origin *origin; /* by reached configuration */
    uint32_t origin_room;
    draft draft, scratch;
    trail trail;

    /* the closure */
    event_kind kind;
    uint32_t rank;
    uint32_t value; /* ADD_RETURN, REMOVE_RETURN: whose; NOBODY otherwise */
    uint8_t goal;   /* the slot that must take effect; NO_SLOT: none must */

    uint32_t beam; /* most configurations kept; 0: all */
    bool lossy;    /* some were left out for that */
    uint64_t steps;
    unsigned ticks;
    bool stopped; /* out->stopped or out->why says why */
    size_t own_memory, charged;
    void *own; /* the engine's */
};

/* false: decided or undecided already */
bool stage_init(stage *s, const problem *p, const stage_methods *methods, outcome *out);
void stage_free(stage *s);
/* All events. True: some configuration is left. False: stopped, or no configuration is left at s->rank.
 *
 * First with only a few of the most promising configurations: if one of them reaches the end, that is an order like any
 * other. If none does, again with more of them, in the end with all. */
bool stage_run(stage *s, int64_t keep);

#define STAGE_SETTING \
    { \
        "keep", NULL, 0, 0, 1 << 20, \
            "keeps only so many of the most promising configurations, and may give up then; 0: all of them in the end" \
    }
void stage_give_up(stage *s, const char *why);
bool stage_tick(stage *s); /* true: stop */

static inline bool is_left(const stage *s, uint32_t v) { return s->opens[v] == RANK_NEVER; }
static inline bool is_gone(const stage *s, uint64_t done, uint32_t v) {
    return s->slot[v] != NO_SLOT && done & slot_bit(s->slot[v]);
}
static inline touched untouched(const stage *s, uint32_t v) { return (touched){v, 0, s->lo[v], s->hi[v]}; }
static inline touched element_of(const stage *s, const touched *entry, uint32_t n, uint32_t v) {
    const touched *t = config_find(entry, n, v);
    return t ? *t : untouched(s, v);
}
/* Is a surely removed before b, or does it never matter? Pending removals may take what is left at any time. */
static inline bool surely_before(const stage *s, uint32_t a, uint32_t b) {
    if (is_left(s, a) && is_left(s, b)) return s->c.tokens == 0;
    if (is_left(s, b) && s->c.tokens) return false;
    return s->closes[a] < s->opens[b];
}

/* The earliest open pending removal that has not taken effect: it can do all that a later one can. */
static inline uint64_t first_token(const stage *s, uint64_t done) {
    uint64_t rest = s->tokens & ~done;
    return rest & -rest;
}

void list_append(stage *s, uint32_t v);
void list_remove(stage *s, uint32_t v);

/* The configuration is reached, if it is new. */
void stage_reach(stage *s, uint64_t done, const draft *d, uint32_t path, uint32_t tag, origin from);
/* The removal of z becomes part of the trail. */
uint32_t stage_follow(stage *s, uint32_t path, uint32_t slot, uint32_t z);
uint32_t stage_follow_empties(stage *s, uint32_t path, uint64_t slots);

/* What the pending removals of the trail took, by position and value. */
void stage_assume_taken(stage *s, const witness *steps);
/* Is the order, by positions, really one that the relaxed object allows? If so it becomes the witness; takes it
 * over. */
void stage_accept(stage *s, uint32_t *position, uint32_t n);

/* No configuration was left: a violation. Where forced overtakings show it, with a pattern.
 *
 * Of out-of-order(d,l): its head is bypassed no more often than it is overtaken, so every order within quasi(d,l) is
 * one of out-of-order(d,l), but not the other way round. That none is found then proves nothing, unless too many are
 * ahead. */
void stage_violation(stage *s, const overtakings *forced);
uint32_t stage_overtaken_limit(const stage *s); /* more forced overtakings of one element than these are a violation */

#endif
