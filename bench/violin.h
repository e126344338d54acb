/* The experiments of Emmi, Enea, Hamza, "Monitoring refinement via symbolic reasoning" (PLDI 2015), section 6, again:
 * figures 12, 13 and 14, on the recorded histories of PLUMB_DATA (../shared/data). */
#ifndef PLUMB_BENCH_VIOLIN_H
#define PLUMB_BENCH_VIOLIN_H

#include <stdbool.h>
#include <stdio.h>

/* Prints tables, also into `results` when it is not NULL, and draws figures 12 and 13. PLUMB_BENCH_SLICE in the
 * environment scales the time limits (standard 1: 5 to 100 s of CPU time for each engine and history). */
bool violin_tables(FILE *results);

#endif
