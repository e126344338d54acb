/* The definitions of quasi and out-of-order by direct enumeration: every linear extension of every completion of the
 * history is written down as a sequence of adds, removals and empties, and the definition is checked on it by counting
 * pairs. Shares nothing with the relaxed objects (object/overtaking.c) or the engines; for histories of a few
 * operations. */
#ifndef PLUMB_TESTS_CRITERION_ORACLE_H
#define PLUMB_TESTS_CRITERION_ORACLE_H

#include "evidence/oracle.h"

enum { ENUMERATE_MAX_OPERATIONS = 12 };

typedef struct sequence_distance { /* of one sequence that is a run of a bag */
    uint32_t ahead;                /* most elements ahead of a removed one */
    uint32_t overtaken;            /* most times an element was overtaken */
    uint32_t late;                 /* most removals in a row that bypassed one head */
} sequence_distance;

/* Is there a sequence within the limits of o's criterion (linearizable, quasi, out-of-order)? ORACLE_GAVE_UP: more
 * operations than these, several parts, or another criterion. Values must be different. */
oracle_answer criterion_by_enumeration(const object *o, const history *h);

/* The smallest k for which the history is quasi(k); false: there is none. */
bool quasi_by_enumeration(const object *o, const history *h, uint32_t *k);

#endif
