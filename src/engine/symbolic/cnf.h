/* Clauses over literals, some of which are constants, for a SAT solver (CaDiCaL). A literal is a variable or, negative,
 * its negation; the constants fold away as clauses are built.
 *
 * A clause speaks about operations: its owners. A clause that folds to nothing is a contradiction by itself and its
 * owners say why. When groups are assumed (cnf_group) a clause holds only while the groups of its owners do, so that an
 * unsatisfiable set of clauses comes with the groups it needs. */
#ifndef PLUMB_ENGINE_SYMBOLIC_CNF_H
#define PLUMB_ENGINE_SYMBOLIC_CNF_H

#include "base/budget.h"
#include "base/pool.h"
#include "engine/symbolic/literal.h"

#include <stdint.h>

enum { CNF_OWNERS = 8 };
#define NO_GROUP UINT32_MAX

typedef enum cnf_answer { CNF_SATISFIABLE, CNF_UNSATISFIABLE, CNF_STOPPED } cnf_answer;

typedef struct cnf {
    struct CCaDiCaL *solver;
    budget *budget;
    size_t charged;
    int variables;
    uint64_t clauses;
    literal *part; /* of the clause being built */
    unsigned size, room;
    bool holds; /* it is true already */
    uint32_t owner[CNF_OWNERS];
    unsigned owners;
    bool contradiction;         /* some clause folded to nothing: */
    uint32_t wrong[CNF_OWNERS]; /* its owners; none: too many to remember */
    unsigned wrongs;
    const uint32_t *group; /* by owner; NULL: clauses hold unconditionally */
    literal *assumed;      /* by group */
    uint32_t groups;
    bool propagates;                /* and does nothing else */
    struct clause_folding *folding; /* what is said waits here for the question; NULL: it goes to the solver at once */
    literals *said, *learned;       /* what cnf_keep_proof keeps; NULL: nothing */
    bool lost;                      /* memory ran out for what was learned */
    pool_cleanup cleanup;           /* of the solver */
} cnf;

/* Runs `body`, which uses a solver. When the solver, which is C++, runs out of memory, that is what mem_exhausted says:
 * it must not end the program. */
void cnf_guarded(void (*body)(void *argument), void *argument);

bool cnf_available(void); /* was a solver built in? */

void cnf_init(cnf *c, budget *b);
void cnf_free(cnf *c);
/* From here on clauses are owned by groups: group[owner], or NO_GROUP. */
void cnf_assume_groups(cnf *c, const uint32_t *group, uint32_t groups);

/* From here on, before the first clause: cnf_solve decides nothing. Unsatisfiable is what unit propagation finds to be
 * so, everything else is CNF_STOPPED (or a model, if propagation alone leads to one). */
void cnf_only_propagate(cnf *c);

/* The same: many small questions, each with a few more clauses than the last. */
void cnf_ask_often(cnf *c);

/* The same: one question will be asked, about clauses that are folded first (folding.h). Excludes groups and a
 * proof: a clause would no longer name all it rests on. */
void cnf_fold(cnf *c);

/* The same: keeps all clauses and, in the order they are learned, those that follow from them and from each other by
 * unit propagation; after an unsatisfiable answer the empty clause does. */
void cnf_keep_proof(cnf *c, literals *said, literals *learned);

literal cnf_variable(cnf *c);
literal cnf_variables(cnf *c, uint32_t n); /* the first of n in a row; 0: there are too many */

/* A clause: begin, owners and literals in any order, end. */
void cnf_begin(cnf *c);
void cnf_owner(cnf *c, uint32_t position);
void cnf_literal(cnf *c, literal l);
void cnf_end(cnf *c);
void cnf_clause(cnf *c, literal a, literal b, literal d); /* without owners; LIT_FALSE for a literal it does not have */

/* A literal that implies both: enough wherever it occurs positively only. */
literal cnf_both(cnf *c, literal a, literal b);

cnf_answer cnf_solve(cnf *c);
bool cnf_true(const cnf *c, literal l); /* in the model */

/* After an unsatisfiable answer with groups: those that are needed for it, made fewer as long as that is cheap. */
void cnf_core(cnf *c, bool *needed);

#endif
