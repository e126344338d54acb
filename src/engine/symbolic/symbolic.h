/* Folded encodings: what an object's theory says of a history (docs/proofs/symbolic.md), as clauses over the order
 * of overlapping operations. Instances of an axiom about operations whose order is known are checked by sweeps and
 * never become clauses; the others are found from the list of overlapping pairs.
 *
 * An operation is soft when something about it is open besides its order: whether it took effect, which remove took its
 * value. Instances about soft operations are gone through one by one. */
#ifndef PLUMB_ENGINE_SYMBOLIC_SYMBOLIC_H
#define PLUMB_ENGINE_SYMBOLIC_SYMBOLIC_H

#include "engine/engine.h"
#include "engine/symbolic/overlap.h"
#include "theory/theory.h"

typedef struct result_choice { /* if `chosen`, the pending operation returned `res` */
    literal chosen;
    uint32_t position;
    value res;
} result_choice;

typedef struct matched_pair { /* if `chosen`, x and y take effect at one moment */
    literal chosen;
    uint32_t x, y;
} matched_pair;

typedef struct encoding {
    const problem *p; /* only what a linearization may need */
    cnf cnf;
    overlap order;
    literal *used; /* by position: did it take effect? */
    result_choice *choice;
    uint32_t choices, choice_room;
    matched_pair *pair; /* of objects whose operations are not a sequence */
    uint32_t pairs, pair_room;
    /* of order (overlap.h), and by position the add of what a remove took; NULL: all is ordered */
    uint8_t *sides;
    uint32_t *taken;
    const theory *theory; /* to be grounded; NULL: folded */
    const char *odd;      /* what this encoding does not understand; NULL: nothing */
} encoding;

/* Each emits the clauses of its objects; false when done early: refuted, not understood, or out of budget. */
bool encode_container(encoding *e);
bool encode_cell(encoding *e); /* register, set */
bool encode_lock(encoding *e);
bool encode_theory(encoding *e); /* whatever e->theory says: for small histories */

static inline uint32_t operation_at(const encoding *e, uint32_t position) { return e->p->op[position]; }
static inline bool is_pending(const encoding *e, uint32_t position) { return e->order.ret[position] == RANK_NEVER; }

/* With sides, the positions in an order that agrees with that of each side; returns how many, 0: there is none. */
uint32_t encoding_merge(const encoding *e, uint32_t *sorted);

/* These operations contradict each other as they are. Returns false. */
bool encoding_refute(encoding *e, const uint32_t *position, unsigned n);
void encoding_choice(encoding *e, literal chosen, uint32_t position, value res);
void encoding_together(encoding *e, literal chosen, uint32_t x, uint32_t y);

/* Has anything ended the encoding? Looks at the clock once in a while. */
bool encoding_goes_on(encoding *e, unsigned *ticks);

/* Does unit propagation alone refute the object's theory, grounded? False with `why_not` set when it cannot be
 * asked. */
bool theory_propagation_refutes(const problem *p, bool *refutes, text *why_not);

/* The clauses of the problem, and with `learned` a refutation of them (cnf.h) if there is one: false if there is none,
 * or `why_not` says what else. What the happens-before order alone refutes is the empty clause. `variables`: how many
 * there are. */
bool symbolic_refutation(const problem *p, literals *said, literals *learned, int *variables, text *why_not);

/* Asked at every return: the first prefix that is a violation decides. With `removal` operations are left out once
 * their match is complete and everything open then has returned. `whole` answers for a whole history. True: settled. */
typedef struct symbolic_decider symbolic_decider;
struct symbolic_decider {
    void (*decide)(const symbolic_decider *d, const problem *p, outcome *out);
    theory *theory; /* to be grounded, chosen once for all prefixes; NULL: folded */
};
bool symbolic_at_returns(const problem *p, bool removal, const symbolic_decider *whole, outcome *out);
/* Its parts: the operations `op`, cut after a rank, decided by themselves; and that at every return. */
verdict symbolic_decide_prefix(const problem *p, const uint32_t *op, uint32_t n, uint32_t cut,
                               const symbolic_decider *whole, outcome *out);
bool symbolic_ask_each(const problem *p, bool removal, const symbolic_decider *whole, outcome *out);

#endif
