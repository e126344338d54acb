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
void plot_growth(const char *title, const char *x_label, const char *y_label, const plot_series *s, unsigned count,
                 text *out);

/* How often each number occurs (displacements, delays): k occurs times[k] times. Bars, and where median, 99th
 * percentile and maximum are. Above a few dozen numbers neighbours share a bar. */
void plot_distribution(const char *title, const char *x_label, const uint32_t *times, uint32_t n, text *out);

/* One box, or a bar up to its median. Boxes of a name have a colour, those of a group stand together. */
typedef struct plot_box {
    const char *group, *name;
    double least, low, median, high, most; /* low and high: the quartiles */
    double published;                      /* beside it; 0: nothing was */
    bool bar;
} plot_box;

/* At most 16 groups and 16 names. */
void plot_boxes(const char *title, const char *x_label, const char *y_label, bool logarithmic, const plot_box *box,
                unsigned n, text *out);

#endif
