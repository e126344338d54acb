#include "bench/report.h"

#include "base/mem.h"
#include "bench/figures.h"
#include "report/escape.h"
#include "report/page_files.h"
#include "report/plot.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES_MOST = 12, LINE = 1024, FILES_MOST = 64 };

/* One file: its latest run begins with the last line that has a # in front. */
typedef struct run {
    char title[64];
    text machine;
    text lines; /* each ends with a newline */
} run;

static bool run_read(const char *folder, const char *name, run *r) {
    char path[512], line[LINE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    *r = (run){0};
    snprintf(r->title, sizeof r->title, "%.*s", (int)(strlen(name) - strlen(".txt")), name);
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#') {
            text_clear(&r->machine);
            text_clear(&r->lines);
            text_add(&r->machine, line + 1 + (line[1] == ' '));
        } else {
            text_add(&r->lines, line);
        }
    }
    fclose(f);
    return true;
}

static void run_free(run *r) {
    text_free(&r->machine);
    text_free(&r->lines);
}

/* ---- tables as they were printed: [what others published] and lines that miss their mark stand out ---- */

static void table_line(const char *p, const char *end, text *out) {
    bool missed = memmem(p, (size_t)(end - p), "MISSED", 6);
    if (missed) text_add(out, "<span class=\"missed\">");
    while (p < end) {
        const char *open = memchr(p, '[', (size_t)(end - p)),
                   *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
        escape_xml(out, p, (size_t)((close ? open : end) - p));
        if (!close) break;
        text_add(out, "<span class=\"published\">");
        escape_xml(out, open, (size_t)(close + 1 - open));
        text_add(out, "</span>");
        p = close + 1;
    }
    text_add(out, missed ? "</span>\n" : "\n");
}

static void table(const run *r, text *out) {
    text_add(out, "<pre class=\"numbers\">");
    for (const char *p = text_str(&r->lines); *p;) {
        const char *end = strchr(p, '\n');
        if (!end) end = p + strlen(p);
        if (end > p) table_line(p, end, out);
        p = *end ? end + 1 : end;
    }
    text_add(out, "</pre>\n");
}

/* ---- curves: what is measured at several sizes ---- */

typedef struct curves {
    plot_series s[SERIES_MOST];
    char name[SERIES_MOST][64];
    unsigned n;
} curves;

static plot_series *curve_of(curves *c, const char *name) {
    for (unsigned k = 0; k < c->n; k++)
        if (!strcmp(c->name[k], name)) return &c->s[k];
    if (c->n == SERIES_MOST) return NULL;
    snprintf(c->name[c->n], sizeof c->name[c->n], "%s", name);
    c->s[c->n].name = c->name[c->n];
    return &c->s[c->n++];
}

static void add_point(curves *c, const char *line) {
    char name[64] = "";
    double size, seconds;
    size_t n = strcspn(line, "\n");
    const char *gap = strstr(line, "  ");
    if (!gap || gap > line + n || (size_t)(gap - line) >= sizeof name) return;
    memcpy(name, line, (size_t)(gap - line));
    if (sscanf(gap, " %lf %lf s", &size, &seconds) != 2) return;
    plot_series *s = curve_of(c, name);
    if (!s || s->n == PLOT_POINTS || size <= 0) return;
    s->x[s->n] = size;
    s->y[s->n++] = seconds > 1e-4 ? seconds : 1e-4;
}

