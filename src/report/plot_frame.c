#include "report/plot_frame.h"

#include "report/escape.h"

#include <assert.h>
#include <math.h>

static const char *const colour[] = {"#2f6fb5", "#c0392b", "#1e8449", "#8e44ad", "#b9770e",
                                     "#17807e", "#7f8c8d", "#5d6d7e", "#a04070", "#4a6b1f"};

const char *plot_colour(unsigned k) { return colour[k % (sizeof colour / sizeof *colour)]; }

double plot_x(const axes *a, double x) {
    assert(a->x1 > a->x0);
    return PLOT_LEFT + (x - a->x0) / (a->x1 - a->x0) * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}
double plot_y(const axes *a, double y) {
    assert(a->y1 > a->y0);
    return PLOT_HEIGHT - PLOT_BOTTOM - (y - a->y0) / (a->y1 - a->y0) * (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM);
}

void plot_frame(text *t, const char *title, const char *x_label, const char *y_label) {
    text_printf(t,
                "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" font-family=\"sans-serif\" "
                "font-size=\"12\" color=\"#222222\" fill=\"currentColor\" role=\"img\" aria-label=\"",
                PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT);
    escape_xml_string(t, title);
    text_printf(t,
                "\">\n<rect class=\"sheet\" width=\"100%%\" height=\"100%%\" fill=\"white\"/><text x=\"%d\" y=\"22\" "
                "font-size=\"15\">",
                PLOT_LEFT);
    escape_xml_string(t, title);
    text_printf(t, "</text><text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
                PLOT_LEFT + (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT) / 2, PLOT_HEIGHT - 10);
    escape_xml_string(t, x_label);
    text_printf(t, "</text><text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">", PLOT_HEIGHT / 2);
    escape_xml_string(t, y_label);
    text_add(t, "</text>\n");
}

void plot_upright(text *t, double x, const char *says) {
    text_printf(t,
                "<path d=\"M%.1f %dV%d\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%s</text>\n",
                x, PLOT_TOP, PLOT_HEIGHT - PLOT_BOTTOM, x, PLOT_HEIGHT - PLOT_BOTTOM + 18, says);
}

void plot_level(text *t, double y, const char *says) {
    text_printf(t,
                "<path d=\"M%d %.1fH%d\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%s</text>\n",
                PLOT_LEFT, y, PLOT_WIDTH - PLOT_RIGHT, PLOT_LEFT - 6, y + 4, says);
}

/* 1, 2 or 5 times a power of ten: at most six of them up to `most`. */
static double round_step(double most) {
    assert(most > 0);
    double ten = pow(10, floor(log10(most)));
    for (double step = ten / 10;; step *= 10)
        for (int k = 0; k < 3; k++) {
            double of = step * (double[]){1, 2, 5}[k];
            if (most / of <= 6) return of;
        }
}

void plot_levels(text *t, const axes *a) {
    text label = {0};
    double step = round_step(a->y1);
    for (int k = 0; k * step <= a->y1 * 1.0001; k++) {
        text_clear(&label);
        text_printf(&label, "%.6g", k * step);
        plot_level(t, plot_y(a, k * step), label.at);
    }
    text_free(&label);
}

void plot_decade_levels(text *t, const axes *a) {
    text label = {0};
    for (double y = a->y0; y <= a->y1; y++) {
        text_clear(&label);
        text_printf(&label, "10<tspan dy=\"-5\" font-size=\"9\">%.0f</tspan>", y);
        plot_level(t, plot_y(a, y), label.at);
    }
    text_free(&label);
}

void plot_legend(text *t, unsigned place, const char *c, const char *says) {
    text_printf(t, "<text x=\"%d\" y=\"%u\" fill=\"%s\">", PLOT_WIDTH - PLOT_RIGHT + 12, PLOT_TOP + 8 + 18 * place, c);
    escape_xml_string(t, says);
    text_add(t, "</text>\n");
}
