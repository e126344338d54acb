/* Runs a command in a process of its own and says what it cost. */
#ifndef PLUMB_BENCH_MEASURE_H
#define PLUMB_BENCH_MEASURE_H

#include <stdio.h>

typedef struct cost {
    double wall, cpu; /* seconds */
    /* of cpu, without what the kernel did: giving memory that has not been used yet can cost more than using it */
    double user;
    double peak_mb; /* resident */
    int exit_code;
} cost;

/* Standard output and error of the command go to /dev/null. `argv` ends with NULL. */
cost measure(char *const argv[]);
/* The one with the least CPU time of several runs: disturbances only add. */
cost measure_best(char *const argv[], unsigned runs);

double measure_self(void);                          /* CPU seconds of this process so far */
double measure_children(void);                      /* of all that it started and that have ended */
void measure_say(FILE *results, const char *words); /* to standard output, and to results when it is not NULL */

#endif
