/* Figures as SVG, in one style: by themselves they are dark on white, in a page they take its colours. */
#ifndef PLUMB_REPORT_PLOT_H
#define PLUMB_REPORT_PLOT_H

#include "base/text.h"

enum { PLOT_POINTS = 16 };

typedef struct plot_series {
    const char *name;
    double x[PLOT_POINTS], y[PLOT_POINTS]; /* above zero */
    unsigned n;
} plot_series;

/* Cost against size, both axes logarithmic. */
void plot_growth(const char *title, const char *x_label, const char *y_label, const plot_series *s, unsigned count, text *out);

/* How often each number occurs (displacements, delays): bars, and where median, 99th percentile and maximum are. Above a few dozen
 * different numbers neighbours share a bar. */
void plot_distribution(const char *title, const char *x_label, const uint32_t *number, size_t n, text *out);

#endif
