#include "report/plot.h"

#include "report/plot_frame.h"

#include <assert.h>
#include <math.h>

static axes decades(const plot_series *s, unsigned count) {
    axes a = {99, -99, 99, -99};
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < s[k].n; i++) {
            double x = log10(s[k].x[i]), y = log10(s[k].y[i]);
            assert(s[k].x[i] > 0 && s[k].y[i] > 0); /* axes are logarithmic */
            a = (axes){fmin(a.x0, x), fmax(a.x1, x), fmin(a.y0, y), fmax(a.y1, y)};
        }
    a = (axes){floor(a.x0), ceil(a.x1), floor(a.y0), ceil(a.y1)};
    if (a.y1 - a.y0 < 1) a.y1 = a.y0 + 1;
    if (a.x1 - a.x0 < 1) a.x1 = a.x0 + 1;
    return a;
}

static void draw_decades(text *t, const axes *a) {
    text label = {0};
    for (double x = a->x0; x <= a->x1; x++) {
        text_clear(&label);
        text_printf(&label, "10<tspan dy=\"-5\" font-size=\"9\">%.0f</tspan>", x);
        plot_upright(t, plot_x(a, x), label.at);
    }
    text_free(&label);
    plot_decade_levels(t, a);
}

static void draw_series(text *t, const axes *a, const plot_series *s, unsigned k) {
    const char *c = plot_colour(k);
    text_printf(t, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", c);
    for (unsigned i = 0; i < s->n; i++)
        text_printf(t, "%.1f,%.1f ", plot_x(a, log10(s->x[i])), plot_y(a, log10(s->y[i])));
    text_add(t, "\"/>");
    for (unsigned i = 0; i < s->n; i++)
        text_printf(t, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%g: %g</title></circle>",
                    plot_x(a, log10(s->x[i])), plot_y(a, log10(s->y[i])), c, s->x[i], s->y[i]);
    plot_legend(t, k, c, s->name);
}

void plot_growth(const char *title, const char *x_label, const char *y_label, const plot_series *s, unsigned count,
                 text *out) {
    axes a = decades(s, count);
    plot_frame(out, title, x_label, y_label);
    draw_decades(out, &a);
    for (unsigned k = 0; k < count; k++) draw_series(out, &a, &s[k], k);
    text_add(out, "</svg>\n");
}
