/* What can be said about a core, as facts that were checked before they are here; sentences are only their wording.
 *
 * The method: of all facts "a returned before b was called" a smallest set is kept with which the object still leaves
 * no order of the core's operations. The last of them contradicts what the others force: that is the explanation. All
 * that is asked of the object is asked through the oracle, on the core's operations with no order but the one
 * stated. */
#ifndef PLUMB_EVIDENCE_FACTS_H
#define PLUMB_EVIDENCE_FACTS_H

#include "evidence/core.h"
#include "evidence/oracle.h"
#include "evidence/replay.h"

typedef enum fact_kind {
    FACT_TIME,     /* a returned before b was called */
    FACT_FORCED,   /* every order the object allows that agrees with the facts `from` has a, and has it before b */
    FACT_NO_ORDER, /* no order the object allows agrees with the facts `from` */
    FACT_NEVER_IN, /* a returned v, and no operation of its part of the history has v among its arguments */
    /* a returned v before any operation of its part that has v among its arguments was called; `first` is the first */
    FACT_TOO_EARLY,
    /* a returned v; all operations of its part that may have brought about v and were called before that had
     * returned, `first` as the last of them, before `second` was called, which returned before a was called; these
     * three alone are a violation */
    FACT_STALE,
    /* the core is a alone; the operations `path` of its part (of the history, not of the core) had returned before a
     * was called, no other of its part was called before a returned, and with a behind them they are a violation */
    FACT_OVER,
    /* the core's operations took v out `taken` times, its whole part of the history put it in `put` times, fewer */
    FACT_TOO_OFTEN,
    FACT_STUCK, /* the orders of time and object allow `path` as a beginning, and nothing behind it */
} fact_kind;

typedef struct fact {
    fact_kind kind;
    uint32_t a, b; /* operations: positions in the core */
    uint32_t from; /* a set: bit k for fact k, an earlier one */
    value v;
    uint32_t first, second; /* operations of the history */
    uint32_t taken, put;
    uint32_t path[ORACLE_MAX_OPERATIONS];
    uint32_t path_n;
} fact;

enum { FACTS_MAX = 24 };

typedef struct facts {
    history *only; /* the core's operations alone, cut as the core is */
    fact fact[FACTS_MAX];
    uint32_t n; /* 0: nothing could be found out with reasonable effort */
} facts;

void facts_find(const history *h, const object *o, const core *c, facts *out);
void facts_free(facts *f);

/* For the files that find facts. */
fact *facts_add(facts *f, fact_kind kind, uint32_t a, uint32_t b, uint32_t from);  /* NULL: there are enough */
bool facts_find_value(const history *h, const object *o, const core *c, facts *f); /* value_facts.c */
bool facts_find_over(const history *h, const object *o, const core *c, facts *f);  /* over.c */
/* The operations of a FACT_OVER, and a as the last, as a history of their own. */
history *over_history(const history *h, const core *c, const fact *f);
/* stuck.c: the beginning that orders more completed operations than any other that was met. */
bool facts_find_stuck(const object *o, const history *only, fact *out);
/* Runs the path of a FACT_STUCK; `done` receives the operations in it as a set. */
void stuck_replay(const history *only, const fact *f, replay *r, uint32_t *done);
bool stuck_may_come_next(const history *only, uint32_t done, uint32_t i); /* by the order of time */

#endif
