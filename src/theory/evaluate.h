/* Is this a history of the theory's object? Straight from the definition: is there a match under which every axiom
 * holds? For small histories: tests, comparisons, theory files as objects. Results must be known. */
#ifndef PLUMB_THEORY_EVALUATE_H
#define PLUMB_THEORY_EVALUATE_H

#include "theory/theory.h"

/* `before` is a matrix (before[x * n + y]: x before y); NULL: the operations are a sequence in this order. */
bool theory_is_model(const theory_binding *b, const operation *op, uint32_t n, const uint8_t *before);

/* May this sequence be the beginning of a model? False is certain: whatever follows, some axiom fails. */
bool theory_may_begin(const theory_binding *b, const operation *op, uint32_t n);

/* One operation whose arguments and result may be unknown: may it be in a model, with whatever others there are? first:
 * in one where it comes before all others. False is certain. */
bool theory_may_occur(const theory_binding *b, const operation *op, bool first);

/* The integers that the unknown result of the last operation would have to be, as far as sums say so. */
enum { WANTED_MOST = 64 };
typedef struct wanted_results {
    int64_t at[WANTED_MOST];
    uint32_t n;
} wanted_results;

void theory_wanted_results(const theory_binding *b, const operation *op, uint32_t n, wanted_results *out);

/* The first axiom that fails under every match, when there is one: for explanations. NULL: none by itself. */
const char *theory_failing_axiom(const theory_binding *b, const operation *op, uint32_t n);

#endif
