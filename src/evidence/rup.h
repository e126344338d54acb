/* Is a set of clauses unsatisfiable? Each step of the proof is a clause that follows from what is known by reverse unit
 * propagation: its literals assumed false, propagation alone leads to a contradiction. Then it is known as well. Every
 * such proof is a DRAT proof. Shares nothing with the solver. */
#ifndef PLUMB_EVIDENCE_RUP_H
#define PLUMB_EVIDENCE_RUP_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Clauses one after another, each ended by 0; variables 1 .. `variables`. True: the steps lead to the empty clause.
 * Otherwise `wrong` says which step does not follow. `used`: steps that were looked at. */
bool rup_check(const int *clauses, size_t n, const int *steps, size_t m, int variables, size_t *used, text *wrong);

#endif
