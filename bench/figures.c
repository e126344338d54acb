#include "bench/figures.h"

#include "base/mem.h"
#include "report/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES_MOST = 128, NAME = 48, SERIES_MOST = 12, TALLY_MOST = 4096 };

/* ---- what is read ---- */

typedef struct boxes {
    plot_box box[BOXES_MOST];
    char group[BOXES_MOST][NAME], name[BOXES_MOST][NAME];
    unsigned n;
} boxes;

static plot_box *add_box(boxes *b, const char *group, const char *name) {
    if (b->n == BOXES_MOST) return NULL;
    snprintf(b->group[b->n], NAME, "%s", group);
    snprintf(b->name[b->n], NAME, "%s", name);
    b->box[b->n] = (plot_box){.group = b->group[b->n], .name = b->name[b->n]};
    return &b->box[b->n++];
}

static void add_bar(boxes *b, const char *group, const char *name, double height, double published) {
    plot_box *bar = add_box(b, group, name);
    if (bar) {
        bar->bar = true;
        bar->median = height;
        bar->published = published;
    }
}

typedef struct lines {
    plot_series s[SERIES_MOST];
    char name[SERIES_MOST][NAME];
    unsigned n;
} lines;

static void add_point(lines *l, const char *name, double x, double y) {
    unsigned k = 0;
    while (k < l->n && strcmp(l->name[k], name)) k++;
    if (k == SERIES_MOST || x <= 0 || y <= 0) return;
    if (k == l->n) {
        snprintf(l->name[k], NAME, "%s", name);
        l->s[l->n++] = (plot_series){.name = l->name[k]};
    }
    plot_series *s = &l->s[k];
    if (s->n < PLOT_POINTS) {
        s->x[s->n] = x;
        s->y[s->n++] = y;
    }
}

/* The next line in `line`; NULL at the end. */
static const char *next_line(const char *p, char *line, size_t room) {
    if (!*p) return NULL;
    size_t n = strcspn(p, "\n");
    snprintf(line, room, "%.*s", (int)n, p);
    return p + n + (p[n] == '\n');
}

/* What stands before the first two blanks. */
static bool leading_name(const char *line, char *name) {
    const char *gap = strstr(line, "  ");
    if (!gap || gap == line || gap - line >= NAME) return false;
    snprintf(name, NAME, "%.*s", (int)(gap - line), line);
    return true;
}

static bool begins(const char *line, const char *with) { return !strncmp(line, with, strlen(with)); }

/* ---- Monitoring Refinement via Symbolic Reasoning: figures 12, 13, 14 ---- */

static bool read_steps(const char *line, double *seconds, plot_box *b, double *normal) {
    const char *at = strstr(line, " s  steps: min"), *number = at;
    if (!at || sscanf(at, " s  steps: min %lf quartile %lf median %lf quartile %lf max %lf time/capacity^2: %lf",
                      &b->least, &b->low, &b->median, &b->high, &b->most, normal) != 6)
        return false;
    while (number > line && number[-1] != ' ') number--;
    *seconds = atof(number);
    const char *published = strrchr(line, '[');
    b->published = published ? atof(published + 1) : 0;
    return true;
}

static void draw_figures_12_13(const char *run, text *out) {
    boxes *b = MEM_NEW(boxes);
    lines *l = MEM_NEW(lines);
    char line[512], name[NAME], group[NAME];
    for (const char *p = run; (p = next_line(p, line, sizeof line));) {
        plot_box found = {0};
        double seconds, normal;
        if (!read_steps(line, &seconds, &found, &normal)) continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " "), line);
        snprintf(group, sizeof group, "%g s", seconds);
        plot_box *box = add_box(b, group, name);
        if (!box) continue;
        found.group = box->group;
        found.name = box->name;
        *box = found;
        add_point(l, name, found.median, normal);
    }
    if (b->n)
        plot_boxes("Figure 12: steps processed within so much time",
                   "CPU seconds; the paper's medians are for 5 s (first) and 100 s (last)", "steps", true, b->box, b->n,
                   out);
    if (l->n)
        plot_growth("Figure 13: time over capacity squared (medians)", "steps", "CPU seconds / capacity\xc2\xb2", l->s,
                    l->n, out);
    free(b);
    free(l);
}

