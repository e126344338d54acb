/* The tables of the Round-Up paper (shared/papers: runtime checking of quasi linearizability) again, on the corpus. */
#ifndef PLUMB_BENCH_ROUNDUP_H
#define PLUMB_BENCH_ROUNDUP_H

#include <stdbool.h>
#include <stdio.h>

bool roundup_tables(const char *plumb, const char *scratch, FILE *results);

#endif
