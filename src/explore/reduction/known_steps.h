/* The order of calls and returns in a trace, for less than vector clocks cost.
 *
 * What is decided of a trace are its calls and returns (boundary.h), and those of one thread come one after the other.
 * So it is enough that a step *knows* how many calls and returns of each thread happen before it or with it. A write
 * knows what all earlier steps at its place knew, a read what the last write there knew: a place keeps two such rows,
 * and older steps are not looked at.
 *
 * That is so where each step reads or writes at one place, and places are the same or apart. Locks, semaphores and
 * memory that is accessed in several sizes take vector clocks (nodes.h), and so do strategies that reverse races.
 * Steps are taken back in the opposite order. */
#ifndef PLUMB_EXPLORE_REDUCTION_KNOWN_STEPS_H
#define PLUMB_EXPLORE_REDUCTION_KNOWN_STEPS_H

#include "explore/model/trace_clocks.h"
#include "explore/model/world.h"

enum { CELL_BITS = 12, CELLS = 1 << CELL_BITS, CELLS_MOST = CELLS / 2 };

typedef struct touched_cell { /* a place */
    uintptr_t address;
    uint32_t size;  /* 0: none is here */
    int32_t newest; /* the step that touched it last; -1: none */
} touched_cell;

typedef struct known_steps {
    known_step *nothing; /* stands before the first step: a place that was not touched hands on nothing */
    known_step *step;
    uint32_t room;
    int32_t newest[THREADS_MAX]; /* each thread's last step; -1: none */
    /* a table by address, and one more for steps without a place; they stay when steps are taken back */
    touched_cell *cell;
    uint32_t cells;
} known_steps;

void known_steps_init(known_steps *k);
void known_steps_free(known_steps *k);
void known_steps_reserve(known_steps *k, uint32_t steps);

/* Step i of the thread, the next one, is behind so many calls and returns of its own. False: it is one of those that
 * take vector clocks, and nothing was changed. */
bool known_steps_add(known_steps *k, const world *w, uint32_t i, unsigned thread, const step *s);
/* The same of all that the world has passed, the first of them being step i. */
bool known_steps_pass(known_steps *k, const world *w, uint32_t i, unsigned thread);
/* `thread`: of each step. */
void known_steps_forget(known_steps *k, const uint8_t *thread, uint32_t recorded, uint32_t keep);

#endif
