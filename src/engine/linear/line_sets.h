/* Sets of lines of values, all of one length, as decision diagrams: a set is its first values, each with the set of
 * what may follow. Equal sets are one number, so what many lines have in common is there once. */
#ifndef PLUMB_ENGINE_LINEAR_LINE_SETS_H
#define PLUMB_ENGINE_LINEAR_LINE_SETS_H

#include "base/table.h"
#include "engine/engine.h"

typedef uint32_t line_set;
#define LINES_NONE UINT32_MAX /* the empty set */
enum { LINES_EMPTY = 0 };     /* the set of the line without values */

typedef struct line_branch {
    value v;
    line_set rest;
} line_branch;

typedef struct line_choice {   /* a set */
    uint32_t branch, branches; /* by ascending value */
} line_choice;

typedef struct line_pair { /* two sets and what was made of them */
    line_set a, b, result;
} line_pair;

enum { LINE_PAIRS = 1 << 14 };

typedef struct line_sets {
    line_choice *at;
    uint32_t n, room;
    line_branch *branch;
    uint32_t branches, branch_room;
    table known;
    line_pair *united;               /* a cache */
    line_set *made;                  /* by set, in one change at the far end: what became of it */
    uint32_t *stamp, stamped, marks; /* by set: `made` holds in this change */
    budget *budget;
    size_t charged;
    unsigned ticks;
} line_sets;

void line_sets_init(line_sets *x, budget *b);
void line_sets_free(line_sets *x);

line_set lines_add_first(line_sets *x, value v, line_set s);
line_set lines_add_last(line_sets *x, line_set s, value v);
/* Of the lines that begin (end) with v, what is left without it; VALUE_UNKNOWN: of all. The lines are not empty. */
line_set lines_take_first(line_sets *x, line_set s, value v);
line_set lines_take_last(line_sets *x, line_set s, value v);
line_set lines_union(line_sets *x, line_set a, line_set b);
const line_branch *lines_branches(const line_sets *x, line_set s, uint32_t *n);
line_set lines_follow(const line_sets *x, line_set s, value v); /* what may come behind this first value */

#endif
