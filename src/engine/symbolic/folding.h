/* Clauses made fewer and shorter before a solver sees them. A clause of one literal fixes a variable, two clauses (a or
 * b), (not a or not b) make two variables one; what that leaves of the other clauses is said again until nothing
 * changes. Most of what a theory says of two overlapping operations is of this kind, and a solver needs longer to take
 * in a clause than it takes here to see that it holds.
 *
 * The clauses that are left speak of other variables, numbered from 1: a model of them, read through folding_of, is one
 * of the clauses that were said. */
#ifndef PLUMB_ENGINE_SYMBOLIC_FOLDING_H
#define PLUMB_ENGINE_SYMBOLIC_FOLDING_H

#include "engine/symbolic/literal.h"

typedef struct clause_folding clause_folding;

clause_folding *folding_new(void);
void folding_free(clause_folding *f);

void folding_say(clause_folding *f, const literal *part, unsigned n); /* no constants among them */
void folding_finish(clause_folding *f);                               /* everything was said */

/* After folding_finish: the clauses left, an empty one among them if there was a contradiction. */
const literals *folding_left(const clause_folding *f);
/* a constant (a free variable is false), or a literal of those clauses */
literal folding_of(const clause_folding *f, literal said);

#endif