static void draw_curves(const run *r, text *out) {
    curves all = {0};
    plot_series several[SERIES_MOST];
    unsigned n = 0;
    for (const char *p = text_str(&r->lines); p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        add_point(&all, p);
    for (unsigned k = 0; k < all.n; k++)
        if (all.s[k].n > 2) several[n++] = all.s[k];
    if (n == 0) return;
    text title = {0};
    text_printf(&title, "%s: seconds against size", r->title);
    plot_growth(title.at, "operations", "CPU seconds", several, n, out);
    text_free(&title);
}

/* ---- drawings that were made when it was measured: NAME-something.svg ---- */

static bool ends(const char *name, const char *with) {
    size_t n = strlen(name), m = strlen(with);
    return n > m && !strcmp(name + n - m, with);
}

static void include_drawing(const char *folder, const char *name, text *out) {
    char path[512], piece[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    for (size_t n; f && (n = fread(piece, 1, sizeof piece, f)) > 0;) text_bytes(out, piece, n);
    if (f) fclose(f);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static unsigned result_files(const char *folder, const char *ending, char **name) {
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && n < FILES_MOST && (e = readdir(d));)
        if (ends(e->d_name, ending)) name[n++] = mem_string(e->d_name);
    if (d) closedir(d);
    qsort(name, n, sizeof *name, by_name);
    return n;
}

static void include_drawings(const char *folder, const char *title, text *out) {
    char *name[FILES_MOST];
    unsigned n = result_files(folder, ".svg", name);
    for (unsigned k = 0; k < n; k++) {
        size_t m = strlen(title);
        if (!strncmp(name[k], title, m) && name[k][m] == '-') include_drawing(folder, name[k], out);
        free(name[k]);
    }
}

/* ---- chapters ---- */

/* In this order; what is not here comes behind them under its own name. A file belongs to the chapter whose name it
 * begins with. */
static const struct chapter {
    const char *file, *title, *about;
    bool awaited; /* has a place even while nothing was measured */
} chapters[] = {
    {"violin", "Symbolic reasoning: figures 12, 13 and 14; atomicity assertions: figure 7",
     "Emmi, Enea, Hamza, Monitoring Refinement via Symbolic Reasoning; Guerraoui, Vukoli\xc4\x87, A Scalable and "
     "Oblivious Atomicity Assertion. Diamonds are the medians that the text of the paper gives "
     "for 5 s and 100 s on its machine; ours are for the times below the boxes. Of figure 14 the paper says: every "
     "engine but counting finds all, enumerate all but one, counting(4) more than counting(2).",
     true},
    {"explore", "The explorer: executions, speed, Tromp's bit",
     "Guerraoui, Vukoli\xc4\x87, figure 7: the same bit under a model checker. In brackets: a prototype.", true},
    {"reachability", "Reductions to state reachability: static detection, coverage, overhead",
     "Bouajjani, Emmi, Enea, Hamza, Linearizability Checking: Reductions to State Reachability. Published: seconds "
     "until the bug was found there.",
     true},
    {"roundup", "Round-Up: tables II, III and V, figures 8 and 9",
     "Runtime checking of quasi linearizability: verdicts, numbers of histories, times.", true},
    {"quasi", "Quasi linearizability: cost", "", false},
    {"relaxation", "Displacement and lateness",
     "Of every history the smallest k was found, and an order for it: how many elements were ahead of what was taken "
     "out, and how often an element was overtaken.",
     true},
    {"growth", "Growth", "", false},
    {"fast", "Near-linear engines", "", false},
    {"search", "General search", "", false},
    {"online", "Monitors", "", false},
    {"view", "Pages", "", false},
};
enum { CHAPTERS = sizeof chapters / sizeof *chapters };

static unsigned chapter_of(const char *name) {
    unsigned k = 0;
    while (k < CHAPTERS && strncmp(name, chapters[k].file, strlen(chapters[k].file))) k++;
    return k;
}

static void heading(const char *title, const char *about, text *out) {
    text_add(out, "<section><h2>");
    escape_xml_string(out, title);
    text_add(out, "</h2>\n<p class=\"note\">");
    escape_xml_string(out, about);
    text_add(out, "</p>\n");
}

/* Figures, then the numbers they are drawn from. */
static void put_run(const char *folder, const run *r, text *out) {
    text_add(out, "<p class=\"note\">");
    escape_xml_string(out, text_str(&r->machine));
    text_add(out, "</p>\n<div class=\"figures\">");
    bool drawn = figures_draw(r->title, text_str(&r->lines), out);
    if (!drawn) draw_curves(r, out);
    if (!drawn && strcmp(r->title, "growth")) include_drawings(folder, r->title, out);
    text_add(out, "</div>\n");
    table(r, out);
}

static unsigned put_files(const char *folder, char *const *name, unsigned n, unsigned chapter, text *out) {
    unsigned put = 0;
    for (unsigned k = 0; k < n; k++) {
        run r;
        if (chapter_of(name[k]) != chapter || !run_read(folder, name[k], &r)) continue;
        if (chapter == CHAPTERS) heading(r.title, "", out);
        put_run(folder, &r, out);
        if (chapter == CHAPTERS) text_add(out, "</section>\n");
        run_free(&r);
        put++;
    }
    return put;
}

static void put_chapter(const char *folder, char *const *name, unsigned n, unsigned k, text *out) {
    text inside = {0};
    unsigned put = put_files(folder, name, n, k, &inside);
    if (put || chapters[k].awaited) {
        heading(chapters[k].title, chapters[k].about, out);
        if (put) text_bytes(out, inside.at, inside.size);
        else text_printf(out, "<p>Not measured in this tree: there is no %s/%s.txt.</p>\n", folder, chapters[k].file);
        text_add(out, "</section>\n");
    }
    text_free(&inside);
}

/* ---- the page ---- */

static void page(const char *folder, text *out) {
    char *name[FILES_MOST];
    unsigned n = result_files(folder, ".txt", name);
    text_printf(out,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
                "http-equiv=\"Content-Security-Policy\" content=\"default-src "
                "'none'; style-src 'sha256-%s'\">\n<title>Plumbline: what was "
                "measured</title>\n<style>%s</style>\n</head>\n<body>\n",
                page_style_hash, page_style);
    text_add(
        out,
        "<header><div><h1>What was measured</h1><p class=\"note\">The latest run of every table that make bench has "
        "made. Numbers in blue were published for "
        "others, or measured with their tools; a line that misses what was asked is red.</p></div></header>\n<main>\n");
    for (unsigned k = 0; k < CHAPTERS; k++) put_chapter(folder, name, n, k, out);
    put_files(folder, name, n, CHAPTERS, out);
    text_add(out, "</main>\n</body>\n</html>\n");
    for (unsigned k = 0; k < n; k++) free(name[k]);
}

bool bench_report(const char *results, const char *path) {
    text out = {0};
    page(results, &out);
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(out.at, 1, out.size, f) == out.size;
    if (f && fclose(f)) good = false;
    if (!good) fprintf(stderr, "bench: cannot write %s\n", path);
    text_free(&out);
    return good;
}
