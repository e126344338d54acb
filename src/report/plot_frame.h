/* What all figures share: their sheet, their labels, where a number lies on it. */
#ifndef PLUMB_REPORT_PLOT_FRAME_H
#define PLUMB_REPORT_PLOT_FRAME_H

#include "base/text.h"

enum { PLOT_WIDTH = 760, PLOT_HEIGHT = 420, PLOT_LEFT = 70, PLOT_RIGHT = 190, PLOT_TOP = 40, PLOT_BOTTOM = 50 };

typedef struct axes {
    double x0, x1, y0, y1;
} axes;

double plot_x(const axes *a, double x);
double plot_y(const axes *a, double y);
const char *plot_colour(unsigned k);
/* Opens the figure; `</svg>` closes it. */
void plot_frame(text *t, const char *title, const char *x_label, const char *y_label);
void plot_upright(text *t, double x, const char *says); /* a line, and what it stands for below it; markup */
void plot_level(text *t, double y, const char *says);
void plot_levels(text *t, const axes *a);        /* of a y axis that begins at 0 */
void plot_decade_levels(text *t, const axes *a); /* of a logarithmic one */
void plot_legend(text *t, unsigned place, const char *colour, const char *says);

#endif
