/* How many executions the explorer needs, and how fast they are. */
#ifndef PLUMB_BENCH_EXPLORE_H
#define PLUMB_BENCH_EXPLORE_H

#include <stdbool.h>
#include <stdio.h>

bool explore_table(const char *plumb, const char *scratch, FILE *results);

#endif