static void draw_figure_14(const char *run, text *out) {
    boxes *b = MEM_NEW(boxes);
    char line[512], name[NAME], who[NAME];
    bool inside = false;
    for (const char *p = run; (p = next_line(p, line, sizeof line));) {
        if (begins(line, "figure ")) inside = begins(line, "figure 14");
        if (!inside || !leading_name(line, name)) continue;
        unsigned count;
        int used;
        for (const char *at = strstr(line, "  "); sscanf(at, " %47s %u%n", who, &count, &used) == 2; at += used)
            if (!strcmp(who, "dq") || !strcmp(who, "rdq") || !strcmp(who, "bkq") || !strcmp(who, "ukq"))
                add_bar(b, who, name, count, 0);
    }
    if (b->n)
        plot_boxes("Figure 14: violations found, of 20 runs each", "implementations that are not linearizable", "runs",
                   false, b->box, b->n, out);
    free(b);
}

/* ---- A Scalable and Oblivious Atomicity Assertion: figure 7 ---- */

static void draw_figure_7(const char *run, text *out) {
    static const struct {
        const char *word, *atomic, *stale;
    } series[] = {{"soar ", "SOAR, atomic", "SOAR, stale read"},
                  {"clmt ", "CLMT, atomic", "CLMT, stale read"},
                  {"printed ", "CLMT as printed, atomic", "CLMT as printed, stale read"}};
    lines *l = MEM_NEW(lines);
    char line[512];
    unsigned operations;
    for (const char *p = run; (p = next_line(p, line, sizeof line));) {
        if (sscanf(line, "%u operations,", &operations) != 1) continue;
        for (size_t k = 0; k < sizeof series / sizeof *series; k++) {
            const char *at = strstr(line, series[k].word);
            if (at)
                add_point(l, strstr(line, "stale") ? series[k].stale : series[k].atomic, operations,
                          atof(at + strlen(series[k].word)));
        }
    }
    if (l->n) {
        add_point(l, "SOAR, published", 5, 0.015);
        add_point(l, "CLMT, published: more than", 5, 70);
        plot_growth("Figure 7, on histories: one decision", "operations", "CPU seconds", l->s, l->n, out);
    }
    free(l);
}

static void draw_violin(const char *run, text *out) {
    draw_figures_12_13(run, out);
    draw_figure_14(run, out);
    draw_figure_7(run, out);
}

/* Tromp's bit, explored: the other half of figure 7. */
static void draw_explore(const char *run, text *out) {
    lines *l = MEM_NEW(lines);
    char line[512], name[NAME];
    unsigned writes, reads, operations;
    double seconds;
    for (const char *p = run; (p = next_line(p, line, sizeof line));) {
        const char *at = strstr(line, "executions");
        if (!at || strstr(at, "not all") || sscanf(line, "%u x %u %u operations", &writes, &reads, &operations) != 3 ||
            sscanf(at, "executions %lf s", &seconds) != 1)
            continue;
        snprintf(name, sizeof name, "%u write%s", writes, writes == 1 ? "" : "s");
        add_point(l, name, operations, seconds);
    }
    if (l->n) plot_growth("Tromp's bit: every interleaving", "operations", "CPU seconds", l->s, l->n, out);
    free(l);
}

/* ---- Reductions to State Reachability: static detection ---- */

/* "... 0.10    [24.76]  ...": the last number before the published one. */
static bool read_times(const char *line, double *seconds, double *published) {
    const char *at = strchr(line, '[');
    if (!at || sscanf(at, "[%lf]", published) != 1) return false;
    while (at > line && strchr(" MISSED", at[-1])) at--;
    while (at > line && at[-1] != ' ') at--;
    return sscanf(at, "%lf", seconds) == 1;
}

