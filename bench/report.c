#include "bench/report.h"

#include "base/mem.h"
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

/* ---- tables: two blanks or more separate cells ------------------------------------------------------------------------------ */

static void cell(const char *p, size_t n, text *out) {
    bool published = n > 1 && p[0] == '[' && p[n - 1] == ']';
    bool missed = n >= 6 && !memcmp(p + n - 6, "MISSED", 6);
    text_add(out, published ? "<td class=\"published\">" : missed ? "<td class=\"missed\">" : "<td>");
    escape_xml(out, published ? p + 1 : p, published ? n - 2 : n);
    text_add(out, "</td>");
}

static void table_line(const char *p, const char *end, text *out) {
    text_add(out, "<tr>");
    while (p < end) {
        const char *stop = p;
        while (stop < end && !(stop[0] == ' ' && (stop + 1 == end || stop[1] == ' '))) stop++;
        if (stop > p) cell(p, (size_t)(stop - p), out);
        p = stop;
        while (p < end && *p == ' ') p++;
    }
    text_add(out, "</tr>\n");
}

static void table(const run *r, text *out) {
    text_add(out, "<section><h2>");
    escape_xml_string(out, r->title);
    text_add(out, "</h2><p class=\"note\">");
    escape_xml_string(out, text_str(&r->machine));
    text_add(out, "</p><div class=\"scroll\"><table><tbody>\n");
    for (const char *p = text_str(&r->lines); *p;) {
        const char *end = strchr(p, '\n');
        if (!end) end = p + strlen(p);
        if (end > p) table_line(p, end, out);
        p = *end ? end + 1 : end;
    }
    text_add(out, "</tbody></table></div></section>\n");
}

/* ---- curves: what is measured at several sizes ---------------------------------------------------------------------------------- */

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
    for (const char *p = text_str(&r->lines); p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) add_point(&all, p);
    for (unsigned k = 0; k < all.n; k++)
        if (all.s[k].n > 2) several[n++] = all.s[k];
    if (n == 0) return;
    text title = {0};
    text_printf(&title, "%s: seconds against size", r->title);
    plot_growth(title.at, "operations", "CPU seconds", several, n, out);
    text_free(&title);
}

/* ---- the page ---------------------------------------------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static unsigned result_files(const char *folder, char **name) {
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && n < FILES_MOST && (e = readdir(d));) {
        size_t length = strlen(e->d_name);
        if (length > 4 && !strcmp(e->d_name + length - 4, ".txt")) name[n++] = mem_string(e->d_name);
    }
    if (d) closedir(d);
    qsort(name, n, sizeof *name, by_name);
    return n;
}

static void page(const char *folder, text *out) {
    char *name[FILES_MOST];
    unsigned n = result_files(folder, name);
    text_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                     "'none'; style-src 'sha256-%s'\">\n<title>Plumbline: what was measured</title>\n<style>%s</style>\n</head>\n<body>\n",
                page_style_hash, page_style);
    text_add(out, "<header><div><h1>What was measured</h1><p class=\"note\">The latest run of every table that make bench has made. Numbers in blue were published for "
                  "others, or measured with their tools; a line that misses what was asked is red.</p></div></header>\n<main>\n");
    for (unsigned k = 0; k < n; k++) {
        run r;
        if (run_read(folder, name[k], &r)) {
            table(&r, out);
            draw_curves(&r, out);
            run_free(&r);
        }
        free(name[k]);
    }
    text_add(out, "</main>\n</body>\n</html>\n");
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
