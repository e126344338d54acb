/* Proofs: the clauses that the symbolic engine makes of a history, and why they cannot be satisfied, in one text file.
 *
 *     c plumb.proof/1 queue
 *     p cnf 12 40              the clauses, in DIMACS form
 *     c init "0"               the object's initial value, where there is one
 *     1 -3 0
 *     ...
 *     c proof                  from here on: the steps of a DRAT proof
 *     -2 0
 *     0
 *
 * That the clauses are unsatisfiable is checked without the solver (rup.h). That they are those of a history is checked
 * by making them again. */
#ifndef PLUMB_EVIDENCE_PROOF_H
#define PLUMB_EVIDENCE_PROOF_H

#include "evidence/judge.h"

/* Of the part of the history that the judgement found to be a violation. */
bool proof_write(const char *path, const history *h, const object *o, const judgement *j, budget *b, error *e);

bool proof_is(const char *path); /* does the file begin like one? */
/* As certify (certificate.h): the exit code, and in `report` one line. `history_path` NULL: nothing to compare with. */
int proof_certify(const char *path, const char *history_path, text *report, error *e);

#endif
