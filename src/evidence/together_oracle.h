/* The oracle for set- and interval-linearizability: every sequence of steps is tried, as the definition has it, except
 * beginnings that reach the same state with the same operations begun and ended as one that failed. Shares no code with
 * the engines. */
#ifndef PLUMB_EVIDENCE_TOGETHER_ORACLE_H
#define PLUMB_EVIDENCE_TOGETHER_ORACLE_H

#include "evidence/oracle.h"

/* A history of one part, o under one of these criteria; `before` (may be NULL), `steps` and `taken` as
 * oracle_linearizable_with: operation j ends in an earlier step than i begins. */
oracle_answer together_oracle(const object *o, const history *h, const uint32_t *before, uint64_t steps,
                              uint64_t *taken);

#endif
