#include "bench/plot.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 760, HEIGHT = 420, LEFT = 70, RIGHT = 190, TOP = 40, BOTTOM = 50 };

static const char *const colour[] = {"#1b6ca8", "#c0392b", "#1e8449", "#8e44ad", "#b9770e", "#17807e", "#7f8c8d", "#2c3e50"};

typedef struct axes {
    double x0, x1, y0, y1; /* decades */
} axes;

static axes find_axes(const series *s, unsigned count) {
    axes a = {99, -99, 99, -99};
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < s[k].n; i++) {
            double x = log10(s[k].x[i]), y = log10(s[k].y[i]);
            if (x < a.x0) a.x0 = x;
            if (x > a.x1) a.x1 = x;
            if (y < a.y0) a.y0 = y;
            if (y > a.y1) a.y1 = y;
        }
    a.x0 = floor(a.x0), a.x1 = ceil(a.x1), a.y0 = floor(a.y0), a.y1 = ceil(a.y1);
    if (a.y1 - a.y0 < 1) a.y1 = a.y0 + 1;
    if (a.x1 - a.x0 < 1) a.x1 = a.x0 + 1;
    return a;
}

static double px(const axes *a, double x) { return LEFT + (x - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT); }
static double py(const axes *a, double y) { return HEIGHT - BOTTOM - (y - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM); }

static void draw_grid(text *t, const axes *a) {
    for (double x = a->x0; x <= a->x1; x++)
        text_printf(t, "<path d='M%.1f %dV%d' stroke='#ddd'/><text x='%.1f' y='%d' text-anchor='middle'>10^%.0f</text>\n", px(a, x), TOP,
                    HEIGHT - BOTTOM, px(a, x), HEIGHT - BOTTOM + 18, x);
    for (double y = a->y0; y <= a->y1; y++)
        text_printf(t, "<path d='M%d %.1fH%d' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>10^%.0f</text>\n", LEFT, py(a, y),
                    WIDTH - RIGHT, LEFT - 6, py(a, y) + 4, y);
}

static void draw_series(text *t, const axes *a, const series *s, unsigned k) {
    const char *c = colour[k % (sizeof colour / sizeof *colour)];
    text_printf(t, "<polyline fill='none' stroke='%s' stroke-width='2' points='", c);
    for (unsigned i = 0; i < s->n; i++) text_printf(t, "%.1f,%.1f ", px(a, log10(s->x[i])), py(a, log10(s->y[i])));
    text_add(t, "'/>\n");
    for (unsigned i = 0; i < s->n; i++)
        text_printf(t, "<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>", px(a, log10(s->x[i])), py(a, log10(s->y[i])), c);
    text_printf(t, "<text x='%d' y='%u' fill='%s'>%s</text>\n", WIDTH - RIGHT + 12, TOP + 8 + 18 * k, c, s->name);
}

void plot_write(const char *path, const char *title, const char *y_label, const series *s, unsigned count) {
    text t = {0};
    axes a = find_axes(s, count);
    text_printf(&t, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n", WIDTH, HEIGHT);
    text_printf(&t, "<rect width='100%%' height='100%%' fill='white'/><text x='%d' y='22' font-size='15'>%s</text>\n", LEFT, title);
    draw_grid(&t, &a);
    text_printf(&t, "<text x='%d' y='%d' text-anchor='middle'>operations</text>", LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 10);
    text_printf(&t, "<text transform='translate(16 %d) rotate(-90)' text-anchor='middle'>%s</text>\n", HEIGHT / 2, y_label);
    for (unsigned k = 0; k < count; k++) draw_series(&t, &a, &s[k], k);
    text_add(&t, "</svg>\n");
    FILE *f = fopen(path, "w");
    if (f) {
        fwrite(t.at, 1, t.size, f);
        fclose(f);
    }
    text_free(&t);
}
