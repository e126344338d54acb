/* How relaxed relaxed queues are: displacement and lateness in the orders that `plumb check --measure` finds. */
#ifndef PLUMB_BENCH_RELAXATION_H
#define PLUMB_BENCH_RELAXATION_H

#include <stdbool.h>
#include <stdio.h>

/* On the recorded runs of PLUMB_DATA that are not linearizable, and on generated histories. */
bool relaxation_table(const char *plumb, const char *scratch, FILE *results);

#endif