static void draw_reachability(const char *run, text *out) {
    boxes *b = MEM_NEW(boxes);
    char line[512], bug[NAME], library[NAME];
    for (const char *p = run; (p = next_line(p, line, sizeof line));) {
        double seconds, published;
        if (sscanf(line, "%47s %47s", library, bug) != 2 || !read_times(line, &seconds, &published)) continue;
        /* there are two of that name */
        const char *group = begins(library, "elimination") && !strcmp(bug, "B2") ? "B2 elim." : bug;
        add_bar(b, group, "found here", seconds > 0.001 ? seconds : 0.001, 0);
        add_bar(b, group, "published", published, 0);
    }
    if (b->n) plot_boxes("Static detection: time until the bug is found", "bug", "seconds", true, b->box, b->n, out);
    free(b);
}

/* ---- relaxations ---- */

static void draw_quasi(const char *run, text *out) {
    lines *l = MEM_NEW(lines);
    char line[512], name[NAME];
    double operations, seconds;
    for (const char *p = run; (p = next_line(p, line, sizeof line));) {
        const char *at = strstr(line, " quasi ");
        if (!at || !strstr(line, " 4 clients") || !strstr(line, "overlap 0.66") ||
            !strstr(line, "built for k = 8  asked k = 8"))
            continue;
        if (sscanf(line, "%47s %lf operations", name, &operations) == 2 && sscanf(at, " quasi %lf s", &seconds) == 1)
            add_point(l, name, operations, seconds);
    }
    for (unsigned k = 0; k < l->n; k++) { /* the table does not begin with the smallest */
        plot_series *s = &l->s[k];
        for (unsigned i = 1; i < s->n; i++)
            for (unsigned j = i; j && s->x[j] < s->x[j - 1]; j--) {
                double x = s->x[j], y = s->y[j];
                s->x[j] = s->x[j - 1];
                s->y[j] = s->y[j - 1];
                s->x[j - 1] = x;
                s->y[j - 1] = y;
            }
    }
    if (l->n)
        plot_growth("quasi(8), 4 clients: time to decide, evidence included", "operations", "CPU seconds", l->s, l->n,
                    out);
    free(l);
}

/* "queue, built for k = 8  ahead: 4980 12 8": how often 0, 1, 2, ... occurred. */
static void draw_relaxation(const char *run, text *out) {
    static const struct {
        const char *word, *title, *label;
    } kind[] = {{"  ahead: ", "elements ahead of what was taken out", "displacement in the order that was found"},
                {"  overtaken: ", "how often an element was overtaken", "lateness"}};
    uint32_t *times = MEM_ARRAY(uint32_t, TALLY_MOST);
    char *line = mem_alloc(1 << 16), name[NAME], title[2 * NAME + 64];
    for (const char *p = run; (p = next_line(p, line, 1 << 16));)
        for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
            char *at = strstr(line, kind[k].word), *end;
            if (!at || !leading_name(line, name)) continue;
            uint32_t n = 0;
            for (at += strlen(kind[k].word); n < TALLY_MOST; at = end) {
                unsigned long found = strtoul(at, &end, 10);
                if (end == at) break;
                times[n++] = (uint32_t)found;
            }
            snprintf(title, sizeof title, "%s: %s", name, kind[k].title);
            plot_distribution(title, kind[k].label, times, n, out);
        }
    free(line);
    free(times);
}

bool figures_draw(const char *table, const char *run, text *out) {
    static const struct {
        const char *table;
        void (*draw)(const char *run, text *out);
    } known[] = {{"violin", draw_violin},
                 {"explore", draw_explore},
                 {"reachability", draw_reachability},
                 {"quasi", draw_quasi},
                 {"relaxation", draw_relaxation}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (strcmp(known[k].table, table)) continue;
        known[k].draw(run, out);
        return true;
    }
    return false;
}
