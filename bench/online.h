/* Speed and memory of monitors, events made in the same process. */
#ifndef PLUMB_BENCH_ONLINE_H
#define PLUMB_BENCH_ONLINE_H

#include <stdbool.h>
#include <stdio.h>

/* Prints a table, also into `results` when it is not NULL. PLUMB_BENCH_EVENTS in the environment sets the number of
 * events for each object (standard 10^7); 10^9 is the long run. */
bool online_table(FILE *results);

#endif
