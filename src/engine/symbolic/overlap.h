/* The order of a part's operations as literals: constants where happens-before says it, one variable for each pair that
 * overlaps. A total order that extends happens-before is a model of the clauses of overlap_order. */
#ifndef PLUMB_ENGINE_SYMBOLIC_OVERLAP_H
#define PLUMB_ENGINE_SYMBOLIC_OVERLAP_H

#include "engine/symbolic/cnf.h"

typedef struct overlap {
    uint32_t n;
    const uint32_t *call, *ret; /* by position; calls ascend; ret UINT32_MAX: never */
    /* by position: its earlier overlapping operations are earlier[start[i] .. start[i + 1]) */
    size_t *start;
    uint32_t *earlier;   /* ascending */
    literal first;       /* the variable of earlier[0]: "earlier[0] is before"; the others follow */
    size_t *later_start; /* the same pairs the other way round */
    uint32_t *later;
    uint32_t *later_pair; /* which of the pairs it is */
    /* By position, bits: operations that have none in common are not ordered, and what has all of them is ordered with
     * everything: transitivity is said where all three have one in common, and of what happens-before orders beside an
     * operation that has one in common with each of the two. NULL: all operations are ordered. */
    const uint8_t *sides;
} overlap;
enum { OVERLAP_SIDES = 4 }; /* what the bits of two sides may be */

/* False: too many pairs, or the budget is spent. */
bool overlap_init(overlap *o, cnf *c, const uint32_t *call, const uint32_t *ret, uint32_t n);
void overlap_free(overlap *o);
bool overlap_order(const overlap *o, cnf *c); /* emits transitivity; false: the budget is spent */

/* The same one operation at a time, in the order of calls: what is to be said once z is called. `recent`: what has
 * returned by then and after the last call of anything that has (of others the clauses follow). */
void overlap_called(const overlap *o, cnf *c, uint32_t z, const uint32_t *recent, uint32_t n);

static inline bool overlaps(const overlap *o, uint32_t x, uint32_t y) {
    return o->ret[x] > o->call[y] && o->ret[y] > o->call[x];
}

literal overlap_variable(const overlap *o, uint32_t x, uint32_t y); /* of x < y that overlap: x is before */

/* Is x before y? (x != y) */
static inline literal before(const overlap *o, uint32_t x, uint32_t y) {
    if (o->ret[x] < o->call[y]) return LIT_TRUE;
    if (o->ret[y] < o->call[x]) return LIT_FALSE;
    return x < y ? overlap_variable(o, x, y) : -overlap_variable(o, y, x);
}

/* The first position whose call is after rank r. */
uint32_t first_called_after(const overlap *o, uint32_t r);

/* All positions, or those that have one of the bits `side`, in the order of the model; returns how many. */
uint32_t overlap_sort(const overlap *o, const cnf *c, unsigned side, uint32_t *at);

#endif
