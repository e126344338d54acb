#include "report/scene_svg.h"

#include "report/escape.h"
#include "report/role.h"

#include <assert.h>

enum {
    LANE = 46,
    BAR = 26,
    TOP = 30,
    NARROW_TOP = 8,
    NAME_LETTER = 7,
    NAME_MARGIN = 22,
    STATE_LANE = 34,
    RIGHT = 12,
    TICK = 6
};

typedef struct drawing {
    const scene *s;
    double left, top, height;
    text *out;
} drawing;

static double lane_y(const drawing *d, uint32_t lane) { return d->top + LANE * lane + LANE / 2.0; }
static double bar_y(const drawing *d, const bar *b) { return lane_y(d, b->lane); }
static double lanes_end(const drawing *d) { return d->top + LANE * d->s->lanes; }

static const char *role_class(const drawing *d, uint32_t op) {
    operation view;
    history_operation(d->s->h, op, &view);
    return role_name(object_method(d->s->o, &view));
}

static void draw_lanes(const drawing *d) {
    for (uint32_t k = 0; k < d->s->lanes; k++) {
        text_printf(d->out, "<path class=\"lane\" d=\"M%.0f %.1fH%.0f\"/>", d->left, lane_y(d, k),
                    d->left + d->s->width);
        if (!d->s->lane[k].size) continue;
        text_printf(d->out, "<text class=\"lane-name\" x=\"4\" y=\"%.1f\">", lane_y(d, k) + 4);
        escape_xml(d->out, d->s->lane[k].at, d->s->lane[k].size);
        text_add(d->out, "</text>\n");
    }
}

/* A zigzag over all lanes. */
static void draw_tear(const drawing *d, const tear *t) {
    assert(t->events > 0 && t->x <= d->s->width);
    double x = d->left + t->x, y = d->top - 4, end = lanes_end(d);
    text zigzag = {0};
    text_printf(&zigzag, "M%.1f %.1f", x, y);
    for (int side = 1; y < end; side = -side, y += TICK) text_printf(&zigzag, "l%d %d", 5 * side, TICK);
    text_printf(
        d->out,
        "<g class=\"tear\"><title>%u event%s left out here</title><path class=\"gap\" d=\"%s\"/><path d=\"%s\"/>",
        t->events, t->events == 1 ? " was" : "s were", zigzag.at, zigzag.at);
    text_free(&zigzag);
    text_printf(d->out, "<text x=\"%.1f\" y=\"%d\">%u event%s</text></g>\n", x, TOP - 10, t->events,
                t->events == 1 ? "" : "s");
}

static void draw_bar(const drawing *d, const bar *b) {
    double x = d->left + b->x0, y = bar_y(d, b) - BAR / 2.0, width = b->x1 - b->x0;
    assert(width > 0 && b->lane < d->s->lanes); /* scene_place gave it its place */
    text_printf(d->out, "<g class=\"operation %s%s%s%s\" data-op=\"%u\" tabindex=\"0\"><title>", role_class(d, b->op),
                b->open ? " open" : "", b->context ? " context" : "", b->refused ? " refused" : "", b->number);
    escape_xml(d->out, b->label.at, b->label.size);
    if (d->s->lane[b->lane].size) text_add(d->out, ", ");
    escape_xml(d->out, text_str(&d->s->lane[b->lane]), d->s->lane[b->lane].size);
    text_printf(d->out, "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\"/>", x, y, width,
                BAR);
    text_printf(d->out, "<path class=\"end\" d=\"M%.1f %.1fv%d", x, y, BAR);
    if (!b->open) text_printf(d->out, "M%.1f %.1fv%d", d->left + b->x1, y, BAR);
    text_add(d->out, "\"/>");
    if (b->open)
        text_printf(d->out, "<text class=\"dots\" x=\"%.1f\" y=\"%.1f\">&#8943;</text>", d->left + b->x1 - 16,
                    bar_y(d, b) + 4);
    if (b->refused)
        text_printf(d->out, "<path class=\"cross\" d=\"M%.1f %.1fl10 10m0 -10l-10 10\"/>", x - 13, bar_y(d, b) - 5);
    text_add(d->out, "</g>\n");
}

static void draw_label(const drawing *d, const bar *b) {
    text_printf(d->out, "<text class=\"label\" data-op=\"%u\" x=\"%.1f\" y=\"%.1f\">", b->number, d->left + b->x0 + 8,
                bar_y(d, b) + 4);
    escape_xml(d->out, b->label.at, b->label.size);
    text_add(d->out, "</text>\n");
}

/* Where an arrow touches the body: away from the points, which are early. */
static double body_x(const bar *b) { return b->open ? b->x0 + 90 : b->x0 + (b->x1 - b->x0) * 0.75; }

