/* CLMT and SOAR (Guerraoui, Vukolic, CONCUR 2008, figure 7) on histories: time for one, by number of operations. */
#ifndef PLUMB_BENCH_SINGLE_WRITER_H
#define PLUMB_BENCH_SINGLE_WRITER_H

#include <stdbool.h>
#include <stdio.h>

bool single_writer_table(FILE *results);

#endif
