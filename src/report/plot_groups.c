/* Bars and boxes side by side, in groups. */
#include "report/plot.h"

#include "report/escape.h"
#include "report/plot_frame.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NAMES_MOST = 16 };

typedef struct groups {
    const plot_box *box;
    unsigned n;
    const char *group[NAMES_MOST], *name[NAMES_MOST]; /* in the order in which they come */
    unsigned groups, names;
    bool logarithmic, published;
    axes a;
} groups;

static unsigned place_of(const char **list, unsigned *n, const char *what) {
    for (unsigned k = 0; k < *n; k++)
        if (!strcmp(list[k], what)) return k;
    if (*n == NAMES_MOST) return NAMES_MOST - 1;
    list[*n] = what;
    return (*n)++;
}

static double height(const groups *g, double y) {
    assert(!g->logarithmic || y > 0);
    return g->logarithmic ? log10(y) : y;
}

static void look(groups *g, const double *y, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        if (y[k] <= 0 && g->logarithmic) continue;
        g->a.y0 = fmin(g->a.y0, height(g, y[k]));
        g->a.y1 = fmax(g->a.y1, height(g, y[k]));
    }
}

static void arrange(groups *g) {
    g->a.y0 = g->logarithmic ? 99 : 0;
    g->a.y1 = g->logarithmic ? -99 : 0;
    for (unsigned k = 0; k < g->n; k++) {
        const plot_box *b = &g->box[k];
        place_of(g->group, &g->groups, b->group);
        place_of(g->name, &g->names, b->name);
        if (b->bar) look(g, &b->median, 1);
        else look(g, (double[]){b->least, b->most}, 2);
        if (b->published > 0) {
            look(g, &b->published, 1);
            g->published = true;
        }
    }
    if (g->logarithmic) {
        g->a.y0 = floor(g->a.y0);
        g->a.y1 = fmax(ceil(g->a.y1), g->a.y0 + 1);
    } else {
        g->a.y1 = g->a.y1 > 0 ? g->a.y1 * 1.05 : 1;
    }
    g->a.x1 = g->groups;
}

/* A group has room for its names, and one more between groups. */
static double middle(groups *g, const plot_box *b) {
    unsigned group = place_of(g->group, &g->groups, b->group), name = place_of(g->name, &g->names, b->name);
    return plot_x(&g->a, group + (name + 1.0) / (g->names + 1));
}

static double slot(const groups *g) { return (plot_x(&g->a, 1) - plot_x(&g->a, 0)) / (g->names + 1) * 0.8; }
static double at(const groups *g, double y) {
    return g->logarithmic && y <= 0 ? plot_y(&g->a, g->a.y0) : plot_y(&g->a, height(g, y));
}

static void draw_box(text *t, groups *g, const plot_box *b) {
    double x = middle(g, b), w = slot(g);
    const char *c = plot_colour(place_of(g->name, &g->names, b->name));
    double top = at(g, b->bar ? b->median : b->high), bottom = b->bar ? plot_y(&g->a, g->a.y0) : at(g, b->low);
    if (!b->bar) text_printf(t, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>", x, at(g, b->least), at(g, b->most), c);
    text_printf(t,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"%s\" "
                "stroke=\"%s\"><title>",
                x - w / 2, top, w, fmax(0.5, bottom - top), c, b->bar ? "0.85" : "0.35", c);
    escape_xml_string(t, b->group);
    text_add(t, ", ");
    escape_xml_string(t, b->name);
    text_printf(t, ": %g", b->median);
    if (b->published > 0) text_printf(t, "; published %g", b->published);
    text_add(t, "</title></rect>");
    if (!b->bar)
        text_printf(t, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"%s\" stroke-width=\"2\"/>", x - w / 2, at(g, b->median), w,
                    c);
    if (b->published > 0) {
        double y = at(g, b->published);
        text_printf(t,
                    "<path class=\"published-mark\" d=\"M%.1f %.1fl5 5l-5 5l-5 -5z\" fill=\"none\" "
                    "stroke=\"currentColor\" stroke-width=\"1.5\"/>",
                    x, y - 5);
    }
    text_char(t, '\n');
}

static void draw_names(text *t, const groups *g) {
    text label = {0};
    for (unsigned k = 0; k < g->groups; k++) {
        text_clear(&label);
        escape_xml_string(&label, g->group[k]);
        text_printf(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", plot_x(&g->a, k + 0.5),
                    PLOT_HEIGHT - PLOT_BOTTOM + 18, label.at);
    }
    text_free(&label);
    for (unsigned k = 0; k < g->names; k++) plot_legend(t, k, plot_colour(k), g->name[k]);
    if (g->published) plot_legend(t, g->names, "currentColor", "\u25c7 published");
}

void plot_boxes(const char *title, const char *x_label, const char *y_label, bool logarithmic, const plot_box *box,
                unsigned n, text *out) {
    groups g = {.box = box, .n = n, .logarithmic = logarithmic};
    arrange(&g);
    plot_frame(out, title, x_label, y_label);
    if (logarithmic) plot_decade_levels(out, &g.a);
    else plot_levels(out, &g.a);
    for (unsigned k = 0; k < n; k++) draw_box(out, &g, &box[k]);
    draw_names(out, &g);
    text_add(out, "</svg>\n");
}