/* From an end to a beginning, or from body to body for what only has to be so. */
static void draw_arrow(const drawing *d, const arrow *a) {
    uint32_t from = scene_bar(d->s, a->from), to = scene_bar(d->s, a->to);
    if (from == UINT32_MAX || to == UINT32_MAX) return;
    const bar *f = &d->s->bar[from], *t = &d->s->bar[to];
    assert(f != t);
    double x0, y0 = bar_y(d, f), x1, y1 = bar_y(d, t);
    text_printf(d->out, "<path class=\"arrow %s%s\" data-from=\"%u\" data-to=\"%u\" marker-end=\"url(#head%s)\" d=\"",
                a->kind == ARROW_TIME ? "time" : "forced", a->clash ? " clash" : "", a->from, a->to,
                a->kind == ARROW_FORCED ? "-forced"
                : a->clash              ? "-clash"
                                        : "");
    if (a->kind == ARROW_TIME) {
        x0 = d->left + f->x1;
        x1 = d->left + t->x0 - 2;
        double bend = (x1 - x0) / 2;
        text_printf(d->out, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x0, y0, x0 + bend, y0, x1 - bend, y1, x1, y1);
    } else {
        double down = t->lane > f->lane ? 1 : -1, away = t->lane == f->lane ? down : -down; /* from either body */
        x0 = d->left + body_x(f);
        x1 = d->left + body_x(t);
        y0 += down * BAR / 2;
        y1 += away * (BAR / 2.0 + 2);
        text_printf(d->out, "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x0, y0, x0, y0 + down * 16, x1, y1 + away * 16,
                    x1, y1);
    }
    text_add(d->out, "\"/>\n");
}

/* The lines lie under the bars, the numbered places on them. */
static void draw_states(const drawing *d) {
    double y = lanes_end(d) + STATE_LANE / 2.0 + 6;
    if (!d->s->points) return;
    text_printf(d->out, "<text class=\"lane-name\" x=\"4\" y=\"%.1f\">state after</text>\n", y + 4);
    for (uint32_t k = 0; k < d->s->points; k++) {
        const point *p = &d->s->point[k];
        const bar *b = &d->s->bar[p->bar];
        double x = d->left + p->x;
        text_printf(d->out,
                    "<g class=\"point\" data-op=\"%u\"><path d=\"M%.1f %.1fV%.1f\"/><text class=\"state\" x=\"%.1f\" "
                    "y=\"%.1f\">",
                    b->number, x, bar_y(d, b), y - 10, x - 4, y + 4);
        escape_xml(d->out, text_str(&p->state), p->state.size);
        text_add(d->out, "</text></g>\n");
    }
}

static void draw_places(const drawing *d) {
    for (uint32_t k = 0; k < d->s->points; k++) {
        const point *p = &d->s->point[k];
        assert(p->bar < d->s->bars);
        const bar *b = &d->s->bar[p->bar];
        double x = d->left + p->x, y = bar_y(d, b) + BAR / 2.0;
        text_printf(d->out,
                    "<g class=\"point\" data-op=\"%u\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\"/><text class=\"place\" "
                    "x=\"%.1f\" y=\"%.1f\">%u</text></g>\n",
                    b->number, x, y, x, y + 3.5, k + 1);
    }
}

static void draw_cut(const drawing *d) {
    if (d->s->cut_x <= 0) return;
    double x = d->left + d->s->cut_x;
    text_printf(d->out, "<path class=\"cut\" d=\"M%.1f %.1fV%.1f\"/>\n", x, d->top - 6, lanes_end(d));
}

static double name_room(const scene *s) {
    size_t longest = s->points ? 11 : 0;
    for (uint32_t k = 0; k < s->lanes; k++)
        if (s->lane[k].size > longest) longest = s->lane[k].size;
    return longest > 24 ? 24.0 * NAME_LETTER + NAME_MARGIN : (double)longest * NAME_LETTER + NAME_MARGIN;
}

static void draw_heads(text *out) {
    static const char *const kind[] = {"", "-forced", "-clash"};
    text_add(out, "<defs>");
    for (int k = 0; k < 3; k++)
        text_printf(out,
                    "<marker id=\"head%s\" class=\"head%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                    "markerWidth=\"11\" markerHeight=\"11\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
                    "<path d=\"M0 0L8 4L0 8z\"/></marker>",
                    kind[k], kind[k]);
    text_add(out, "</defs>\n");
}

void scene_svg(const scene *s, const arrow *a, uint32_t arrows, const char *title, text *out) {
    drawing d = {.s = s, .left = name_room(s), .out = out};
    d.top = s->tears ? TOP : NARROW_TOP;
    d.height = lanes_end(&d) + (s->points ? STATE_LANE + 8 : 6);
    double width = d.left + s->width + RIGHT;
    text_printf(out,
                "<svg class=\"scene\" role=\"img\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\"><title>",
                width, d.height, width, d.height);
    escape_xml_string(out, title);
    text_add(out, "</title>\n");
    draw_heads(out);
    draw_lanes(&d);
    draw_states(&d);
    for (uint32_t k = 0; k < s->bars; k++) draw_bar(&d, &s->bar[k]);
    for (uint32_t k = 0; k < s->tears; k++) draw_tear(&d, &s->tear[k]);
    draw_cut(&d);
    for (uint32_t k = 0; k < s->bars; k++) draw_label(&d, &s->bar[k]);
    draw_places(&d);
    for (uint32_t k = 0; k < arrows; k++) draw_arrow(&d, &a[k]);
    text_add(out, "</svg>\n");
}
