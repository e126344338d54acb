/* Serial runs of one test program while they are collected: a tree whose edges are operations with their results.
 * Written, it is the smallest deterministic automaton of the same runs: equal continuations are one state
 * (object/serial_object.h reads it). */
#ifndef PLUMB_EXPLORE_OUTSIDE_SERIAL_RUNS_H
#define PLUMB_EXPLORE_OUTSIDE_SERIAL_RUNS_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct serial_runs serial_runs;

serial_runs *serial_runs_new(void);
void serial_runs_free(serial_runs *r);
uint32_t serial_runs_call(serial_runs *r, const char *call);            /* the number of "enq 1 = n" */
bool serial_runs_add(serial_runs *r, const uint32_t *call, uint32_t n); /* false: it was there already */
uint64_t serial_runs_count(const serial_runs *r);
/* The lines runs, calls and states of a file; how many states there are. */
uint32_t serial_runs_write(const serial_runs *r, text *out);

#endif
