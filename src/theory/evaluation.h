/* What the evaluator's files share: evaluate.c says what is true of operations under a match, match_search.c looks for
 * one. */
#ifndef PLUMB_THEORY_EVALUATION_H
#define PLUMB_THEORY_EVALUATION_H

#include "theory/evaluate.h"

/* Kleene's three truth values. */
typedef uint8_t truth;
enum { IS_FALSE, IS_OPEN, IS_TRUE };

typedef struct evaluation {
    const theory_binding *b;
    const operation *op;
    uint32_t n;
    const uint8_t *before;
    bool future;   /* more operations may follow: all of them together are operation number n */
    bool anywhere; /* and they may be before, beside and behind the others */
    /* Pairs that may match, x * n + y: by y, and the same by x. pair[y_start[y] .. y_start[y + 1]) are those of y. */
    uint32_t *pair, pairs, *y_start;
    uint32_t *pair_by_x, *x_start;
    uint8_t *match; /* n * n truths */
    uint32_t env[THEORY_SLOTS];
    /* By tallies: integers that one unknown result would have to be; NULL: not asked for. */
    wanted_results *wanted;
    uint32_t *read; /* the pairs whose truth was looked at, where that made a difference */
    uint32_t reads, read_room;
} evaluation;

void evaluation_begin(evaluation *v); /* from b, op, n, before, future, anywhere */
void evaluation_end(evaluation *v);
truth evaluate_formula(evaluation *v, const formula *f);
truth evaluate_part(evaluation *v, const formula *f); /* of a formula: adds to what was read */
/* tally.c */
truth evaluate_tally(evaluation *v, const formula *f);
bool term_value(const evaluation *v, term t, uint32_t *out); /* false: it is not known */

/* Calls `found` for instances of the axiom that are false, with v->read the pairs that make them so, while it returns
 * true. */
typedef bool found_false(void *context, const evaluation *v);
bool evaluate_instances(evaluation *v, const formula *f, found_false *found, void *context);

/* Is there a match under which no axiom is false? */
bool match_exists(evaluation *v);

#endif
