/* Small test programs, made systematically from the declared operations: every way to spread a few operations over a
 * few threads, up to the order of the threads and, where values are interchangeable, up to the names of the values.
 * Smallest first, so the first failing one is a smallest. */
#ifndef PLUMB_EXPLORE_OUTSIDE_PROGRAMS_H
#define PLUMB_EXPLORE_OUTSIDE_PROGRAMS_H

#include "base/error.h"
#include "explore/model/coverage.h"

#include <stdint.h>

enum { PROGRAM_OPERATIONS = 16, PROGRAM_ARGS = 3, PROGRAM_THREADS = 8, PROGRAM_LENGTH = 16, PROGRAM_NAME = 48 };

typedef struct program_operation {
    char name[PROGRAM_NAME];
    unsigned nargs;
    int64_t low[PROGRAM_ARGS], high[PROGRAM_ARGS]; /* each argument ranges over these */
    int64_t drawn_high[PROGRAM_ARGS];              /* of programs that are drawn */
    bool fresh;         /* the first argument is a number of its own for each call (what goes into a queue) */
    bool adds, removes; /* one element */
    bool initial;       /* may also happen before the threads start: fills the object */
    uint32_t roles;     /* contract: all calls of operations that share a bit are of one thread */
    bool waits;         /* contract: while there is nothing to remove, or no room to add */
} program_operation;

typedef struct program_space {
    program_operation op[PROGRAM_OPERATIONS];
    unsigned ops;
    unsigned min_threads, max_threads; /* at least 1, at most PROGRAM_THREADS */
    unsigned min_length, max_length;   /* operations of a thread, at most PROGRAM_LENGTH */
    unsigned drawn_length;             /* the same of programs that are drawn: at least max_length */
    unsigned max_initial;
    unsigned capacity; /* elements that there is room for; 0: any number */
    bool drains;       /* what was put in is taken out at the end, by the first operation that removes */
} program_space;

/* "enq(1..3) deq cas(0..1,0..1)" over the declared operations already in the space: keeps those named, with these
 * ranges. A name without a range keeps its own. */
bool programs_restrict(program_space *s, const char *chosen, error *e);

typedef struct made_program { /* one test, as PLUMB_THREADS writes it */
    const char *text;
    unsigned threads, operations; /* initial ones among them, those at the end not */
} made_program;

void programs_limits(const program_space *s, coverage *out); /* how large programs get, and of how many values */

/* Calls `each` with every program, fewest operations first, then fewest threads, until it returns false. True: all were
 * made. */
bool programs_each(const program_space *s, bool (*each)(void *context, const made_program *p), void *context);

/* A program drawn by lot, for what comes too late when all are made: longer threads and more values, of as many
 * operations as the largest that are made, or as can be made smaller again. The same seed gives the same program.
 * False: none was found that keeps the contracts. */
bool programs_draw(const program_space *s, uint64_t seed, text *out);

#endif
