/* The pending operations of a part, by kind: those of one kind do the same, so that of them only the number matters
 * that has taken effect, and the one that was called first may as well go first. A way things can stand names those
 * that took effect on it by an end of the tree `spent`. */
#ifndef PLUMB_ENGINE_GENERAL_RESERVE_H
#define PLUMB_ENGINE_GENERAL_RESERVE_H

#include "engine/general/trail.h"
#include "history/value_map.h"

typedef struct reserve_kind {
    operation op;       /* as any of them */
    uint32_t first, n;  /* its members, in the order of their calls */
    uint32_t settled;   /* of them: took effect on all ways that are left */
    uint32_t last_seen; /* while they are sorted by kind: the member that was added last */
    uint32_t next;      /* another kind that brings about the same value; NO_MEMBER: none */
} reserve_kind;

typedef struct reserve {
    const problem *p;
    reserve_kind *kind;
    uint32_t kinds;
    uint32_t *member; /* operations of the history */
    trail spent;      /* of kinds */
    uint32_t counted; /* of what is settled there: counted by kind */
    bool waits;       /* they may as well take effect right before what looks for the value they bring about */
    value_map by_value;
    uint32_t *idle; /* kinds whose value nothing looks for: all they can do is take the place of another */
    uint32_t idle_n, idle_from;
} reserve;

/* Of the operations at these positions, ascending. */
void reserve_init(reserve *r, const problem *p, const uint32_t *position, uint32_t n);
void reserve_free(reserve *r);
/* The next member of a kind for a way that spent these, if it was called before this rank; NO_MEMBER: there is none. */
#define NO_MEMBER UINT32_MAX
/* The first kind that brings about this value, if `waits`; NO_MEMBER: none does. */
uint32_t reserve_bringing(const reserve *r, value v);
uint32_t reserve_next(const reserve *r, uint32_t spent, uint32_t kind, uint32_t rank);
/* What leads to none of the ends is forgotten; their numbers are updated. */
void reserve_retain(reserve *r, uint32_t *const *end, uint32_t n);

/* Not for objects with half-way states: their step looks at the times of operations too. */
bool operations_do_the_same(const object *o, const operation *a, const operation *b);

#endif
