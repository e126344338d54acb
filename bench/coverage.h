/* docs/REACHABILITY.md: how many violations A_k sees, of all executions of a queue that lets values overtake each
 * other. */
#ifndef PLUMB_BENCH_COVERAGE_H
#define PLUMB_BENCH_COVERAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Prints a table, also into `results` when it is not NULL, and draws bench/results/reachability-coverage-figure.svg.
 * Programs are compiled below `scratch`. */
bool coverage_table(const char *plumb, const char *scratch, FILE *results);

#endif
