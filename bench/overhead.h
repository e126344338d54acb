/* docs/REACHABILITY.md: what monitors cost beside the executions that they watch. */
#ifndef PLUMB_BENCH_OVERHEAD_H
#define PLUMB_BENCH_OVERHEAD_H

#include <stdbool.h>
#include <stdio.h>

/* Prints a table, also into `results` when it is not NULL, and draws bench/results/reachability-overhead-few.svg,
 * reachability-overhead-many.svg. Programs are compiled below `scratch`. */
bool overhead_table(const char *plumb, const char *scratch, FILE *results);

#endif
