/* A theory against a sequential object: all sequential histories up to a length, over a small alphabet. */
#ifndef PLUMB_THEORY_COMPARE_H
#define PLUMB_THEORY_COMPARE_H

#include "base/budget.h"
#include "theory/theory.h"

typedef struct comparison_settings {
    uint32_t values;        /* different values in arguments; 0: two */
    uint32_t clients;       /* where the theory sees them; 0: two */
    uint32_t length;        /* of the longest history; 0: as long as `histories` allow */
    uint64_t histories;     /* at most about this many; 0: 100000 */
    bool by_beginnings;     /* a beginning that object and theory both refuse for good stands for all that it begins */
    bool common;            /* compare the methods that both have; otherwise a method of one side is a difference */
    const object_type *own; /* the methods that the theory is asked to have; NULL: all of the object's */
} comparison_settings;

typedef struct comparison {
    bool equal;
    bool complete;       /* false: the budget ran out before the last length was done */
    uint32_t length;     /* all histories up to this length were compared */
    uint64_t histories;  /* compared */
    uint64_t legal;      /* of them, histories of the object */
    uint32_t letters;    /* different operations */
    bool theory_accepts; /* the difference: who accepts it */
    text difference;     /* the smallest one: operations, one behind the other */
    text only_theory;    /* methods that the object does not have, and the other way round */
    text only_object;
    uint32_t keys; /* different keys of a keyed object; 0: it has none */
    text axiom;    /* that refuses it, where one does so by itself */
} comparison;

/* o has its values (object_use_values). False: error set (nothing to compare). */
bool theory_compare(const theory *t, const object *o, const comparison_settings *s, budget *b, comparison *out,
                    error *e);
void comparison_free(comparison *c);

#endif
