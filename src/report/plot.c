#include "report/plot.h"

#include "base/mem.h"
#include "report/escape.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 190, TOP = 40, BOTTOM = 50, BARS_MOST = 60 };

static const char *const colour[] = {"#2f6fb5", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#17807e", "#7f8c8d", "#5d6d7e"};

typedef struct axes {
    double x0, x1, y0, y1;
} axes;

static double px(const axes *a, double x) { return LEFT + (x - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT); }
static double py(const axes *a, double y) { return HEIGHT - BOTTOM - (y - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM); }

static void frame(text *t, const char *title, const char *x_label, const char *y_label) {
    text_printf(t, "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                   "font-size=\"12\" color=\"#222222\" fill=\"currentColor\">\n<rect class=\"sheet\" width=\"100%%\" height=\"100%%\" fill=\"white\"/>", WIDTH, HEIGHT,
                WIDTH, HEIGHT);
    text_printf(t, "<text x=\"%d\" y=\"22\" font-size=\"15\">", LEFT);
    escape_xml_string(t, title);
    text_printf(t, "</text><text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 10);
    escape_xml_string(t, x_label);
    text_printf(t, "</text><text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">", HEIGHT / 2);
    escape_xml_string(t, y_label);
    text_add(t, "</text>\n");
}

static void upright(text *t, double x, const char *says) {
    text_printf(t, "<path d=\"M%.1f %dV%d\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x, TOP,
                HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, says);
}

static void level(text *t, double y, const char *says) {
    text_printf(t, "<path d=\"M%d %.1fH%d\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT, y,
                WIDTH - RIGHT, LEFT - 6, y + 4, says);
}

/* ---- growth ---------------------------------------------------------------------------------------------------------------- */

static axes decades(const plot_series *s, unsigned count) {
    axes a = {99, -99, 99, -99};
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < s[k].n; i++) {
            double x = log10(s[k].x[i]), y = log10(s[k].y[i]);
            a.x0 = fmin(a.x0, x), a.x1 = fmax(a.x1, x), a.y0 = fmin(a.y0, y), a.y1 = fmax(a.y1, y);
        }
    a.x0 = floor(a.x0), a.x1 = ceil(a.x1), a.y0 = floor(a.y0), a.y1 = ceil(a.y1);
    if (a.y1 - a.y0 < 1) a.y1 = a.y0 + 1;
    if (a.x1 - a.x0 < 1) a.x1 = a.x0 + 1;
    return a;
}

static void power_of_ten(text *out, double exponent) { text_printf(out, "10<tspan dy=\"-5\" font-size=\"9\">%.0f</tspan>", exponent); }

static void draw_decades(text *t, const axes *a) {
    text label = {0};
    for (double x = a->x0; x <= a->x1; x++) {
        text_clear(&label);
        power_of_ten(&label, x);
        upright(t, px(a, x), label.at);
    }
    for (double y = a->y0; y <= a->y1; y++) {
        text_clear(&label);
        power_of_ten(&label, y);
        level(t, py(a, y), label.at);
    }
    text_free(&label);
}

static void draw_series(text *t, const axes *a, const plot_series *s, unsigned k) {
    const char *c = colour[k % (sizeof colour / sizeof *colour)];
    text_printf(t, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", c);
    for (unsigned i = 0; i < s->n; i++) text_printf(t, "%.1f,%.1f ", px(a, log10(s->x[i])), py(a, log10(s->y[i])));
    text_add(t, "\"/>");
    for (unsigned i = 0; i < s->n; i++)
        text_printf(t, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%g: %g</title></circle>", px(a, log10(s->x[i])), py(a, log10(s->y[i])), c,
                    s->x[i], s->y[i]);
    text_printf(t, "<text x=\"%d\" y=\"%u\" fill=\"%s\">", WIDTH - RIGHT + 12, TOP + 8 + 18 * k, c);
    escape_xml_string(t, s->name);
    text_add(t, "</text>\n");
}

void plot_growth(const char *title, const char *x_label, const char *y_label, const plot_series *s, unsigned count, text *out) {
    axes a = decades(s, count);
    frame(out, title, x_label, y_label);
    draw_decades(out, &a);
    for (unsigned k = 0; k < count; k++) draw_series(out, &a, &s[k], k);
    text_add(out, "</svg>\n");
}

/* ---- distributions ---------------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void draw_bars(text *t, const axes *a, const uint32_t *sorted, size_t n, uint32_t width) {
    for (size_t i = 0; i < n;) {
        uint32_t bar = sorted[i] / width;
        size_t end = i;
        while (end < n && sorted[end] / width == bar) end++;
        double share = 100.0 * (double)(end - i) / (double)n, x = px(a, (double)bar * width), next = px(a, ((double)bar + 1) * width);
        text_printf(t, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%u", x + 1, py(a, share), fmax(1, next - x - 2),
                    HEIGHT - BOTTOM - py(a, share), colour[0], bar * width);
        if (width > 1) text_printf(t, " to %u", bar * width + width - 1);
        text_printf(t, ": %zu, %.2f %%</title></rect>\n", end - i, share);
        i = end;
    }
}

static double most_share(const uint32_t *sorted, size_t n, uint32_t width) {
    double most = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && sorted[end] / width == sorted[i] / width;) end++;
        most = fmax(most, 100.0 * (double)(end - i) / (double)n);
    }
    return most;
}

static void draw_numbers(text *t, const axes *a, const uint32_t *sorted, size_t n) {
    const struct {
        const char *name;
        uint32_t at;
    } known[] = {{"median", sorted[(n - 1) / 2]}, {"99 %", sorted[(n - 1) * 99 / 100]}, {"maximum", sorted[n - 1]}};
    for (unsigned k = 0; k < 3; k++) {
        double x = px(a, known[k].at + 0.5);
        text_printf(t, "<path d=\"M%.1f %dV%d\" stroke=\"%s\" stroke-dasharray=\"4 3\"/>", x, TOP, HEIGHT - BOTTOM, colour[k + 1]);
        text_printf(t, "<text x=\"%d\" y=\"%u\" fill=\"%s\">%s %u</text>\n", WIDTH - RIGHT + 12, TOP + 8 + 18 * k, colour[k + 1], known[k].name, known[k].at);
    }
    text_printf(t, "<text x=\"%d\" y=\"%d\">%zu in all</text>\n", WIDTH - RIGHT + 12, TOP + 8 + 18 * 3, n);
}

void plot_distribution(const char *title, const char *x_label, const uint32_t *number, size_t n, text *out) {
    frame(out, title, x_label, "share in %");
    if (n) {
        uint32_t *sorted = mem_copy(number, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, ascending);
        uint32_t most = sorted[n - 1], width = most / BARS_MOST + 1;
        axes a = {.x1 = ((double)(most / width) + 1) * width, .y1 = most_share(sorted, n, width) * 1.05};
        text label = {0};
        for (int k = 0; k <= 4; k++) {
            text_clear(&label);
            text_printf(&label, "%.3g", a.y1 * k / 4);
            level(out, py(&a, a.y1 * k / 4), label.at);
        }
        uint32_t step = (uint32_t)a.x1 / 8 + 1;
        for (uint32_t x = 0; x < a.x1; x += step) {
            text_clear(&label);
            text_printf(&label, "%u", x);
            upright(out, px(&a, x + width / 2.0), label.at);
        }
        draw_bars(out, &a, sorted, n, width);
        draw_numbers(out, &a, sorted, n);
        text_free(&label);
        free(sorted);
    }
    text_add(out, "</svg>\n");
}
