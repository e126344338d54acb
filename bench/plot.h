/* A plot as a file of its own. */
#ifndef PLUMB_BENCH_PLOT_H
#define PLUMB_BENCH_PLOT_H

#include "report/plot.h"

typedef plot_series series;

void plot_write(const char *path, const char *title, const char *x_label, const char *y_label, const series *s,
                unsigned count);

#endif
