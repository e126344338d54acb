/* How long quasi(k) takes: growth in operations, in k, in clients, and what is refused. */
#ifndef PLUMB_BENCH_QUASI_H
#define PLUMB_BENCH_QUASI_H

#include <stdbool.h>
#include <stdio.h>

/* Prints a table, also into `results` when it is not NULL. Histories are written below `scratch`. */
bool quasi_table(const char *plumb, const char *scratch, FILE *results);

#endif
