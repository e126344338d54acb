#include "report/plot.h"

#include "report/plot_frame.h"

#include <assert.h>
#include <math.h>

enum { BARS_MOST = 60 };

typedef struct tallied {
    const uint32_t *times;
    uint32_t n; /* the last one occurred */
    uint64_t all;
    uint32_t width; /* so many numbers share a bar */
} tallied;

static uint64_t in_bar(const tallied *d, uint32_t bar) {
    uint64_t sum = 0;
    for (uint32_t k = bar * d->width; k < d->n && k < (bar + 1) * d->width; k++) sum += d->times[k];
    return sum;
}

static double share(const tallied *d, uint32_t bar) { return 100.0 * (double)in_bar(d, bar) / (double)d->all; }

static uint32_t bars(const tallied *d) {
    assert(d->n > 0 && d->width > 0);
    return (d->n - 1) / d->width + 1;
}

/* The smallest number that so many of them do not exceed. */
static uint32_t quantile(const tallied *d, double part) {
    assert(d->all > 0 && part >= 0 && part <= 1);
    uint64_t below = (uint64_t)((double)(d->all - 1) * part), seen = 0;
    for (uint32_t k = 0; k < d->n; k++)
        if ((seen += d->times[k]) > below) return k;
    return d->n - 1;
}

static void draw_bars(text *t, const axes *a, const tallied *d) {
    for (uint32_t bar = 0; bar < bars(d); bar++) {
        if (!in_bar(d, bar)) continue;
        double x = plot_x(a, (double)bar * d->width), next = plot_x(a, ((double)bar + 1) * d->width),
               y = plot_y(a, share(d, bar));
        text_printf(t, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"><title>%u", x + 1, y,
                    fmax(1, next - x - 2), PLOT_HEIGHT - PLOT_BOTTOM - y, plot_colour(0), bar * d->width);
        if (d->width > 1) text_printf(t, " to %u", bar * d->width + d->width - 1);
        text_printf(t, ": %llu, %.2f %%</title></rect>\n", (unsigned long long)in_bar(d, bar), share(d, bar));
    }
}

static void draw_numbers(text *t, const axes *a, const tallied *d) {
    const struct {
        const char *name;
        double part;
    } known[] = {{"median", 0.5}, {"99 %", 0.99}, {"maximum", 1}};
    text label = {0};
    for (unsigned k = 0; k < 3; k++) {
        uint32_t at = quantile(d, known[k].part);
        text_clear(&label);
        text_printf(&label, "%s %u", known[k].name, at);
        text_printf(t, "<path d=\"M%.1f %dV%d\" stroke=\"%s\" stroke-dasharray=\"4 3\"/>", plot_x(a, at + 0.5),
                    PLOT_TOP, PLOT_HEIGHT - PLOT_BOTTOM, plot_colour(k + 1));
        plot_legend(t, k, plot_colour(k + 1), label.at);
    }
    text_clear(&label);
    text_printf(&label, "%llu in all", (unsigned long long)d->all);
    plot_legend(t, 3, "currentColor", label.at);
    text_free(&label);
}

static void draw_places(text *t, const axes *a, const tallied *d) {
    uint32_t step = (uint32_t)a->x1 / 8 + 1;
    text label = {0};
    for (uint32_t x = 0; x < a->x1; x += step) {
        text_clear(&label);
        text_printf(&label, "%u", x);
        plot_upright(t, plot_x(a, x + d->width / 2.0), label.at);
    }
    text_free(&label);
}

void plot_distribution(const char *title, const char *x_label, const uint32_t *times, uint32_t n, text *out) {
    tallied d = {.times = times, .n = n};
    while (d.n && !times[d.n - 1]) d.n--;
    for (uint32_t k = 0; k < d.n; k++) d.all += times[k];
    d.width = d.n ? (d.n - 1) / BARS_MOST + 1 : 1;
    plot_frame(out, title, x_label, "share in %");
    if (d.all) {
        assert(bars(&d) <= BARS_MOST);
        axes a = {.x1 = (double)bars(&d) * d.width};
        for (uint32_t bar = 0; bar < bars(&d); bar++) a.y1 = fmax(a.y1, share(&d, bar) * 1.05);
        plot_levels(out, &a);
        draw_places(out, &a, &d);
        draw_bars(out, &a, &d);
        draw_numbers(out, &a, &d);
    }
    text_add(out, "</svg>\n");
}
