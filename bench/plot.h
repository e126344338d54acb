/* A log-log plot of cost against size, as a small SVG file of its own. */
#ifndef PLUMB_BENCH_PLOT_H
#define PLUMB_BENCH_PLOT_H

typedef struct series {
    const char *name;
    double x[16], y[16];
    unsigned n;
} series;

void plot_write(const char *path, const char *title, const char *y_label, const series *s, unsigned count);

#endif
